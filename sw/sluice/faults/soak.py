# SPDX-License-Identifier: Apache-2.0
"""Very many arrivals through one bare Verilated tile, against what holds for every tile at all times.

The program is `sim/model/soak`. Counters and the counts of what is queued are public in it, so that counters can begin right
below their wraps, and that a test can invert a bit of them.
"""

from __future__ import annotations

import datetime
import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sluice.faults.upsets import program
from sluice.faults.upsets import taps as finder
from sluice.hardware import catalog, rtl_digest
from sluice.hardware.registers import RegisterMap
from sluice.support import paths, results_table
from sluice.support.errors import UserError

GOAL = 5_000_000_000
"""Arrivals in all that docs/trust/soak.md counts towards."""

_PUBLIC = re.compile(r"onVerdict_(accountant_(common|inQueue|byReason)_\d+|admission_of\w+_taken)")
_COUNTER_BITS = 48
_KEY = ("config", "seed")


@dataclass(frozen=True)
class Upset:
    """A bit that is inverted once, behind so many arrivals: what a test shows the invariants."""

    register: str
    bit: int
    arrival: int


@dataclass(frozen=True)
class Outcome:
    """What came of a soak."""

    broken: str
    """The first invariant that did not hold; empty: all did."""
    counts: dict[str, float]
    """By name: clocks, arrivals, accepted packets, resets, checks in quiet moments and in traffic, counters that passed 2^32 and
    2^48, and seconds of processor time."""

    @property
    def rate(self) -> float:
        """Arrivals in a second of processor time."""
        return self.counts["arrivals"] / max(self.counts["seconds"], 1e-3)


def table() -> Path:
    """Where rows are kept."""
    return paths.root() / "cocotb-tests" / "results" / "soak.csv"


def run(
    config: str,
    arrivals: int,
    seed: int,
    progress: Callable[[int], None] = lambda _: None,
    upset: Upset | None = None,
) -> Outcome:
    """A soak of that many arrivals, or to the first invariant that does not hold."""
    found = catalog.load().config(config)
    if "queue1_limit" in RegisterMap.load(paths.made(paths.register_map(found.name))).parameters:
        raise UserError(f"{config} has several queues; a soak is of a tile with one")
    tile = program.Subject.tile(found.name)
    public = [tap for tap in finder.find(tile.verilog) if _is_public(tap)]
    folder = paths.build() / "soak" / found.name
    made = program.build(paths.root() / "sim" / "model" / "soak" / "soak.cc", tile, public, folder)
    command = [str(made), str(folder / "taps.txt"), str(arrivals), str(seed)]
    command += [upset.register, str(upset.bit), str(upset.arrival)] if upset else []
    last, said = "", ""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        for line in process.stdout:
            if line.startswith("progress "):
                progress(int(line.split()[1]))
            else:
                last, said = said, line.strip()
    if process.returncode:
        raise UserError(f"the soak of {config} ended with status {process.returncode}")
    words = said.split()
    counts = {name: float(value) for name, value in zip(words[::2], words[1::2], strict=True)}
    return Outcome(last.removeprefix("broken ") if last.startswith("broken ") else "", counts)


def _is_public(tap: finder.Tap) -> bool:
    is_counter = "accountant" in tap.name
    return bool(_PUBLIC.fullmatch(tap.name)) and (not is_counter or tap.bits == _COUNTER_BITS)


def keep(config: str, seed: int, outcome: Outcome) -> bool:
    """Put a row into the table, unless there is one of the same RTL with more arrivals; whether that was done."""
    digest = rtl_digest.digest(paths.tile_verilog(config).read_text())
    counts = {name: str(int(value)) for name, value in outcome.counts.items()}
    row: dict[str, Any] = {
        "config": config,
        "seed": seed,
        "rtl": digest,
        "date": datetime.date.today().isoformat(),
        **counts,
        "rate": int(outcome.rate),
        "broken": outcome.broken,
    }
    for old in results_table.read(table()):
        is_same = (old["config"], old["seed"], old["rtl"]) == (config, str(seed), digest)
        if is_same and not outcome.broken and int(old["arrivals"]) > int(counts["arrivals"]):
            return False
    results_table.merge_row(table(), row, key=_KEY)
    return True
