# SPDX-License-Identifier: Apache-2.0
"""Deficit round robin over many lists by itself: shares at every departure, and the hash that chooses a queue."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from sluice_golden.tile.many_queues.fair_shares import FairShares
from sluice_golden.tile.many_queues.lists import AHEAD, Lists
from sluice_golden.tile.many_queues.queue_hash import hashed_queue, secret_bits
from sluice_golden.tile.queue import Limits, Queued

DEPARTURES = 40_000
QUEUES = 24
FRAME = 9000
WEIGHTS = {
    "equal": [1514] * QUEUES,
    "one to nine": [1514 * (1 + queue % 9) for queue in range(QUEUES)],
    "less than a packet": [60 + 97 * queue for queue in range(QUEUES)],
    "more than a frame": [9000 + 5000 * (queue % 4) for queue in range(QUEUES)],
    "far apart": [300 if queue % 2 else 60_000 for queue in range(QUEUES)],
}


def packet_of(queue: int, rng: random.Random) -> Queued:
    """A packet; sizes of some queues are all alike."""
    size = (60, 1500, FRAME, rng.randrange(60, FRAME + 1))[queue % 4]
    return Queued(flow=queue, size=size, is_ce=False, cookie=0, queue=queue)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_shares_at_every_departure(weights: str) -> None:
    """Queues that always have packets, a link that takes one in every cycle in which there is one."""
    quanta, rng = WEIGHTS[weights], random.Random(weights)
    lists, limits = Lists(QUEUES + 1), [Limits(1 << 18, 1 << 26, quantum) for quantum in (*quanta, FRAME)]
    shares, held = FairShares(dict(enumerate(quanta)), FRAME), Counter[int]()
    cycle, is_full, owed = 0, False, [queue for queue in range(QUEUES) for _ in range(3 * AHEAD)]
    rng.shuffle(owed)
    owed += [QUEUES] * (AHEAD + 2)  # first another one, whose round all others wait for until the link takes a packet
    while shares.packets < DEPARTURES:
        cycle += 1
        left, is_full = 0, is_full or not owed
        if is_full and lists.picked:
            left, packet = 1, lists.leave().packet
            if packet.queue < QUEUES:
                shares.sent(packet.queue, packet.size)
                held[packet.queue] -= 1
                owed.append(packet.queue)
                assert held[packet.queue] > AHEAD, "a queue ran out of packets"
        if owed and (is_full or cycle > 20 * AHEAD or owed[-1] == QUEUES):
            queue = owed.pop()
            lists.push(cycle, packet_of(queue, rng))
            held[queue] += 1
        lists.finish(cycle, left, limits)


def test_the_check_notices_who_is_behind() -> None:
    """A queue whose share is more than a quantum and a frame above what it has sent."""
    shares = FairShares({1: 100, 2: 200}, frame=50)
    for queue in (1, 1, *[2] * 10):
        shares.sent(queue, 50)
    with pytest.raises(AssertionError, match="packet 13: queue 1 is 175 bytes behind"):
        shares.sent(2, 50)


def test_whose_credit_is_not_enough_waits_for_more_rounds() -> None:
    """With a quantum of a sixth of its packets a queue sends one in six rounds, beside one that sends a packet in each."""
    lists, limits, order = Lists(9), [Limits(1 << 18, 1 << 26, 1500)] * 9, []
    for cycle in range(2000):
        if cycle < 200:
            queue = cycle & 1
            lists.push(cycle, Queued(flow=cycle, size=9000 if queue else 1500, is_ce=False, cookie=0, queue=queue))
        left = int(cycle > 300 and bool(lists.picked))
        if left:
            order.append(lists.leave().packet.queue)
        lists.finish(cycle, left, limits)
    assert order[:35] == [0, 0, 0, 0, 0, 0, 1] * 5


def test_flows_spread_evenly_under_any_secret() -> None:
    """Neighbouring flow ids, of which the lowest and the highest bits alike say nothing by themselves."""
    rng = random.Random(1)
    for shift in (0, 11, 22):
        secrets = [rng.getrandbits(secret_bits(10)) for _ in range(400)]
        alike = sum(hashed_queue(5 << shift, s, 10) == hashed_queue(9 << shift, s, 10) for s in secrets)
        assert alike <= 6  # a chance of 1 in 1,024 each
    queues = Counter(hashed_queue(flow << 8, secrets[0], 10) for flow in range(4096))
    assert max(queues.values()) <= 4 * 4096 // 1024


def test_a_hash_adds_without_carry() -> None:
    """By the definition: one bit of a flow is a window of the secret, and two are their difference."""
    secret = int("10110011100011110000111110000011111100000", 2)
    assert hashed_queue(1, secret, 10) == int("1111100000", 2)
    assert hashed_queue(1 << 31, secret, 10) == int("1011001110", 2)
    assert hashed_queue(1 << 31 | 1, secret, 10) == int("1011001110", 2) ^ int("1111100000", 2)
