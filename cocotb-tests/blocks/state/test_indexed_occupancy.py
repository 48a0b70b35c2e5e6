# SPDX-License-Identifier: Apache-2.0
"""Occupancies by index: everything in every clock and of one index, few or many, and resets in any distance."""

from __future__ import annotations

import numpy as np
import pytest
from lib.broken import Fault
from lib.player import Player
from lib.simulation import RTL

from sluice_golden.blocks.indexed_occupancy import IndexedOccupancy

DEPTH, WIDTH, AMOUNT_BITS, LATENCY, LOOK_UPS = 64, 12, 4, 10, 2
SOURCE = RTL / "blocks" / "sluice_block_indexed_occupancy.sv"
ROWS = 40_000
FLOWS = ("added", "removed_0", "removed_1")
# What is looked up, and where the answer comes: of an arrival, say, and of all that changes.
LOOKS = (
    *(
        (f"io_lookUp_{number}_valid", f"io_lookUp_{number}_payload", f"io_occupancy_{number}")
        for number in range(LOOK_UPS)
    ),
    *((f"io_{flow}_valid", f"io_{flow}_payload_index", f"io_changed_{number}") for number, flow in enumerate(FLOWS)),
)
FAULTS = (
    Fault(
        "indexed_occupancy",
        "occupancy-not-rewritten",
        r"(removed_1_taken_valid) \|\| resets_isFresh",
        r"\1",
        within=ROWS,
    ),
    Fault(
        "indexed_occupancy",
        "occupancy-reset-unnumbered",
        r"(resets_generation_number <= ).*;",
        r"\1resets_generation_number;",
        within=ROWS,
    ),
    Fault(
        "indexed_occupancy",
        "occupancy-reset-numbered-twice",
        r"\(resets_generation_isUsed \|\| resets_isFreshWritten\)",
        "1'b1",
        within=ROWS,
    ),
    Fault(
        "indexed_occupancy",
        "occupancy-without-last-write",
        r"(assign added_words_values_0 = )\(.*\) \?",
        r"\g<1>(1'b0 ?",
        within=ROWS,
    ),
)


def stimulus(
    rng: np.random.Generator, rows: int, indexes: int, duty: float, resets: float, looks: float = 1.0
) -> dict[str, np.ndarray]:
    """Changes and look-ups of so many indexes. `duty`, `looks`: shares of clocks with one of each change, with a look-up;
    `resets`: that begin a reset."""
    known = rng.permutation(DEPTH)[:indexes]
    given = {
        "rst": np.convolve(rng.random(rows) < resets, np.ones(rng.integers(1, 4)), "same") > 0,
    }
    for number in range(LOOK_UPS):
        given[f"io_lookUp_{number}_valid"] = rng.random(rows) < looks
        given[f"io_lookUp_{number}_payload"] = rng.choice(known, rows)
    for flow in FLOWS:
        given[f"io_{flow}_valid"] = rng.random(rows) < duty
        given[f"io_{flow}_payload_index"] = rng.choice(known, rows)
        given[f"io_{flow}_payload_amount"] = rng.integers(0, 1 << AMOUNT_BITS, rows)
    return {name: column.astype(np.uint32) for name, column in given.items()}


def expected(given: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """In which rows an occupancy of each look-up is due, and which."""
    rows = len(given["rst"])
    is_due = np.zeros((len(LOOKS), rows + LATENCY), dtype=bool)
    values = np.zeros((len(LOOKS), rows + LATENCY), dtype=np.int64)
    columns = {name: column.tolist() for name, column in given.items()}
    model = IndexedOccupancy(WIDTH)
    for row in range(rows):
        if columns["rst"][row]:
            model = IndexedOccupancy(WIDTH)
            is_due[:, row + 1 : row + LATENCY] = False
            continue
        for number, (valid, index, _) in enumerate(LOOKS):
            if columns[valid][row]:
                is_due[number, row + LATENCY] = True
                values[number, row + LATENCY] = model.look_up(columns[index][row])
        changes = [
            (columns[f"io_{flow}_payload_index"][row], columns[f"io_{flow}_payload_amount"][row])
            if columns[f"io_{flow}_valid"][row]
            else None
            for flow in FLOWS
        ]
        model.change(changes[0], changes[1:])
    return is_due[:, :rows], values[:, :rows]


def first_wrong(player: Player, given: dict[str, np.ndarray]) -> int | None:
    """The first row in which an occupancy is missing, not due or not the model's."""
    seen = player.play(given)
    is_due, values = expected(given)
    assert is_due[:LOOK_UPS].sum(axis=1).min() > 1000
    assert is_due.any(axis=1).all()
    wrong = np.zeros(len(given["rst"]), dtype=bool)
    for (_, _, answer), due, value in zip(LOOKS, is_due, values, strict=True):
        wrong |= seen[f"{answer}_valid"] != due
        wrong |= due & (seen[f"{answer}_payload"] != value)
    wrong[given["rst"] > 0] = False  # a reset shows in the clock after it
    return int(wrong.argmax()) if wrong.any() else None


@pytest.mark.parametrize(
    ("indexes", "duty", "resets", "looks"),
    [
        *((1, 1.0, 0.001, 1.0), (2, 1.0, 0.001, 1.0), (2, 0.5, 0.02, 0.5), (5, 0.8, 0.1, 1.0)),
        *((64, 1.0, 0.0005, 1.0), (64, 0.01, 0.05, 1.0), (64, 1.0, 0.1, 1.0)),
    ],
)
def test_every_look_up(indexes: int, duty: float, resets: float, looks: float) -> None:
    given = stimulus(np.random.default_rng(indexes), ROWS, indexes, duty, resets, looks)
    assert first_wrong(Player(SOURCE), given) is None


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_is_noticed(fault: Fault) -> None:
    """With few changes, and so many resets that their numbers come again; or with many of both."""
    player = fault.player(SOURCE)
    rng = np.random.default_rng(1)
    stimuli = (stimulus(rng, ROWS, 64, 0.01, 0.05), stimulus(rng, ROWS, 5, 0.8, 0.01))
    assert any(first_wrong(player, given) is not None for given in stimuli)
