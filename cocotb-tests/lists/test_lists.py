# SPDX-License-Identifier: Apache-2.0
"""Tiles of a thousand queues as lists: against their golden model, against a tile of four rings, at their rate, and by the
shares of their queues. Copies with one fault each must not pass.

`--arrivals 1000000` makes the comparisons longer: so many arrivals in all, and departures where shares are looked at.
"""

from __future__ import annotations

import dataclasses
import random
from collections import Counter
from functools import lru_cache

import numpy as np
import pytest
from lib.broken import Fault
from lib.player import Player
from lib.tile.player import Shown, TilePlay, source_of
from lib.tile.queue_choice import ALL, FLOWS, LIMITS, QUEUES, choose_queue, draw_size, stretches
from lists.faults import ARRIVALS, BLIND, CONFIG, FAULTS, HASHED

from sluice_golden.core import Packet
from sluice_golden.tile.many_queues.fair_shares import FairShares
from sluice_golden.tile.many_queues.lists import AHEAD, ROUND, TURN
from sluice_golden.tile.many_queues.queue_hash import hashed_queue

RINGS = "droptail-4q"
SETTINGS = (
    (ALL, ALL, (1 << 26) - 1, 1514),
    (ALL, 100, 100_000, 300),
    (3000, ALL, 400_000, 20_000),
    (300, 10, (1 << 26) - 1, 9600),
)
"""By seed, one after the other: what bounds is all, a queue's packets or bytes, both, a queue's few packets. Quanta are a full
packet, less, many, the longest."""
SECRET = {"queue_secret0": 0x9E3779B9, "queue_secret1": 0x155}
SHORT = 100_000


@lru_cache(maxsize=4)  # all faults have the same
def traffic(config: str, arrivals: int, seed: int) -> TilePlay:
    """Stretches with other queues, loads and rates of the link each, and one of nothing but the link at the end."""
    rng = random.Random(seed)

    def packet_of(way: int, clock: int) -> Packet:
        size, queue = draw_size(rng), choose_queue(rng, way, clock)
        flow = FLOWS[queue] if config == HASHED else rng.getrandbits(32)
        return Packet(flow, size, rng.choice((0, 1, 2, 3)), queue=queue)

    offered, is_ready = stretches(rng, arrivals, packet_of)
    drained = 45_000  # of a lone queue whose packets are longer than its quantum
    offered += [None] * (drained + 40)
    is_ready += [True] * drained + [False] * 40  # until what left last is counted
    settings = dict(zip(LIMITS, SETTINGS[seed % len(SETTINGS)], strict=True))
    quanta = {
        rng.choice((rng.randrange(QUEUES), queue * 85)): rng.choice((64, 700, 5000, 1 << 19)) for queue in range(12)
    }
    return TilePlay(config, settings | (SECRET if config == HASHED and seed % 2 else {}), offered, is_ready, quanta)


@pytest.fixture(scope="module")
def player() -> Player:
    return Player(source_of(CONFIG))


