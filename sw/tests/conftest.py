# SPDX-License-Identifier: Apache-2.0
"""A project tree without hardware: a small catalogue, a register map, and a worker that only answers.

So the command line is tested as users call it, in milliseconds and without ns-3 or the generator.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sluice.commands import cli

RED_PARAMETERS = [
    {"name": "limit", "ns3": "MaxSize", "address": 0x40, "width": 18, "fraction": 0, "default": 1000},
    {"name": "min", "ns3": "MinTh", "address": 0x54, "width": 32, "fraction": 14, "default": 5},
    {"name": "max", "ns3": "MaxTh", "address": 0x58, "width": 32, "fraction": 14, "default": 15},
    {"name": "probability", "ns3": "", "address": 0x5C, "width": 32, "fraction": 31, "default": 0.02},
    {"name": "weight_exponent", "ns3": "", "address": 0x60, "width": 4, "fraction": 0, "default": 9},
    {"name": "avpkt", "ns3": "MeanPktSize", "address": 0x64, "width": 16, "fraction": 0, "default": 1000},
    {"name": "idle_rate", "ns3": "", "address": 0x68, "width": 32, "fraction": 32, "default": 2e-5},
    {"name": "ecn", "ns3": "UseEcn", "address": 0x78, "width": 1, "fraction": 0, "default": 0},
    {"name": "mark_most", "ns3": "", "address": 0x80, "width": 32, "fraction": 31, "default": 1},
]

FOLLOWS = {
    "limit": {"fact": "limit", "factor": 1},
    "avpkt": {"fact": "packet_bytes", "factor": 1},
    "idle_rate": {"fact": "rate_pps", "factor": 1.6e-8},
    "ecn": {"fact": "ecn", "factor": 1},
}

RED_REGISTERS: dict[str, Any] = {
    "config": "red",
    "algorithm": "red",
    "version": "0.1.0",
    "digest": 0x5EED,
    "in_force_offset": 0x800,
    "latency_cycles": 23,
    "data_width": 32,
    "registers": [
        {"name": name, "address": address, "access": "rw", "width": 32, "reset": 0, "doc": f"the word {name}"}
        for name, address in (("COMMIT", 0x18), ("REFUSED", 0x1C), ("SNAPSHOT", 0x20), ("min", 0x54))
    ],
    "parameters": [
        {"unit": "packets", "doc": "a parameter", "follows": FOLLOWS.get(entry["name"])} | entry
        for entry in RED_PARAMETERS
    ],
    "rules": [
        {"bit": 0, "name": "limit_in_ring", "doc": "1 <= limit <= 1008"},
        {"bit": 4, "name": "min_below_max", "doc": "min < max"},
    ],
    "reasons": [{"code": 1, "name": "Unforced drop", "action": "drop", "address": 0x138}],
    "counters": [
        {"name": "received_packets", "address": 0x100, "width": 48},
        {"name": "unforced_drop", "address": 0x138, "width": 48},
    ],
    "status": [{"name": "average", "address": 0x1C0, "width": 32, "fraction": 14, "unit": "packets", "doc": "average"}],
}

ADAPTIVE = ("ared", "re-ared", "re-ared-m1", "re-ared-m2", "cared")

ADAPTIVE_PARAMETERS = [
    {"name": "interval", "ns3": "Interval", "address": 0x84, "width": 32, "fraction": 0, "default": 500000000},
    {"name": "top", "ns3": "", "address": 0x88, "width": 32, "fraction": 31, "default": 0.5},
    {"name": "bottom", "ns3": "", "address": 0x8C, "width": 32, "fraction": 31, "default": 0.01},
]

CONFIGS = {"red": "red", "red-half-weights": "red", "fred": "fred"} | {name: name for name in ADAPTIVE}
"""Configuration to algorithm. FRED is there because a shipped scenario has a setting for it."""

CATALOG = {
    "version": "0.1.0",
    "algorithms": [
        {
            "name": name,
            "summary": summary,
            "latency_cycles": 23,
            "default_config": name,
            "reasons": [{"code": 1, "name": "Unforced drop", "action": "drop"}],
            "parameters": [{"name": "min", "unit": "packets", "doc": "lower threshold"}],
        }
        for name, summary in {"red": "Random Early Detection", "fred": "Flow Random Early Drop"}.items()
    ],
    "configs": [
        {
            "name": name,
            "algorithm": algorithm,
            "grade": "supported",
            "latency_cycles": 23,
            "digest": 0x5EED,
            "settings": {"ring_packets": 1024},
        }
        for name, algorithm in CONFIGS.items()
    ],
    "datapaths": [
        {
            "name": "red-512",
            "config": "red",
            "algorithm": "red",
            "grade": "supported",
            "latency_cycles": 70,
            "digest": 0x5EED,
            "data_bits": 512,
            "buffer_bytes": 131072,
        }
    ],
    "counters": [
        {
            "name": "mincount-64",
            "grade": "supported",
            "buckets": 64,
            "values": 3,
            "estimate": "exposure",
            "latency_cycles": 126,
        }
    ],
    "shells": [{"name": "opennic-tx-red", "shell": "opennic-tx", "datapath": "red-512"}],
    "boards": [{"name": "lattice-versa-ecp5", "board": "lattice-versa-ecp5", "config": "red"}],
    "proofs": [{"name": name, "states": f"the {name} holds"} for name in ("ring", "sweep")],
}

WORKER = """\
import json, sys
request = json.load(sys.stdin)
if "min=99" in request["hops"][0]["aqm"]:
    print("error: the model refused the parameters: min_below_max", file=sys.stderr)
    sys.exit(2)
