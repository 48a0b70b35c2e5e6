# SPDX-License-Identifier: Apache-2.0
"""Counts that look-ups raise and other events clear: each in every clock, of one index or many; as many clearings between two
look-ups as there are rounds; resets. `isRaised` says anything where nothing is looked up."""

from __future__ import annotations

import numpy as np
import pytest
from lib.broken import Fault
from lib.player import Player
from lib.simulation import RTL

SOURCE = RTL / "blocks" / "sluice_block_cleared_count.sv"
DEPTH, MOST, ROUNDS, LATENCY, ROWS = 16, 2, 16, 8, 30_000
FAULTS = (
    Fault("cleared_count", "count-not-cleared", r"(assign isOfRound = ).*;", r"\g<1>1'b1;", within=ROWS),
    Fault("cleared_count", "count-without-end", r" && \(io_count != 2'b10\)", "", within=ROWS),
)


def stimulus(
    rng: np.random.Generator, indexes: int, duty: float, clears: float, resets: float
) -> dict[str, np.ndarray]:
    known = rng.permutation(DEPTH)[:indexes]
    given = {
        "rst": rng.random(ROWS) < resets,
        "io_lookUp_valid": rng.random(ROWS) < duty,
        "io_lookUp_payload": rng.choice(known, ROWS),
        "io_isRaised": rng.random(ROWS) < 0.7,
        "io_cleared_valid": rng.random(ROWS) < clears,
        "io_cleared_payload": rng.choice(known, ROWS),
    }
    # The round of an index must not come again before it is looked up.
    since = [0] * DEPTH
    for row in range(ROWS):
        if given["io_lookUp_valid"][row]:
            since[given["io_lookUp_payload"][row]] = 0
        if given["io_cleared_valid"][row]:
            cleared = given["io_cleared_payload"][row]
            since[cleared] += 1
            if since[cleared] == ROUNDS:
                given["io_cleared_valid"][row] = False
                since[cleared] -= 1
    return {name: column.astype(np.uint32) for name, column in given.items()}


def expected(given: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """In which rows a count is due, and which. A look-up raises if its answer finds `isRaised`."""
    columns = {name: column.tolist() for name, column in given.items()}
    is_due, found, counts = np.zeros(ROWS, dtype=bool), np.zeros(ROWS, dtype=np.int64), [0] * DEPTH
    for row in range(ROWS - LATENCY):
        if columns["rst"][row]:
            counts = [0] * DEPTH
            is_due[row : row + LATENCY] = False
            continue
        if columns["io_lookUp_valid"][row]:
            index = columns["io_lookUp_payload"][row]
            is_due[row + LATENCY], found[row + LATENCY] = True, counts[index]
            counts[index] = min(MOST, counts[index] + columns["io_isRaised"][row + LATENCY])
        if columns["io_cleared_valid"][row]:
            counts[columns["io_cleared_payload"][row]] = 0
    return is_due, found


def is_right(player: Player, given: dict[str, np.ndarray]) -> bool:
    is_due, found = expected(given)
    assert set(found[is_due]) == set(range(MOST + 1))
    return bool((player.play(given)["io_count"] == found)[is_due].all())


@pytest.mark.parametrize(
    ("indexes", "duty", "clears", "resets"),
    [(1, 1.0, 0.3, 0.001), (2, 0.9, 0.2, 0.01), (16, 1.0, 0.1, 0.0005), (16, 0.5, 1.0, 0.0), (16, 0.9, 0.05, 0.05)],
)
def test_every_look_up(indexes: int, duty: float, clears: float, resets: float) -> None:
    assert is_right(Player(SOURCE), stimulus(np.random.default_rng(indexes), indexes, duty, clears, resets))


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_is_noticed(fault: Fault) -> None:
    assert not is_right(fault.player(SOURCE), stimulus(np.random.default_rng(1), 2, 0.9, 0.2, 0.0))
