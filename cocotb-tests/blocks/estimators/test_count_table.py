# SPDX-License-Identifier: Apache-2.0
"""The counters by fingerprint: the model's counts always, the list's own counts as long as no fingerprints collide."""

from __future__ import annotations

import numpy as np
import pytest
from blocks.estimators.capture_streams import levels, steps
from lib.player import Player
from lib.simulation import RTL

from sluice_golden.blocks.estimators.capture import CaptureList

CAPACITY, FINGERPRINT_BITS, LATENCY = 24, 9, 7


@pytest.mark.parametrize(
    ("flows", "p_cap", "duty"), [(4, 1.0, 1.0), (1, 1.0, 1.0), (20, 0.5, 0.7), (2_000, 1.0, 1.0), (6, 0.05, 0.9)]
)
def test_counts(flows: int, p_cap: float, duty: float) -> None:
    rng = np.random.default_rng(flows)
    stream = steps(rng, 20_000, (CAPACITY, CAPACITY), 8, flows, p_cap, duty)
    player = Player(RTL / "blocks" / "sluice_block_count_table.sv")
    seen = {name: column.tolist() for name, column in player.play(levels(stream)).items()}

    resets = [c for c, step in enumerate(stream) if step.is_reset]
    assert resets
    by_fingerprint, by_flow = CaptureList(FINGERPRINT_BITS), CaptureList()
    mask = (1 << FINGERPRINT_BITS) - 1
    is_distinct = len({step.flow & mask for step in stream}) == len({step.flow for step in stream})
    for c, step in enumerate(stream[:-LATENCY]):
        if step.is_reset:
            by_fingerprint, by_flow = CaptureList(FINGERPRINT_BITS), CaptureList()
        if not step.is_valid:
            continue
        for captures in (by_fingerprint, by_flow):
            captures.arrive(step.flow, step.is_captured, step.limits[0])
        if any(c <= r < c + LATENCY for r in resets):
            continue
        count = seen["io_count_payload"][c + LATENCY]
        assert seen["io_count_valid"][c + LATENCY]
        assert count == by_fingerprint.count(step.flow), f"cycle {c}"
        assert count == by_flow.count(step.flow) or not is_distinct
    assert is_distinct or flows > 10