print("progress", request["duration_s"] / 2, request["duration_s"], file=sys.stderr)
flows = [{"id": f["id"], "kind": f["kind"], "throughput_mbps": 0.4, "goodput_mbps": 0.3} for f in request["flows"]]
count = {"arrived": 1000, "departed": 950, "departed_bytes": 950000, "drops": {"Unforced drop": 50}, "marks": {}}
by_flow = {f["id"]: {"arrived": 40, "dropped": 2} for f in request["flows"]}
series = {"time_s": [1.0, 2.0], "queue_packets": [3, 4], "arrivals": [10, 10], "drops": [1, 0],
    "marks": [0, 0], "delay_ms": [2.5, 3.0], "status": {"average": [3.0, 3.5]}}
hop = count | {"queued": 0, "measured": count, "by_flow": by_flow, "series": series,
    "queue_packets": {"mean": 3.5, "std": 0.5, "p99": 4}, "queue_delay_ms": {"mean": 2.8, "p99": 3.2}}
rates = {"interval_s": 1.0, "throughput_mbps": {f["id"]: [0.4, 0.4] for f in request["flows"]}}
json.dump({"flows": flows, "hops": [hop], "per_flow_series": rates, "events": 7, "wall_s": 0.01}, sys.stdout)
"""


@pytest.fixture
def red_registers() -> dict[str, Any]:
    """A register map like the generator's."""
    return RED_REGISTERS


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Root of the small project; the command line works in it."""
    files = {
        "build/rtl/catalog.json": json.dumps(CATALOG),
        "build/ns3/sluice_ns3.so": "a simulator",
        "sim/ns3/worker.py": WORKER,
        "build/model/tile-bench": "#!/bin/sh\necho 1000 0.5 0.6 26000\n",
    }
    for config in CONFIGS:
        registers = RED_REGISTERS | {"config": config}
        if config in ADAPTIVE:
            more = [
                {"unit": "", "doc": "a parameter of the adaptation", "follows": None} | entry
                for entry in ADAPTIVE_PARAMETERS
            ]
            registers = registers | {"parameters": RED_REGISTERS["parameters"] + more}
        files[f"build/rtl/{config}/registers.json"] = json.dumps(registers)
        files[f"build/model/{config}/libsluice_tile.so"] = "a model"
        files[f"build/model/{config}/libsluice_tile.so.rtl"] = ""
    files["build/rtl/red-512/registers.json"] = json.dumps(RED_REGISTERS | {"config": "red-512"})
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tmp_path / "build/model/tile-bench").chmod(0o755)
    monkeypatch.setenv("SLUICE_ROOT", str(tmp_path))
    return tmp_path


Sluice = Callable[..., tuple[int, str, str]]


@pytest.fixture
def sluice(project: Path, capsys: pytest.CaptureFixture[str]) -> Sluice:
    """The command line as a function: arguments to exit status, standard output and standard error."""

    def call(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            cli.main(list(arguments))
        captured = capsys.readouterr()
        return int(ended.value.code or 0), captured.out, captured.err

    return call
