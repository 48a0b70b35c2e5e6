# SPDX-License-Identifier: Apache-2.0
"""The RTL parser and the option of the round-trip time against their golden models on frames that are bred towards every way
through these."""

from __future__ import annotations

import random

import numpy as np
from datapath.frames.guided import guided
from datapath.frames.made import capture_of
from datapath.frames.packets import random_packet
from datapath.frames.rtt_options import damaged, made
from datapath.replaying import model_of
from datapath.test_parser import as_model

from sluice.packets.datapath import RTT_OPTIONS

DATAPATH = "out-witness-64"
"""Has both."""

FRAMES = 6000
ANCESTORS = 40
"""Of each kind."""


def test_parser_and_option() -> None:
    """Every field of every frame, and the time that the core is told."""
    rng = random.Random(7)
    ancestors = [make(rng) for _ in range(ANCESTORS) for make in (random_packet, lambda r: made(r).frame, damaged)]
    bred = list(guided(rng, ancestors, FRAMES))
    model, driver = model_of(DATAPATH)
    driver.configure({"rtt_source": 0})
    frames = [frame for frame, _, _ in bred]
    times = np.zeros(len(frames), np.uint64)
    seen = model.replay(capture_of(frames), times, lambda _: None).seen
    model.close()
    for row, (frame, parsed, told) in zip(seen, bred, strict=True):
        assert as_model(row) == parsed, frame.hex()
        assert (RTT_OPTIONS[row["rtt_option"]], int(row["rtt_us"])) == told, frame.hex()
    young = bred[len(ancestors) :]
    assert len({parsed.outcome for _, parsed, _ in young}) == len({parsed.outcome for _, parsed, _ in bred})
