# SPDX-License-Identifier: Apache-2.0
"""A datapath at line rate: where a minimum-size frame is one beat, one comes in and one leaves in every clock.

The model is driven from C++, clock by clock: a hundred thousand frames are seconds there.
"""

from __future__ import annotations

import os
import random

import numpy as np
import pytest
from datapath.frames.made import capture_of
from datapath.frames.sized import udp

from sluice.hardware.datapaths import find
from sluice.hardware.registers import RegisterMap, TileDriver
from sluice.packets.datapath import ACTIONS, Datapath

FRAMES = 100_000
KINDS = 500
PERIOD_NS = 4
SMALLEST = 60
ROOM = {"min": 500, "max": 900}
"""Thresholds of RED above the few frames that are always on their way through at this rate: they are no queue."""
NAMES = ["red-512", "red-1024"] if os.environ.get("SLUICE_WIDTHS") == "all" else ["red-512"]


@pytest.mark.parametrize("name", NAMES)
def test_minimum_frames_without_a_bubble(name: str) -> None:
    """Every clock takes a frame, every clock lets one out, and none is dropped or changed."""
    chosen = find(name)
    model = Datapath(chosen.library)
    driver = TileDriver(model, RegisterMap.load(chosen.register_map))
    driver.configure(ROOM)
    rng = random.Random(1)
    kinds = [udp(rng, SMALLEST) for _ in range(KINDS)]
    capture = capture_of([rng.choice(kinds) for _ in range(FRAMES)])
    outcome = model.replay(capture, np.zeros(FRAMES, np.uint64), lambda _: None)
    counters = driver.snapshot()
    model.close()
    assert (np.diff(outcome.entry_ns) == PERIOD_NS).all(), "the input never waits"
    assert (np.diff(outcome.departure_ns) == PERIOD_NS).all(), "no bubble at the output"
    assert (outcome.seen["action"] == ACTIONS.index("pass")).all()
    assert np.array_equal(outcome.output, capture.data)
    assert counters["input_frames"] == counters["output_frames"] == FRAMES
    assert counters["held_frames"] == 0
