# SPDX-License-Identifier: Apache-2.0
"""Frames that are dropped and marked in the queue, through witnesses, which do so at random.

The model is driven from C++, which also refuses beats that are not full and frames that are torn.
"""

from __future__ import annotations

import random

import numpy as np
import pytest
from datapath.frames import udp
from datapath.reference import marked
from datapath.replaying import replay
from lib.simulation import registers

from sluice.packets.datapath import ACTIONS, Link

UNLIMITED, SLOW = Link(0, 0, 64), Link(80, 24, 64)
SIZES = (60, 60, 61, 64, 200, 576, 1500, 9000)


def frames(count: int, seed: int) -> list[bytes]:
    """Some, of which half may be marked."""
    rng = random.Random(seed)
    return [udp(rng, rng.choice(SIZES), ecn=rng.choice((0, 0, 1, 2, 3))) for _ in range(count)]


def codes(name: str, where: str) -> set[int]:
    """Codes of the reasons that are given at the arrival, at the head or in the queue."""
    return {r["code"] for r in registers(name)["reasons"] if r["name"].startswith(where)}


@pytest.mark.parametrize("name", ["head-witness-64", "head-witness-512", "out-witness-64"])
@pytest.mark.parametrize(("link", "gap_ns"), [(UNLIMITED, 0), (UNLIMITED, 1500), (SLOW, 0), (SLOW, 60_000)])
def test_what_is_dropped_leaves_no_beat(name: str, link: Link, gap_ns: int) -> None:
    """What is kept leaves byte for byte, with CE where it was marked, and the table says which frame met what, and why."""
    sent = frames(1000, seed=gap_ns)
    outcome, left = replay(name, link, {}, sent, gap_ns)
    actions = [ACTIONS[action] for action in outcome.seen["action"]]
    for before, after, action, departure in zip(sent, left, actions, outcome.departure_ns, strict=True):
        expected = {"pass": before, "drop": bytes(len(before))}.get(action) or marked(before)
        assert after == expected, before.hex()
        assert (departure == 0) == (action == "drop")
    departures = outcome.departure_ns[outcome.departure_ns > 0]
    assert (np.diff(departures.astype(np.int64)) > 0).all(), "in order"
    where = "Head" if name.startswith("head") else "Pushed out"
    if gap_ns == 0 or where == "Head":  # nothing waits to be thrown out where frames come one by one
        assert np.isin(outcome.seen["reason"], list(codes(name, where))).sum() > 20


@pytest.mark.parametrize("name", ["head-witness-64", "head-witness-512"])
def test_jumps_of_time_change_nothing(name: str) -> None:
    """What a clock shows that never jumps: all that the witness hears, with its time, decides what becomes of frames."""
    sent = frames(300, seed=1)
    for gap_ns in (0, 400, 2000, 4000, 20_000):
        steady, jumping = (replay(name, UNLIMITED, {}, sent, gap_ns, is_steady)[0] for is_steady in (True, False))
        assert (steady.seen == jumping.seen).all(), f"{gap_ns} ns apart"
        assert (steady.departure_ns == jumping.departure_ns).all()
        assert jumping.clocks <= steady.clocks
