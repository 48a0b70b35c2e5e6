# SPDX-License-Identifier: Apache-2.0
"""A thousand queues in eight levels of strict priority: the tile against its golden model, who goes first by what is seen at the
ports alone, and copies with one fault each, which must not pass.

`--arrivals 1000000` makes the comparison longer.
"""

from __future__ import annotations

import random
from collections import Counter
from functools import lru_cache

import pytest
from lib.broken import Fault
from lib.player import Player
from lib.tile.player import TilePlay, source_of
from lib.tile.queue_choice import ALL, LIMITS, QUEUES, choose_queue, draw_size, stretches

from sluice_golden.core import Packet
from sluice_golden.tile.many_queues.fair_shares import FairShares
from sluice_golden.tile.many_queues.lists import AHEAD_IN_LEVELS, LEVELS, ROUND, TURN

CONFIG = "wred-1k-levels"
SETTINGS = ((ALL, ALL, (1 << 26) - 1, 1514), (ALL, 100, 100_000, 300), (300, 10, (1 << 26) - 1, 9600))
"""By seed, one after the other: what bounds is all, a queue's packets or bytes, a queue's few packets."""
SHORT = 50_000
ARRIVALS = 50_000
"""Of one run; a longer test has more runs, with other seeds."""
SLOW = ROUND + 2
"""Clocks from a packet that the link takes to the next one, in which a lone queue's next turn has come."""

FEW = 10_000
FAULTS = (
    Fault(
        CONFIG,
        "a-level-blind-to-those-above",
        r"(isHighest_2 <= ).*;",
        r"\1 rounds_2_io_isWaiting;",
        within=FEW,
    ),
    Fault(CONFIG, "a-turn-taken-once-more", r"(picked_isPaused <= ).*;", r"\1 1'b0;", within=FEW),
    Fault(CONFIG, "first-turn-at-the-lowest-level", r"(ofLevels_ofPush <= ).*;", r"\1 3'd0;", within=FEW),
    Fault(CONFIG, "next-turn-at-the-lowest-level", r"(ofLevels_ofTurn <= ).*;", r"\1 3'd0;", within=FEW),
    Fault(
        CONFIG, "level-of-the-turn-after", r"(ofLevels_ofTurn <= )_zz_\w+;", r"\1 _zz_ofLevels_ofTurn_5;", within=FEW
    ),
)


@lru_cache(maxsize=4)  # all faults have the same
def traffic(arrivals: int, seed: int) -> TilePlay:
    """Stretches with other queues, loads and rates of the link each. Half of the queues have the lowest level."""
    rng = random.Random(seed)

    def packet_of(way: int, clock: int) -> Packet:
        return Packet(
            rng.getrandbits(32), draw_size(rng), rng.choice((0, 1, 2, 3)), queue=choose_queue(rng, way, clock)
        )

    offered, is_ready = stretches(rng, arrivals, packet_of)
    offered += [None] * 60  # until all are judged
    is_ready += [False] * 60
    levels = {queue: rng.randrange(LEVELS) for queue in range(QUEUES) if rng.random() < 0.5}
    quanta = {rng.randrange(12) * 85: rng.choice((64, 700, 5000, 1 << 19)) for _ in range(6)}
    settings = dict(zip(LIMITS, SETTINGS[seed % len(SETTINGS)], strict=True))
    return TilePlay(CONFIG, settings, offered, is_ready, quanta, levels=levels)


@pytest.fixture(scope="module")
def player() -> Player:
    return Player(source_of(CONFIG))


