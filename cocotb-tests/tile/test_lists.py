# SPDX-License-Identifier: Apache-2.0
"""A tile of a thousand queues as lists: against its golden model, against a tile of four rings, and at its rate. Copies of it
with one fault each must not pass.

`--arrivals 1000000` makes the comparison with the model longer: so many arrivals in all.
"""

from __future__ import annotations

import dataclasses
import random

import numpy as np
import pytest
from lib.broken import Fault
from lib.player import Player
from lib.tile_player import Shown, TilePlay, source_of

from sluice_golden.core import Packet
from sluice_golden.lists import AHEAD, TURN

CONFIG = "droptail-1k"
RINGS = "droptail-4q"
QUEUES = 1024
ALL = 4080
"""Packets that all lists together may have, and so any of them."""
LIMITS = ("limit", "queue_limit", "queue_limit_bytes")
SETTINGS = (
    (ALL, ALL, (1 << 26) - 1),
    (ALL, 100, 100_000),
    (3000, ALL, 400_000),
    (300, 10, (1 << 26) - 1),
)
"""By seed, one after the other: what bounds is all, a queue's packets or bytes, both, a queue's few packets."""
SHORT = 100_000
ARRIVALS = 50_000
"""Of one run; a longer test has more runs, with other seeds."""

FAULTS = (
    Fault(CONFIG, "pop-blind-to-pushes-under-way", r"\(onPop_isComing \|\|", "(1'b0 ||", within=ARRIVALS),
    Fault(
        CONFIG, "push-blind-to-pops-under-way", r"_wasEmpty_3 = onPush_isGoing;", "_wasEmpty_3 = 1'b0;", within=ARRIVALS
    ),
    Fault(CONFIG, "look-blind-to-a-write", r"onPush_gone_isBeingWritten \?", "1'b0 ?", within=ARRIVALS),
    Fault(CONFIG, "slots-never-given-again", r"wereAllTaken_delay_2 \?", "1'b0 ?", within=ARRIVALS),
    Fault(
        CONFIG, "second-turn-twice", r"(first_\w+ = \(io_added_0_valid)", r"\1 && !io_added_1_valid", within=ARRIVALS
    ),
    Fault(
        CONFIG, "limit-blind-to-the-last-packet", r"listed_packetsFit_1 &&", "listed_packetsFit_0 &&", within=ARRIVALS
    ),
    Fault(
        CONFIG,
        "limit-blind-to-the-last-packets-bytes",
        r"listed_bytesFit_1\)",
        "listed_bytesFit_0)",
        within=ARRIVALS,
    ),
    Fault(CONFIG, "begun-anew-too-soon", r"(assign onVerdict_restart =).*;", r"\1 m_departure_valid;", within=ARRIVALS),
)


def choose_queue(rng: random.Random, way: int, clock: int) -> int:
    """Whose packet: of all, of few, of one, of all in their order, of two in turn."""
    if way == 0:
        return rng.randrange(QUEUES)
    if way == 1:
        return rng.randrange(12) * 85
    if way == 2:
        return 1023
    if way == 3:
        return clock % QUEUES
    return clock & 1


def traffic(arrivals: int, seed: int) -> TilePlay:
    """Stretches with other queues, loads and rates of the link each, and one of nothing but the link at the end."""
    rng = random.Random(seed)
    offered: list[Packet | None] = []
    is_ready: list[bool] = []
    count = 0
    while count < arrivals:
        way, load = rng.randrange(5), rng.choice((1.0, 1.0, 0.9, 0.5, 0.1))
        rate = rng.choice((1.0, 0.9, 0.5, 0.1, 0.02))
        for _ in range(rng.choice((50, 500, 5000))):
            packet = None
            if rng.random() < load and count < arrivals:
                size = rng.choice((64, 64, 576, 1500, 9600))
                queue = choose_queue(rng, way, len(offered))
                packet = Packet(rng.getrandbits(32), size, rng.choice((0, 1, 2, 3)), queue=queue)
                count += 1
            offered.append(packet)
            is_ready.append(rng.random() < rate)
    offered += [None] * 3040
    is_ready += [True] * 3000 + [False] * 40  # until what left last is counted
    return TilePlay(CONFIG, dict(zip(LIMITS, SETTINGS[seed % len(SETTINGS)], strict=True)), offered, is_ready)


@pytest.fixture(scope="module")
def player() -> Player:
    return Player(source_of(CONFIG))


def test_a_thousand_queues(player: Player, request: pytest.FixtureRequest) -> None:
    """Every verdict, departure and counter."""
    wanted = request.config.getoption("arrivals") or SHORT
    seen = {"verdicts": 0, "drops": 0, "departures": 0}
    for seed in range(-(-wanted // ARRIVALS)):
        compared = traffic(ARRIVALS, seed).check(player)
        seen = {what: seen[what] + compared[what] for what in seen}
    print(
        f"{CONFIG}: {seen['verdicts']:,} verdicts, {seen['drops']:,} drops, {seen['departures']:,} departures, 0 mismatches"
    )
    assert seen["verdicts"] >= wanted
    assert seen["drops"] > wanted // 50
    assert seen["departures"] > wanted // 10


def test_one_queue_may_have_all(player: Player) -> None:
    """The last of a thousand is filled up, refuses the next packet, is emptied at one in ten clocks, and takes again."""
    full = [Packet(n, 64 + n % 1437, 0, queue=QUEUES - 1) for n in range(ALL + 40)]
    drained: list[Packet | None] = [None] * (10 * ALL + 200)
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
    broken = fault.player(source_of(CONFIG))

    def compare() -> None:
        for seed in range(3):
            traffic(ARRIVALS, seed).check(broken)

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
    names = ["queue"] if config == CONFIG else [f"queue{i}" for i in range(len(numbers))]
    settings = {"limit": 500, "limit_bytes": 1_300_000} | {f"{n}_{what}": v for n in names for what, v in each.items()}
    shown = TilePlay(config, settings, renamed, is_ready).run(player)
    verdicts, left = verdicts_and_departures(shown, numbers)
    return verdicts, left, {name: value for name, value in shown.counters.items() if not name.startswith("queue")}


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
        assert seen_of(RINGS, rings, (0, 1, 2, 3), 0) == seen_of(CONFIG, FAULTS[0].player(source_of(CONFIG)), FOUR, 0)


@pytest.mark.parametrize("queues", [1, 2, TURN, QUEUES])
def test_rate_and_turns(player: Player, queues: int) -> None:
    """Who has packets sends one on each of its turns: of ten queues or more one leaves in every clock, of fewer one of each in
    ten."""
    count = queues * max(3, 400 // queues)
    offered: list[Packet | None] = [Packet(i, 64, 0, queue=i % queues) for i in range(count)]
    before, after = count + 40, TURN * count + 100
    play = TilePlay(CONFIG, {"limit": 4080}, offered + [None] * (40 + after), [False] * before + [True] * after)
    shown = play.run(player)
    left = shown.departures
    order = [shown.at(clock, "m_departure", "queue")[0] for clock in left]
    assert order == [i % queues for i in range(count)]
    # Of a lone queue what was picked before the link took any leaves at once.
    rounds = left[2 * AHEAD :: queues]
    assert set(np.diff(rounds)) == {max(TURN, queues)}
