# SPDX-License-Identifier: Apache-2.0
"""The frequencies of a window, change by change, and how the scrubber puts upset counters right."""

from __future__ import annotations

import numpy as np
from lib.player import Player
from lib.simulation import RTL

from sluice_golden.blocks.estimators.frequency import FrequencyCounter

FIELDS = ["isCaptured", "isCut", "isScrub", "isFirst", "isLast", "count", "rank"]
LATENCY = 2


def scrub(ranks: list[int]) -> list[dict[str, int]]:
    return [
        {"isScrub": 1, "rank": rank, "isFirst": int(i == 0), "isLast": int(i == len(ranks) - 1)}
        for i, rank in enumerate(ranks)
    ]


def test_changes_upsets_and_scrubbing() -> None:
    rng = np.random.default_rng(1)
    model = FrequencyCounter()
    rows: list[dict[str, int]] = []
    expected: list[tuple[int, ...]] = []

    def add(row: dict[str, int]) -> None:
        rows.append(row)
        expected.append((*model.frequencies, model.distinct))

    # A window of 64 captures, as ids; the changes of each removal and capture in one clock.
    window: list[int] = []
    for _ in range(20_000):
        row = {}
        if len(window) == 64 or (window and rng.random() < 0.2):
            oldest = window.pop(0)
            rank = window.count(oldest)
            row |= {"isCut": 1, "rank": min(rank, 7)}
            model.remove(rank)
        if rng.random() < 0.8:
            window.append(int(rng.integers(0, 30) ** 2 // 30))
            row |= {"isCaptured": 1, "count": window.count(window[-1])}
            model.capture(row["count"])
        add(row)

    # Captures that never were stand for an upset; the next whole walk over the window ends it, a broken one does not.
    truth = list(model.seen)
    for count in (1, 1, 3, 6):
        model.capture(count)
        add({"isCaptured": 1, "count": count})
    ranks = [min(window[i + 1 :].count(flow), 7) for i, flow in enumerate(window)]
    for row in [*scrub(ranks)[:-1], *scrub(ranks)]:
        if row["isLast"]:
            model.recount(ranks)
        add(row)
    assert model.seen == truth

    stimulus = {f"io_change_{f}": np.array([row.get(f, 0) for row in rows] + [0] * LATENCY) for f in FIELDS}
    outputs = [*(f"io_frequencies_f_{i}" for i in range(5)), "io_frequencies_distinct"]
    seen = Player(RTL / "blocks" / "sluice_block_frequency_counter.sv").play(stimulus)
    table = np.stack([seen[name][LATENCY:] for name in outputs], axis=1)
    wrong = np.flatnonzero((table != np.array(expected)).any(axis=1))
    assert not wrong.size, f"{wrong.size} times, first after change {wrong[0]}"
