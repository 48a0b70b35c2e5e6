# SPDX-License-Identifier: Apache-2.0
"""The slowest paths of a small design by hand, and the lines of Scala of signals of real ones."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sluice import synthesis
from sluice.commands.fpga import synth
from sluice.hardware import designs
from sluice.hardware.designs import Design
from sluice.support import results_table
from sluice.synthesis.timing import common_paths, timing_paths
from sluice.synthesis.timing.scala_lines import ScalaLines

ROOT = Path(__file__).resolve().parents[3]
SOURCES = ROOT / "rtl/src/main/scala"


def register(name: str) -> str:
    return f"""\
  (CELL (CELLTYPE "TRELLIS_FF")
    (INSTANCE {name})
        (IOPATH CLK Q (300:350:400) (300:350:400))
      (SETUPHOLD (posedge DI) (posedge CLK) (80:90:100) (0:0:0))
      (SETUPHOLD (negedge DI) (posedge CLK) (80:90:100) (0:0:0))
"""


def cell(name: str, *arcs: tuple[str, str, int]) -> str:
    lines = [f"        (IOPATH {a} {b} (1:2:{ps}) (1:2:{ps}))\n" for a, b, ps in arcs]
    return f'  (CELL (CELLTYPE "TRELLIS_COMB")\n    (INSTANCE {name})\n{"".join(lines)}'


def wires(*each: tuple[str, str, int]) -> str:
    return "".join(f"        (INTERCONNECT {a} {b} (1:2:{ps}) (1:2:{ps}))\n" for a, b, ps in each)


SDF = (
    wires(
        ("pad/O", r"block.a_TRELLIS_FF_Q/CLK", 0),
        ("block.a_TRELLIS_FF_Q/Q", r"block.sum_LUT4_Z/A", 1000),
        ("block.a_TRELLIS_FF_Q/Q", r"block.sum_LUT4_Z/B", 200),
        (r"block.sum_LUT4_Z/F", r"block.sum_CCU2C_S0\$CCU2_COMB0/A", 500),
        (r"block.sum_CCU2C_S0\$CCU2_COMB0/FCO", r"block.sum_CCU2C_S0\$CCU2_COMB1/FCI", 0),
        (r"block.sum_CCU2C_S0\$CCU2_COMB1/F", "block.b_TRELLIS_FF_Q_1/DI", 100),
        ("block.b_TRELLIS_FF_Q_1/Q", "block.b_TRELLIS_FF_Q/DI", 700),
        ("block.b_TRELLIS_FF_Q_1/Q", r"\$nextpnr_LUT4_3/A", 10),
        (r"\$nextpnr_LUT4_3/F", "block.part.c_TRELLIS_FF_Q/DI", 10),
        ("pad/O", "block.part.d_TRELLIS_FF_Q/DI", 9000),
    )
    + "".join(map(register, ("block.a_TRELLIS_FF_Q", "block.b_TRELLIS_FF_Q", "block.b_TRELLIS_FF_Q_1")))
    + "".join(map(register, ("block.part.c_TRELLIS_FF_Q", "block.part.d_TRELLIS_FF_Q")))
    + cell("block.sum_LUT4_Z", ("A", "F", 200), ("B", "F", 900))
    + cell(r"block.sum_CCU2C_S0\$CCU2_COMB0", ("A", "FCO", 350))
    + cell(r"block.sum_CCU2C_S0\$CCU2_COMB1", ("FCI", "F", 50))
    + cell(r"\$nextpnr_LUT4_3", ("A", "F", 20))
)


def test_the_slowest_way_counts() -> None:
    """Of two inputs the later one, of two bits of a word the slower one; a pad, which no clock drives, begins no path."""
    first, second = timing_paths.slowest(SDF, 5)
    # 400 from the clock, by B at 600 + 900 or by A at 1400 + 200, then 500 + 350, 50, 100 and 100 of setup.
    assert first.ns == pytest.approx(2.7)
    assert first.mhz == pytest.approx(1000 / 2.7)
    assert [(step.signal, step.at_ps) for step in first.steps] == [
        ("a", 400),
        ("sum", 1600),
        ("sum", 2450),
        ("sum", 2500),
        ("b", 2700),
    ]
    assert [step.wire_ps for step in first.steps] == [0, 1000, 500, 0, 100]
    assert first.levels == 2  # the two cells of the carry chain are one
    assert [step.signal for step in second.steps] == [
        "b",
        "b",
        "part.c",
    ]  # what nextpnr put in is called after what is before it
    assert second.ns == pytest.approx(0.54)
    assert len(timing_paths.slowest(SDF, 1)) == 1


VERILOG = """\
module sluice_tile_red (
);
  sluice_tile_red_DescriptorRing descriptorRing (
  );
  sluice_tile_red_RedCore core (
  );
endmodule
module sluice_tile_red_DescriptorRing (
);
endmodule
module sluice_tile_red_RedCore (
);
endmodule
"""


@pytest.mark.parametrize(
    ("signal", "declaration"),
    [
        ("descriptorRing.addresses_filled_payload[3]", "val filled = Stream(UInt(log2Up(depth) bits))"),
        ("descriptorRing.fetch_rValid", "val fetch = addresses.filled.s2mPipe()"),
        ("core.stage20_spacing_TOTAL", "val TOTAL = "),
        ("core.stage19_onJudge_IS_ACTIVE", "val IS_ACTIVE = Payload(Bool())"),
        ("core._zz_spacing_keptDraw_2", "keptDraw"),
        ("core.decay_onTable_table", "val table"),
        ("onVerdict_admission_ofBytes_fits", "val fits"),
        ("core._zz_1", "class RedCore("),
    ],
)
def test_a_signal_has_its_line(signal: str, declaration: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Through modules, areas and classes, as far as the name leads."""
    monkeypatch.setenv("SLUICE_ROOT", str(ROOT))
    place = ScalaLines(VERILOG, "sluice_tile_red").place(signal)
    assert place is not None
    assert declaration in place.file.read_text().splitlines()[place.line - 1]


def test_a_signal_of_nothing_that_is_known_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLUICE_ROOT", str(ROOT))
    assert ScalaLines("module other (\n);\n  other_Nothing part (\n", "other").place("part.signal") is None


def test_paths_are_shown(
    sluice: Callable[..., tuple[int, str, str]], project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of the seed of the median rate, in the order of their slowness, and without a row in the table."""
    (project / "build/rtl/red/sluice_tile_red.sv").write_text(VERILOG)

    def placements(*_: Any, has_delays: bool) -> list[synthesis.Placed]:
        assert has_delays
        runs = []
        for rate, text in ((300, ""), (370, SDF), (400, "")):
            runs.append(synthesis.Placed(rate, project / f"{rate}.sdf"))
            runs[-1].delays.write_text(text)
        return runs

    monkeypatch.setattr(synthesis, "area", lambda *_: dict.fromkeys(("lut", "carry", "ff", "bram", "dsp"), 1))
    monkeypatch.setattr(synthesis, "placements", placements)
    monkeypatch.setattr(synthesis, "tool_versions", lambda _: {"yosys": "0.70", "nextpnr": "0.11"})
    monkeypatch.setattr(results_table, "merge_row", lambda *_: pytest.fail("a row was written"))
    file = project / "red.json"
    status, out, err = sluice("synth", "red", "--seeds", "3", "--paths", "2", "--json", str(file))
    assert status == 0, err
    assert "1: 2.70 ns, 370.4 MHz, 2 levels of logic, 59 % wire" in " ".join(out.split())
    slowest, second = json.loads(file.read_text())["paths"]
    assert [step["signal"] for step in slowest["steps"]] == ["a", "sum", "b"]
    assert slowest["steps"][1] == {"signal": "sum", "at_ns": 2.5, "logic_ns": 0.6, "wire_ns": 1.5, "scala": ""}
    assert second["mhz"] < 2000


def test_a_path_of_others_too_is_known_by_its_ends(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of designs that were looked at, as long as their RTL is the same."""
    monkeypatch.setenv("COLUMNS", "200")
    names = ("red", "codel", "pie", "blue")
    made = {name: Design(name, name, project / f"{name}.sv", {}, 1) for name in names}
    for name in names:
        (project / f"{name}.sv").write_text(f"module {name};\nendmodule\n")
    monkeypatch.setattr(designs, "load", lambda: made)
    common, own, unknown = (
        path(*ends) for ends in (("Ticker.scala:5", "Time.scala:9"), ("A.scala:1", "B.scala:2"), ("", ""))
    )
    for name in ("codel", "blue"):
        common_paths.keep(made[name], "ecp5", [common, unknown])
    common_paths.keep(made["pie"], "ecp5", [own])
    (project / "blue.sv").write_text("module blue;\n  wire other;\nendmodule\n")
    made["blue"] = Design("blue", "blue", project / "blue.sv", {}, 1)
    synth._print_paths(made["red"], "ecp5", [common, unknown])
    out = capsys.readouterr().out
    assert out.count("that were looked at") == 1
    assert "in 1 of 2 others that were looked at: codel" in out
    assert set(common_paths.looked_at("ecp5")) == {"codel", "pie"}


def path(first: str, last: str) -> dict[str, Any]:
    """A path from one line of Scala to another."""
    steps = [{"signal": "s", "at_ns": 1, "logic_ns": 1, "wire_ns": 0, "scala": scala} for scala in (first, last)]
    return {"ns": 1, "mhz": 1000, "levels": 0, "wire_percent": 0, "steps": steps}


@pytest.mark.parametrize(
    "arguments", [("red", "--seeds", "0"), ("red", "--target", "nexus", "--seeds", "0"), ("--all",)]
)
def test_paths_are_of_what_is_placed(sluice: Callable[..., tuple[int, str, str]], arguments: tuple[str, ...]) -> None:
    status, _, err = sluice("synth", *arguments, "--paths", "2")
    assert (status, len(err.splitlines())) == (2, 1)
    assert "--paths" in err
