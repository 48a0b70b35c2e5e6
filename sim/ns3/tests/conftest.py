# SPDX-License-Identifier: GPL-2.0-only
"""Scenarios and runs for the tests of the ns-3 worker."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from built import built

from sluice.support import paths

ROOT = Path(__file__).resolve().parents[3]
WORKER = ROOT / "sim" / "ns3" / "worker.py"

Scenario = dict[str, Any]


@pytest.fixture(scope="session", autouse=True)
def sluice_ns3() -> ModuleType:
    """The simulator, which the worker imports too."""
    sys.path.append(str(built(paths.ns3_module()).parent))
    return import_module("sluice_ns3")


def run_worker(text: str) -> subprocess.CompletedProcess[str]:
    """Give the worker a text on standard input."""
    return subprocess.run([sys.executable, WORKER], input=text, capture_output=True, text=True, check=False)


@pytest.fixture
def worker() -> Callable[[str], subprocess.CompletedProcess[str]]:
    """The worker as a process: text in, finished process out."""
    return run_worker


@pytest.fixture
def simulate() -> Callable[[Scenario], dict[str, Any]]:
    """Run a scenario that must succeed."""

    def run(scenario: Scenario) -> dict[str, Any]:
        process = run_worker(json.dumps(scenario))
        assert process.returncode == 0, process.stderr
        return json.loads(process.stdout)

    return run


@pytest.fixture
def refusal() -> Callable[[Scenario], str]:
    """Run a scenario that must be refused; the reason."""

    def run(scenario: Scenario) -> str:
        process = run_worker(json.dumps(scenario))
        lines = process.stderr.splitlines()
        assert process.returncode == 2
        assert process.stdout == ""
        assert len(lines) == 1
        assert lines[0].startswith("error: ")
        return lines[0].removeprefix("error: ")

    return run


@pytest.fixture
def dumbbell() -> Callable[..., Scenario]:
    """Make a dumbbell of 10 Mbit/s with greedy TCP flows."""

    def make(aqm: str, flows: int = 4, duration_s: float = 8, ecn: bool = False) -> Scenario:
        return {
            "seed": 1,
            "duration_s": duration_s,
            "warmup_s": 2,
            "sample_interval_s": 0.5,
            "defaults": {
                "ns3::TcpSocketBase::Timestamp": "false",
                "ns3::TcpSocket::DelAckCount": "1",  # a delayed ack would come after the shortest timeout
                "ns3::TcpSocketBase::MinRto": "200ms",
                "ns3::TcpSocketBase::UseEcn": "On" if ecn else "Off",
            },
            "hops": [{"rate_mbps": 10, "delay_ms": 5, "aqm": aqm}],
            "access": {"rate_mbps": 100},
            "packet_bytes": 1000,
            "flows": [
                {
                    "id": f"tcp{i}",
                    "kind": "tcp",
                    "congestion": "ns3::TcpNewReno",
                    "start_s": 0.05 * i,
                    "source_delay_ms": 2 + i,
                    "sink_delay_ms": 2,
                }
                for i in range(flows)
            ],
        }

    return make