def test_levels_of_a_thousand_queues(player: Player, request: pytest.FixtureRequest) -> None:
    """Every verdict in its clock, every departure and every counter; packets of every level leave."""
    wanted = request.config.getoption("arrivals") or SHORT
    seen: Counter[str] = Counter()
    for seed in range(-(-wanted // ARRIVALS)):
        seen += traffic(ARRIVALS, seed).watched(seed).check(player)
    print(f"{CONFIG}: {seen['verdicts']:,} verdicts, {seen['departures']:,} departures, 0 mismatches")
    assert seen["verdicts"] >= wanted
    assert seen["departures"] > wanted // 10


def test_a_higher_level_goes_first(player: Player) -> None:
    """What waits leaves by its level, highest first, whoever came first: but for the packets that were picked before the others
    came. And a packet that comes to the highest level while all others wait leaves behind these at the latest."""
    rng = random.Random(1)
    levels = {queue: queue % LEVELS for queue in range(40)}
    late = 39  # of the highest level, where no other has packets any more
    burst: list[Packet | None] = [Packet(i, 64, 0, queue=rng.randrange(32)) for i in range(1500)]
    waiting: list[Packet | None] = [None] * (SLOW * len(burst) + 200)
    comes = 700 * SLOW
    waiting[comes] = Packet(1 << 20, 64, 0, queue=late)
    is_ready = [False] * (len(burst) + 60) + [clock % SLOW == 0 for clock in range(len(waiting) - 60)]
    play = TilePlay(CONFIG, {"limit": ALL, "queue_quantum": 1514}, burst + waiting, is_ready, levels=levels)
    shown = play.run(player)
    left = [shown.at(clock, "m_departure", "queue", "flow") for clock in shown.departures]
    assert len(left) == len(burst) + 1
    judged = shown.ports["m_verdict_valid"].nonzero()[0][-1]
    picked = left.index((late, 1 << 20)) - sum(clock < judged for clock in shown.departures)
    assert 0 < picked <= AHEAD_IN_LEVELS
    rest = [levels[queue] for queue, _ in left[AHEAD_IN_LEVELS:] if queue != late]
    assert rest == sorted(rest, reverse=True)
    assert set(rest) == set(range(LEVELS))


@pytest.mark.parametrize(("queues", "clocks"), [(1, TURN + 2), (40, 10 / 4)])
def test_rate(player: Player, queues: int, clocks: float) -> None:
    """A link that takes all has four packets in ten clocks, of a lone queue one in thirteen."""
    count = 400
    offered: list[Packet | None] = [Packet(i, 64, 0, queue=i % queues) for i in range(count)]
    before, after = count + 60, (TURN + 3) * count
    play = TilePlay(
        CONFIG,
        {"limit": ALL, "queue_quantum": 1 << 19},
        offered + [None] * (60 + after),
        [False] * before + [True] * after,
        levels=dict.fromkeys(range(queues), 3),
    )
    left = play.run(player).departures[count // 2 :: AHEAD_IN_LEVELS]
    assert left[-1] - left[0] == AHEAD_IN_LEVELS * clocks * (len(left) - 1)


def test_shares_within_a_level(player: Player) -> None:
    """Queues of one level share what the higher ones leave by their quanta, though their packets differ."""
    rng, crowd = random.Random(2), range(1, 13)
    quanta = {queue: 1514 * (1 + queue % 3) for queue in crowd}
    offered: list[Packet | None] = [
        Packet(i, rng.choice((64, 576, 1500)), 0, queue=queue) for i in range(250) for queue in crowd
    ]
    before, after = len(offered) + 60, 60_000
    above = [Packet(0, 64, 0, queue=0) if rng.random() < 0.02 else None for _ in range(after)]
    offered += [None] * 60 + above
    is_ready = [False] * before + [clock % SLOW == 0 for clock in range(after)]
    settings = {"limit": ALL, "queue_quantum": 1514}
    shown = TilePlay(CONFIG, settings, offered, is_ready, quanta, levels={0: 5} | dict.fromkeys(crowd, 2)).run(player)
    shares, of_above = FairShares(quanta, 1500), 0
    for clock in shown.departures:
        queue, size = shown.at(clock, "m_departure", "queue", "bytes")
        if queue and shares.packets < 1000:  # by then the first one may be empty
            shares.sent(queue, size)
        of_above += queue == 0
    assert shares.packets == 1000
    assert of_above > 800


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_is_noticed(fault: Fault) -> None:
    broken = fault.player(source_of(fault.config))
    with pytest.raises(AssertionError, match="clock "):
        traffic(fault.within, 0).check(broken)
