# SPDX-License-Identifier: Apache-2.0
"""Occupancies in memories that are read within a clock: changes of each kind in every clock, of few indices or many; resets."""

from __future__ import annotations

import numpy as np
import pytest
from lib.broken import Fault
from lib.player import Player
from lib.simulation import RTL

from sluice_golden.blocks.indexed_occupancy import IndexedOccupancy

SOURCE = RTL / "blocks" / "sluice_block_small_occupancy.sv"
WORDS, WIDTH, ROWS = 16, 6, 20_000
WRITTEN_AT = 2  # clocks after which a change is seen; the look-up's register is one more of them
LATENCY = 3
SWEPT = WORDS + 2  # clocks from a reset in which nothing comes
FAULTS = (
    Fault(
        "small_occupancy",
        "small-occupancy-changed-once-in-two-clocks",
        r"(_zz_\d+ <= \(_zz_\d+ )&& \(io_\w+_payload == _zz_\d+\)\)",
        r"\1&& (0 == 1))",
        within=ROWS,
    ),
    Fault("small_occupancy", "small-occupancy-not-swept", r"(_zz_\d+) <= 6'h0;", r"\1 <= \1 + 6'h01;", within=ROWS),
)


def stimulus(rng: np.random.Generator, indexes: int, duty: float, resets: float) -> dict[str, np.ndarray]:
    known = rng.permutation(WORDS)[:indexes]
    is_reset = rng.random(ROWS) < resets
    is_swept = np.convolve(is_reset, np.ones(SWEPT))[:ROWS] > 0
    given = {"rst": is_reset, "io_lookUp": rng.choice(known, ROWS)}
    for change in ("added", "removed"):
        given[f"io_{change}_valid"] = (rng.random(ROWS) < duty) & ~is_swept
        given[f"io_{change}_payload"] = rng.choice(known, ROWS)
    for column in given.values():
        column[:SWEPT] = 0
    return {name: column.astype(np.uint32) for name, column in given.items()}


def expected(given: dict[str, np.ndarray]) -> np.ndarray:
    """What each row's look-up finds."""
    columns = {name: column.tolist() for name, column in given.items()}
    model, found = IndexedOccupancy(WIDTH), np.zeros(ROWS, dtype=np.int64)
    for row in range(ROWS):
        seen = row - WRITTEN_AT
        if seen >= 0:
            added, removed = (
                (columns[f"io_{change}_payload"][seen], 1) if columns[f"io_{change}_valid"][seen] else None
                for change in ("added", "removed")
            )
            model.change(added, (removed,))
        if any(columns["rst"][max(0, seen) : row + 1]):
            model = IndexedOccupancy(WIDTH)
        found[row] = model.look_up(columns["io_lookUp"][row])
    return found


def is_right(player: Player, given: dict[str, np.ndarray]) -> bool:
    """Where no reset comes while a look-up is under way."""
    seen = player.play(given)["io_occupancy"]
    counts = np.convolve(given["rst"], np.ones(LATENCY + WRITTEN_AT))[:ROWS] == 0
    counts[:LATENCY] = False
    return bool((seen == np.roll(expected(given), LATENCY))[counts].all())


@pytest.mark.parametrize(
    ("indexes", "duty", "resets"), [(1, 0.9, 0.001), (2, 0.9, 0.01), (16, 1.0, 0.002), (16, 0.1, 0.05)]
)
def test_every_look_up(indexes: int, duty: float, resets: float) -> None:
    given = stimulus(np.random.default_rng(indexes), indexes, duty, resets)
    assert expected(given).max() > 3
    assert is_right(Player(SOURCE), given)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_is_noticed(fault: Fault) -> None:
    assert not is_right(fault.player(SOURCE), stimulus(np.random.default_rng(1), 2, 0.9, 0.01))
