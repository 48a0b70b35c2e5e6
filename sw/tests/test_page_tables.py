# SPDX-License-Identifier: Apache-2.0
"""Tables of pages that follow from the generator and from the closed loop: parameters, comparisons, experiments, folders."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from sluice.experiments.papers import care
from sluice.hardware import catalog
from sluice.loop import scenario
from sluice.loop.reports import kept_rows
from sluice.pages import result_tables
from sluice.pages.tables import evidence, parameters
from sluice.support import paths

Sluice = Callable[..., tuple[int, str, str]]


@pytest.fixture
def small(project: Path) -> Path:
    """The small project with RTL, and a tile that has no parameters of a core's own."""
    for config in catalog.load().configs:
        paths.tile_verilog(config.name).write_text("module top; endmodule\n")
    tile = json.loads(paths.register_map("red").read_text())
    tile["parameters"] = [p for p in tile["parameters"] if p["name"] == "limit"]
    file = paths.register_map("droptail")
    file.parent.mkdir()
    file.write_text(json.dumps(tile))
    return project


def test_parameters_are_those_of_the_core_alone(small: Path) -> None:
    lines = parameters.parameters(["red"])
    assert lines[0] == "| name | ns-3 | unit | default | format | a scenario sets | meaning |"
    assert "| `min` | `MinTh` | packets | 5 | Q18.14 | | a parameter |" in lines
    assert "| `avpkt` | `MeanPktSize` | packets | 1,000 | 16 bits | `packet_bytes` | a parameter |" in lines
    assert "| `idle_rate` | | packets | 2e-05 | Q0.32 | 1.6e-08 `rate_pps` | a parameter |" in lines
    assert not any("`limit`" in line.split("|")[1] for line in lines)


def test_parameters_beyond_those_of_another(small: Path) -> None:
    file = paths.register_map("ared")
    own = json.loads(file.read_text())
    next(p for p in own["parameters"] if p["name"] == "max")["default"] = 16
    points = [{**own["parameters"][-1], "name": f"point_{n}", "doc": f"at {n} of 3", "default": n} for n in range(3)]
    file.write_text(json.dumps(own | {"parameters": [*own["parameters"], *points]}))
    assert [line.split("|")[1].strip() for line in parameters.parameters(["ared", "beyond", "red"])[2:]] == [
        "`max`",
        "`interval`",
        "`top`",
        "`bottom`",
        "`point_0` ... `point_2`",
    ]
    both = parameters.parameters(["red", "ared"])
    assert "| `max` | `MaxTh` | packets | 15 | 16 | Q18.14 | | a parameter |" in both
    assert any(line.startswith("| `top` | | | - | 0.5 | Q1.31 |") for line in both)


def test_a_comparison_is_kept_and_bears_a_dagger(sluice: Sluice, small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = "<!-- table compared main red ns3-red ns3-fifo -->\n<!-- end of table -->\n"
    assert sluice("compare", "--aqm", "red,ns3-red", "--keep")[0] == 0
    kept = kept_rows.table().read_text()
    fresh = result_tables.rewritten(small / "page.md", page)
    assert "| AQM | UDP Mbit/s | TCP Mbit/s |" in fresh
    assert "marks %" not in fresh
    assert "| `red` | 0.400 | 0.400 | 1.000 |" in fresh
    assert "| `ns3-fifo` | - | - | - |" in fresh
    assert "†" not in fresh
    paths.tile_verilog("red").write_text("module top; wire more; endmodule\n")
    old = result_tables.rewritten(small / "page.md", page)
    assert "| `red` † | 0.400" in old
    assert "| `ns3-red` | 0.400" in old
    assert old.count("\n† ") == 1
    with monkeypatch.context() as patch:
        text = scenario.text
        patch.setattr(scenario, "text", lambda name: text(name) + "# another\n")
        assert "| `ns3-red` † | 0.400" in result_tables.rewritten(small / "page.md", page)
    status, _, err = sluice("compare", "--aqm", "red", "--keep", "--duration", "2")
    assert (status, err) == (2, "sluice: only built-in scenarios are kept, at their own length\n")
    assert kept_rows.table().read_text() == kept


def test_every_algorithm_knows_its_experiments() -> None:
    found = evidence.experiments_by_algorithm()
    assert "care-table6" in found["care"]
    assert "green-two-queues" in found["green"], "through another configuration"
    assert "ured-tunnels" in found["ured"], "through a datapath"
    assert set(found) <= {algorithm.name for algorithm in catalog.load().algorithms}


def test_the_list_of_folders_is_whole() -> None:
    listed = (paths.root() / "docs/overview.md").read_text().partition("## Folders")[2]
    folders = [line.split("`")[1].rstrip("/") for line in listed.splitlines() if line.startswith("| `")]
    assert [name for name in folders if not (paths.root() / name).is_dir()] == []
    whole = {"LICENSES", "build", "docs"}  # nothing to explain
    for parent in paths.root().iterdir():
        if parent.is_dir() and not parent.name.startswith(".") and parent.name not in whole | set(folders):
            inner = {f"{parent.name}/{folder.name}" for folder in parent.iterdir() if folder.is_dir()}
            assert inner <= set(folders), f"not listed: {sorted(inner - set(folders))}"


def test_an_experiment_is_kept_and_bears_a_dagger(sluice: Sluice, small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = "<!-- table reproduced care-table6 udp_mbps -->\n<!-- end of table -->\n"
    chosen = ("--aqm", "red", "--aqm", "ns3-pie", "--point", "10 %", "--duration", "60", "--seeds", "2")
    assert sluice("reproduce", "care-table6", *chosen, "--keep")[0] == 0
    fresh = result_tables.rewritten(small / "page.md", page)
    assert "| | 1 % | 5 % | 10 % |" in fresh
    assert "| red | - | - | 0.40 ± 0.00 | - |" in fresh
    assert "udp_mbps: mean and 95 % interval, 2 seeds of 60 s." in fresh
    assert "†" not in fresh
    paths.tile_verilog("red").write_text("module top; wire more; endmodule\n")
    old = result_tables.rewritten(small / "page.md", page)
    assert "| red | - | - | 0.40 ± 0.00 † | - |" in old
    assert "| ns3-pie | - | - | 0.40 ± 0.00 | - |" in old
    assert old.count("\n† ") == 1
    monkeypatch.setitem(care.BASE.settings, "ns3-pie", {"target": 1})
    assert "| ns3-pie | - | - | 0.40 ± 0.00 † | - |" in result_tables.rewritten(small / "page.md", page)
