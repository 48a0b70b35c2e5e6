# SPDX-License-Identifier: Apache-2.0
"""WRED by profile over a thousand queues, at the arrival and at the head: the tiles against their golden models, and copies with
one fault each, which must not pass.

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
from lib.tile.queue_choice import ALL, MEETING, QUEUES, choose_queue, draw_size, stretches

from sluice_golden import models
from sluice_golden.core import Packet

CONFIG, AT_HEAD = "wred-1k", "wred-1k-head"
PROFILES = 16
COLOURS = 3
SHORT = 50_000
ARRIVALS = 50_000
"""Of one run; a longer test has more runs, with other seeds."""
BOUNDS = ((ALL, ALL), (ALL, 100), (600, ALL))
"""By seed, one after the other: of the tile, and of each queue."""

FEW = 10_000
FAULTS = (
    Fault(
        CONFIG,
        "profile-of-the-arrival-after",
        r"(onVerdict_profiles_number_delay_5 <= ).*;",
        r"\1 onVerdict_profiles_number_delay_3;",
        within=FEW,
    ),
    Fault(CONFIG, "profile-0-always", r"(onVerdict_profiles_number_delay_4 <= ).*;", r"\1 4'd0;", within=FEW),
    Fault(CONFIG, "all-are-green", r"(onVerdict_profiles_colour <= ).*;", r"\1 2'd0;", within=FEW),
    Fault(
        CONFIG,
        "code-3-is-yellow",
        r"(assign onVerdict_profiles_number = \(onVerdict_profiles_colour)\[1\]",
        r"\1 == 2'd2",
        within=FEW,
    ),
    Fault(
        CONFIG,
        "colour-of-the-word-before",
        r"2'b01( : _zz_onVerdict_profiles_colour_6 = _zz_onVerdict_profiles_colour)_2;",
        r"2'b01\1_1;",
        within=FEW,
    ),
    Fault(CONFIG, "one-average-for-all", r"(assign onAverage_many_index = ).*;", r"\1 10'd5;", within=FEW),
    Fault(
        AT_HEAD, "profile-0-at-the-head", r"(assign _zz__zz_onProfile_profiles_found = ).*;", r"\1 4'd0;", within=FEW
    ),
    Fault(AT_HEAD, "without-its-own-bytes", r"(\{1'b0,head_queue_bytes\}) \+ \w+", r"\1", within=FEW),
    Fault(AT_HEAD, "average-not-kept", r"(assign head0_onAverage_kept_BEFORE = ).*;", r"\1 36'd0;", within=FEW),
    Fault(AT_HEAD, "one-draw-for-all", r"(assign head0_onProfile_DRAW = ).*;", r"\1 32'd77;", within=FEW),
)


def profile(rng: random.Random, number: int) -> dict[str, int]:
    """A set with ramps where queues of this traffic are: of some packets, of hundreds, of nothing."""
    model = models()[CONFIG]
    while True:
        drawn = model.lively(rng)
        for name in ("min_threshold", "ecn_min_threshold"):
            drawn[name] = rng.getrandbits(rng.randint(8, 20))
            drawn[name.replace("min", "max")] = drawn[name] + rng.choice((0, rng.getrandbits(rng.randint(8, 20))))
        drawn |= {"profile": number, "weight": rng.choice((0, 0, 1, 2, 4, 9, 15)), "enable": int(drawn["enable"])}
        drawn["ecn"] = int(drawn["ecn"])
        if model.is_legal(model.defaults() | drawn):
            return drawn


@lru_cache(maxsize=4)  # all faults have the same
def traffic(config: str, arrivals: int, seed: int) -> TilePlay:
    """Stretches with other queues, loads and rates of the link each. Every queue has a profile for each colour, any of them, and
    every DSCP any colour. A link that asks does so by its rate; at the end each ask has its packet, or a lone queue has lost all
    that it had."""
    rng = random.Random(seed)
    asks_for_each = config == AT_HEAD

    def packet_of(way: int, clock: int) -> Packet:
        size, queue = draw_size(rng), choose_queue(rng, way, clock)
        ecn, dscp = rng.choice((0, 0, 1, 2, 3)), rng.getrandbits(6)
        return Packet(rng.getrandbits(32), size, ecn, queue=queue, dscp=dscp)

    offered, is_ready = stretches(rng, arrivals, packet_of)
    drained, met = (20_000, MEETING) if asks_for_each else (0, 0)
    offered += [None] * (drained + met + 60)  # until all are judged
    is_ready += [True] * (drained + met) + [False] * 60
    limit, of_each = BOUNDS[seed % len(BOUNDS)]
    sets = [profile(rng, number) for number in range(PROFILES)]
    profiles = {queue: rng.randrange(PROFILES**COLOURS) for queue in range(QUEUES)}
    settings = {"limit": limit, "queue_limit": of_each, "queue_quantum": 9600}
    settings |= {f"dscp_colours{word}": rng.getrandbits(32) for word in range(4)}
    asks = is_ready[: -met - 60] + [False] * (met + 60) if asks_for_each else ()
    return TilePlay(config, settings, offered, is_ready, sets=sets, profiles=profiles, asks=asks)


@pytest.mark.parametrize("config", [CONFIG, AT_HEAD])
def test_profiles_of_a_thousand_queues(config: str, request: pytest.FixtureRequest) -> None:
    """Every verdict in its clock, every departure and every counter, over all queues and profiles."""
    wanted, player = request.config.getoption("arrivals") or SHORT, Player(source_of(config))
    seen: Counter[str] = Counter()
    queues: set[int] = set()
    for seed in range(-(-wanted // ARRIVALS)):
        play = traffic(config, ARRIVALS, seed)
        seen += (play if config == AT_HEAD else play.watched(seed)).check(player)
        queues |= {packet.queue for packet in play.offered if packet}
    reasons = ", ".join(f"{seen[reason]:,} {reason}" for reason in ("WRED drop", "WRED mark", "Overlimit drop"))
    print(
        f"{config}: {seen['verdicts']:,} verdicts of {len(queues):,} queues, {reasons}, "
        + f"{seen['looks at a queue']:,} looks at a queue, " * (config == CONFIG)
        + "0 mismatches"
    )
    assert seen["verdicts"] >= wanted
    assert len(queues) == QUEUES
    assert config == AT_HEAD or seen["looks at a queue"] > wanted // 4000
    assert all(seen[reason] > wanted // 500 for reason in ("WRED drop", "WRED mark", "Overlimit drop")), seen


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_is_noticed(fault: Fault) -> None:
    broken = fault.player(source_of(fault.config))
    with pytest.raises(AssertionError, match="clock "):
        traffic(fault.config, fault.within, 0).check(broken)


@pytest.mark.parametrize(
    ("config", "threshold", "marked"), [(CONFIG, 30_000, range(30, 40)), (AT_HEAD, 31_000, range(10))]
)
def test_a_burst_is_marked_where_it_is_judged(config: str, threshold: int, marked: range) -> None:
    """Of 40 packets of 1,000 bytes, each judged before the next one comes and before any leaves, by a step: the last ten where
    arrivals are judged, which find 30 others and more, and the first ten at the head, which are 31 and more with those behind
    them."""
    step = {"profile": 0, "ecn": 1, "ecn_min_threshold": threshold, "ecn_max_threshold": threshold}
    offered: list[Packet | None] = []
    for number in range(40):
        offered += [Packet(number, 1000, 2, queue=7), *[None] * 40]
    is_ready = [False] * len(offered) + [True] * 3000
    asks = is_ready[:-200] + [False] * 200 if config == AT_HEAD else ()
    offered += [None] * 3000
    play = TilePlay(config, step, offered, is_ready, asks=asks)
    shown = play.run(Player(source_of(config)))
    left = [shown.at(clock, "m_departure", "flow", "is_ce") for clock in shown.departures]
    assert left == [(number, int(number in marked)) for number in range(40)]
