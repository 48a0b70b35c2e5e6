# SPDX-License-Identifier: Apache-2.0
"""Counters of one of a thousand queues that the host selects: when there is a clock to read them in. That they are right and of
one instant is part of all comparisons of these tiles."""

from __future__ import annotations

import dataclasses

import pytest
from lib.broken import Fault
from lib.player import Player
from lib.tile.looks import SELECTING, Look
from lib.tile.player import TilePlay, source_of

from sluice_golden.core import Packet

CONFIG = "droptail-1k"
BUSY, IDLE = 5, 1000
CLOCKS = 8000
FORGETFUL = Fault(
    CONFIG, "counters-of-the-queue-before", r"(ofSelected_isReselected = ).*;", r"\1 1'b0;", within=CLOCKS
)


def full_rate(queue: int) -> TilePlay:
    """A packet of queue 0, which is the host's at first, then one of the busy queue in every clock, and a look at `queue`."""
    offered: list[Packet | None] = [Packet(1, 64, 0), *[Packet(2, 64, 0, queue=BUSY)] * CLOCKS]
    offered += [None] * 60
    settings = {"limit": 1000, "queue_limit": 1000}
    return TilePlay(CONFIG, settings, offered, [False] * len(offered), looks=[Look(100, queue)])


@pytest.fixture(scope="module")
def player() -> Player:
    return Player(source_of(CONFIG))


def has_queue(play: TilePlay, player: Player) -> bool:
    """Whether the look found the counters of its queue; that they are right then."""
    play.check(player)
    return "selected_packets" in play.run(player).counters[0]


def test_a_queue_is_counted_while_its_packets_fill_every_clock(player: Player) -> None:
    assert has_queue(full_rate(BUSY), player)


def test_another_is_missing_until_a_clock_is_free(player: Player) -> None:
    """SNAPSHOT reads 1, until one clock has no packet."""
    play = full_rate(IDLE)
    assert not has_queue(play, player)
    offered = list(play.offered)
    offered[100 + SELECTING // 2] = None
    assert has_queue(dataclasses.replace(play, offered=offered), player)


def test_a_tile_that_shows_the_queue_before_is_noticed() -> None:
    with pytest.raises(AssertionError, match="clock "):
        has_queue(full_rate(IDLE), FORGETFUL.player(source_of(CONFIG)))
