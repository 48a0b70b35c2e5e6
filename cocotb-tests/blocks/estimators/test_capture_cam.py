# SPDX-License-Identifier: Apache-2.0
"""The content-addressable list of captures against a list that is searched from end to end."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from blocks.estimators.capture_streams import levels, steps
from lib.player import Player
from lib.simulation import RTL

from sluice_golden.blocks.estimators.capture import CaptureList, CaptureWindow

CAPACITY, WINDOW = 24, 20
LATENCY, WINDOW_LATENCY = 8, 6
FIELDS = ["isCaptured", "isCut", "isScrub", "isFirst", "isLast", "count", "rank"]


@pytest.mark.parametrize(("flows", "p_cap", "duty"), [(6, 1.0, 1.0), (30, 0.5, 0.7), (3, 0.05, 1.0), (1, 1.0, 0.5)])
def test_counts_and_changes(flows: int, p_cap: float, duty: float) -> None:
    stream = steps(np.random.default_rng(flows), 15_000, (CAPACITY, WINDOW), 8, flows, p_cap, duty)
    player = Player(RTL / "blocks" / "sluice_block_capture_cam.sv")
    seen = {name: column.tolist() for name, column in player.play(levels(stream)).items()}

    last_reset = max((c for c, step in enumerate(stream) if step.is_reset), default=0)
    resets = [c for c, step in enumerate(stream) if step.is_reset]
    captures, window = CaptureList(), CaptureWindow()
    walked: list[int] = []
    checked = walks = 0
    for c, step in enumerate(stream[: -2 * LATENCY]):
        if step.is_reset:
            captures, window, walked = CaptureList(), CaptureWindow(), []
            continue
        if any(c <= r < c + LATENCY for r in resets):
            continue  # its answer is lost; what it did to the list is lost with it
        change = {f: seen[f"io_window_payload_{f}"][c + WINDOW_LATENCY] for f in FIELDS}
        before = list(window.counter.seen)
        changed = False
        if step.is_valid:
            captures.arrive(step.flow, step.is_captured, step.limits[0])
            changed = window.arrive(step.flow, step.is_captured, step.limits[1])
            assert seen["io_count_valid"][c + LATENCY]
            assert seen["io_count_payload"][c + LATENCY] == captures.count(step.flow)
            checked += 1
        counter = window.counter
        after = list(before)
        if change["isCut"] and change["rank"] < len(after):
            after[change["rank"]] -= 1
        if change["isCaptured"] and change["count"] <= len(after):
            after[change["count"] - 1] += 1
        assert after == counter.seen, f"cycle {c}: {change}"
        assert changed == bool(change["isCut"] or change["isCaptured"])
        if changed or change["isFirst"]:
            walked = []
        if change["isScrub"] and not changed:
            walked.append(change["rank"])
            if change["isLast"] and len(walked) == len(window):
                counted = Counter(walked)
                assert [counted[k] for k in range(len(counter.seen))] == counter.seen
                walks += 1
    assert checked > 5_000 or duty < 1
    assert walks > 0 or p_cap == 1.0
    assert last_reset > 0