@pytest.mark.parametrize("config", [CONFIG, HASHED])
def test_a_thousand_queues(config: str, request: pytest.FixtureRequest) -> None:
    """Every verdict, departure and counter."""
    wanted, player = request.config.getoption("arrivals") or SHORT, Player(source_of(config))
    seen: Counter[str] = Counter()
    for seed in range(-(-wanted // ARRIVALS)):
        seen += traffic(config, ARRIVALS, seed).watched(seed).check(player)
    print(
        f"{config}: {seen['verdicts']:,} verdicts, {seen['drops']:,} drops, {seen['departures']:,} departures, "
        f"{seen['looks at a queue']:,} looks at a queue, 0 mismatches"
    )
    assert seen["verdicts"] >= wanted
    assert seen["drops"] > wanted // 50
    assert seen["departures"] > wanted // 10
    assert config == HASHED or seen["looks at a queue"] > wanted // 2000


def test_one_queue_may_have_all(player: Player) -> None:
    """The last of a thousand is filled up, refuses the next packet, is emptied at one in twelve clocks, and takes again."""
    full = [Packet(n, 64 + n % 1437, 0, queue=QUEUES - 1) for n in range(ALL + 40)]
    drained: list[Packet | None] = [None] * (ROUND * ALL + 200)
    play = TilePlay(
        CONFIG,
        {"limit": ALL, "queue_limit": ALL},
        [*full, *drained, *full[:50], *[None] * 600],
        [*[False] * len(full), *[True] * (len(drained) + 50 + 560), *[False] * 40],
    )
    compared = play.check(player)
    assert compared["verdicts"] == ALL + 90
    assert compared["departures"] == compared["verdicts"] - compared["drops"]
    assert 0 < compared["drops"] <= 40


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_is_noticed(fault: Fault) -> None:
    """Within the first runs."""
    broken = fault.player(source_of(fault.config))

    def compare() -> None:
        for seed in range(3):
            traffic(fault.config, ARRIVALS, seed).watched(seed).check(broken)

    with pytest.raises(AssertionError, match="clock "):
        compare()


Decided = list[tuple[int, ...]]
Departed = dict[int, list[tuple[int, ...]]]
FOUR = (0, 300, 767, 1023)
"""The lists that get what four rings do."""


def alike(seed: int) -> tuple[list[Packet | None], list[bool]]:
    """Traffic of four queues in which verdicts do not hang on when exactly packets leave: bursts beyond all limits to a link that
    takes nothing and then all, and stretches in which each queue stays far below its limit."""
    rng = random.Random(seed)
    offered: list[Packet | None] = []
    is_ready: list[bool] = []

    def one_of(queues: int) -> Packet:
        size = rng.choice((64, 576, 1500, 9600))
        return Packet(rng.getrandbits(32), size, rng.randrange(4), queue=rng.randrange(queues))

    for _ in range(6):
        queues = rng.randrange(1, 5)
        burst = rng.choice((100, 700))
        offered += [one_of(queues) for _ in range(burst)] + [None] * 4000
        is_ready += [False] * (burst + 50) + [True] * 3950
        mixed: list[Packet | None] = [one_of(4) if rng.random() < 0.09 else None for _ in range(2000)]
        offered += mixed + [None] * 300
        is_ready += [rng.random() < 0.8 for _ in mixed] + [True] * 300
    return offered, is_ready


def verdicts_and_departures(shown: Shown, numbers: tuple[int, ...]) -> tuple[Decided, Departed]:
    """What was decided, in its order, and what has left each queue, in its order; queues by their places in `numbers`."""
    verdicts = [
        (numbers.index(queue), *rest)
        for queue, *rest in (
            shown.at(int(clock), "m_verdict", "queue", "action", "reason")
            for clock in np.flatnonzero(shown.ports["m_verdict_valid"])
        )
    ]
    left: Departed = {place: [] for place in range(len(numbers))}
    for clock in shown.departures:
        queue, *packet = shown.at(clock, "m_departure", "queue", "flow", "bytes", "is_ce")
        left[numbers.index(queue)].append(tuple(packet))
    return verdicts, left


def seen_of(
    config: str, player: Player, numbers: tuple[int, ...], seed: int
) -> tuple[Decided, Departed, dict[str, int]]:
    """What a tile makes of the same traffic in four of its queues: verdicts, departures of each queue, the tile's counters."""
    offered, is_ready = alike(seed)
    renamed = [None if p is None else dataclasses.replace(p, queue=numbers[p.queue]) for p in offered]
    each = {"limit": 150, "limit_bytes": 400_000}
    each |= {"quantum": 1 << 19} if config == CONFIG else {}  # so that a lone queue sends in eleven clocks
    names = ["queue"] if config == CONFIG else [f"queue{i}" for i in range(len(numbers))]
    settings = {"limit": 500, "limit_bytes": 1_300_000} | {f"{n}_{what}": v for n in names for what, v in each.items()}
    shown = TilePlay(config, settings, renamed, is_ready).run(player)
    verdicts, left = verdicts_and_departures(shown, numbers)
    own = ("queue", "selected")
    return verdicts, left, {name: value for name, value in shown.counters[-1].items() if not name.startswith(own)}


def test_lists_and_rings_are_alike(player: Player) -> None:
    """Four queues of either: every verdict, every departure of each queue in its order, every counter. Only whose turn it is
    between queues is each scheduler's own."""
    rings, drops = Player(source_of(RINGS)), 0
    for seed in range(4):
        of_rings, of_lists = seen_of(RINGS, rings, (0, 1, 2, 3), seed), seen_of(CONFIG, player, FOUR, seed)
        for from_rings, from_lists in zip(of_rings, of_lists, strict=True):
            assert from_rings == from_lists
        drops += of_rings[2]["overlimit_drop"]
    assert drops > 1000
    with pytest.raises(AssertionError):
        assert seen_of(RINGS, rings, (0, 1, 2, 3), 0) == seen_of(CONFIG, BLIND.player(source_of(CONFIG)), FOUR, 0)


@pytest.mark.parametrize("queues", [1, 2, TURN, QUEUES])
@pytest.mark.parametrize("quantum", [64, 1 << 19])
def test_rate_and_turns(player: Player, queues: int, quantum: int) -> None:
    """Who has packets sends one on each of its turns: in a round of eleven queues or more one leaves in every clock, of fewer one
    of each in eleven. From the last turn of a round to the first one of the next it is twelve."""
    count = queues * max(3, 400 // queues)
    offered: list[Packet | None] = [Packet(i, 64, 0, queue=i % queues) for i in range(count)]
    before, after = count + 40, (ROUND + 1) * count + 100
    settings = {"limit": 4080, "queue_quantum": quantum}
    play = TilePlay(CONFIG, settings, offered + [None] * (40 + after), [False] * before + [True] * after)
    shown = play.run(player)
    left = shown.departures
    rounds = left[2 * AHEAD :: queues]
    order = [shown.at(clock, "m_departure", "queue", "flow") for clock in left]
    assert sorted(order, key=lambda packet: packet[0]) == [
        (i, i + j) for i in range(queues) for j in range(0, count, queues)
    ]
    assert set(np.diff(rounds[1:])) == {ROUND + queues - 1 if quantum == 64 else max(TURN, queues)}


CROWD = 40
"""Queues that always have packets; one more has the round before theirs."""
FRAME = 9000
WEIGHTS = (
    [1514] * CROWD,
    [1514 * (1 + queue % 7) for queue in range(CROWD)],
    [300 + 997 * queue for queue in range(CROWD)],
)


def crowd(quanta: list[int], clocks: int, seed: int) -> TilePlay:
    """Packets of 60 to 9,000 bytes to all of them, to a link that takes one in two clocks: more of each than it sends."""
    rng = random.Random(seed)
    sizes = [
        (lambda: 60, lambda: 1500, lambda: FRAME, lambda: rng.randrange(60, FRAME + 1))[q % 4] for q in range(CROWD)
    ]
    appetite = [quanta[queue] / (60, 1500, FRAME, 4530)[queue % 4] for queue in range(CROWD)]
    which = iter(rng.choices(range(CROWD), appetite, k=clocks))
    offered: list[Packet | None] = [Packet(0, 60, 0, queue=CROWD) for _ in range(AHEAD + 2)] + [None] * 300
    offered += [Packet(0, sizes[queue](), 0, queue=queue) for queue in range(CROWD) for _ in range(90)]
    before = len(offered)
    offered += [Packet(0, sizes[queue](), 0, queue=queue) for queue in which]
    is_ready = [clock >= before and rng.random() < 0.5 for clock in range(len(offered))]
    settings = {"limit": ALL, "queue_limit": 100, "queue_quantum": 1514}
    return TilePlay(CONFIG, settings, offered, is_ready, {CROWD: FRAME} | dict(enumerate(quanta)))


def test_shares_at_every_departure(player: Player, request: pytest.FixtureRequest) -> None:
    """No queue is ever behind its share by more than a quantum and a frame."""
    wanted, seen = request.config.getoption("arrivals") or 60_000, 0
    for seed in range(max(3, wanted // 50_000)):
        quanta = WEIGHTS[seed % 3]
        play = crowd(quanta, 120_000 if wanted > SHORT else 50_000, seed)
        shown, shares = play.run(player), FairShares(dict(enumerate(quanta)), FRAME)
        for clock in shown.departures:
            queue, size = shown.at(clock, "m_departure", "queue", "bytes")
            if queue != CROWD:
                shares.sent(queue, size)
        seen += shares.packets
    print(f"{CONFIG}: {seen:,} departures, no queue behind its share by more than a quantum and a frame")
    assert seen >= wanted


def test_a_flow_has_its_queue() -> None:
    """The queue on the ports is the hash of the packet's flow, under the secret."""
    flows = [FLOWS[i % 50] for i in range(2000)]
    shown = TilePlay(HASHED, SECRET, [Packet(flow, 64, 0) for flow in flows], [True] * 2000).run(
        Player(source_of(HASHED))
    )
    secret = SECRET["queue_secret0"] | SECRET["queue_secret1"] << 32
    queues = [shown.at(int(clock), "m_verdict", "queue")[0] for clock in np.flatnonzero(shown.ports["m_verdict_valid"])]
    assert queues == [hashed_queue(flow, secret, 10) for flow in flows[: len(queues)]]
    assert len(set(queues)) > 40
