# SPDX-License-Identifier: Apache-2.0
"""The model of CHOKe's share, against a queue that is played."""

from __future__ import annotations

import math
import random

import pytest

from sluice.experiments.papers.choke import _model, share


def test_chokes_model_has_the_published_peak() -> None:
    """Tang, Wang and Low: the share is at most 1/(e + 1), at a load of (2 e - 1)/(e + 1), and vanishes beyond."""
    peak = 1 / (math.e + 1)
    assert _model.share((2 * math.e - 1) / (math.e + 1)) == pytest.approx(peak, rel=1e-9)
    assert all(_model.share(load) <= peak for load in share.LOADS)
    assert _model.share(0.01) == pytest.approx(0.01, rel=0.02)
    assert _model.share(100) < 1e-9


def played_choke(load: float, draws: int) -> float:
    """UDP's share of a queue of 100 that is played packet by packet. What UDP does not take of it is of other flows, none of them
    twice. A victim leaves a tombstone; after so many draws that hit one the oldest packet is taken, as in Linux."""
    rng = random.Random(1)
    queue: list[bool | None] = [False] * 100  # whether it is UDP's, the oldest first; None: a tombstone
    queued, sent, due, ticks = 100, 0, 0.0, 20_000
    for _ in range(ticks):
        due += load
        while due >= 1:
            due -= 1
            drawn = (rng.randrange(len(queue)) for _ in range(draws))
            place = next((each for each in drawn if queue[each] is not None), 0)
            if queue[place]:
                queue[place] = None
                queued -= 1
            else:
                queue.append(True)
                queued += 1
        while (oldest := queue.pop(0)) is None:
            pass
        sent += oldest
        while queue and queue[0] is None:
            queue.pop(0)
        queue += [False] * (101 - queued)
        queued = max(queued - 1, 100)
    return sent / ticks


@pytest.mark.parametrize("load", [0.5, 1.2, 3, 10])
def test_chokes_model_is_what_comparing_with_queued_packets_comes_to(load: float) -> None:
    assert played_choke(load, draws=1000) == pytest.approx(_model.share(load), abs=0.01)


def test_three_draws_let_more_of_an_overwhelming_flow_through() -> None:
    """Two places in three are tombstones then; at lower loads three draws are enough."""
    assert 0.06 < played_choke(10, draws=3) < 0.09
    assert played_choke(3, draws=3) == pytest.approx(_model.share(3), abs=0.01)
