# SPDX-License-Identifier: Apache-2.0
"""A tile of a thousand queues with RFC 8290's two lists and CoDel at the head of each: against its golden model. Copies with
one fault each must not pass.

`--arrivals 1000000` makes the comparison longer: so many arrivals in all.
"""

from __future__ import annotations

import random
from collections import Counter
from functools import lru_cache

import pytest
from lib.broken import Fault
from lib.player import Player
from lib.tile.player import TilePlay, source_of
from lib.tile.queue_choice import ALL, FLOWS, LIMITS, QUEUES, WAYS, choose_queue

from sluice_golden.core import Packet

CONFIG = "fq-codel-1k"
SETTINGS = (
    (ALL, ALL, (1 << 26) - 1, 1514),
    (ALL, 100, 100_000, 300),
    (3000, ALL, 400_000, 20_000),
    (1000, 30, (1 << 26) - 1, 9600),
)
"""By seed, one after the other: what bounds is all, a queue's packets or bytes, both, a queue's few packets. Quanta are a full
packet, less, many, the longest."""
LAWS = (
    {"target": 2000, "interval": 20_000, "ecn": 1, "mark_most": 255, "ce_threshold": 8000},
    {"target": 1000, "interval": 3000, "min_bytes": 0},
    {"target": 3000, "interval": 10_000, "ecn": 1, "mark_most": 4},
    {"target": 200, "interval": 1000, "min_bytes": 64},
)
"""The same of CoDel: times of some hundred clocks to some thousand."""
SHORT = 100_000
ARRIVALS = 50_000
"""Of one run; a longer test has more runs, with other seeds."""
REASONS = ("Overlimit drop", "Target exceeded drop", "Target exceeded mark", "CE threshold exceeded mark")


FAULTS = tuple(
    Fault(CONFIG, name, pattern, replacement, within=ARRIVALS)
    for name, pattern, replacement in (
        ("dropped-bytes-charged", r"(assign onEnd_isCharged = ).*;", r"\1 onEnd_known_isPopping;"),
        ("sent-bytes-not-charged", r"(assign onEnd_deficit = ).*;", r"\1 onEnd_known_kept;"),
        ("quantum-not-added", r"(assign onAccount_isRenewed = ).*;", r"\1 1'b0;"),
        ("deficit-of-zero-is-enough", r"(onFetch_known_mayStillSend = ).*;", r"\1 ! onFetch_known_charged[20];"),
        ("old-queues-first", r"(frontOfOld_take = \(io_take && ).*;", r"\1 frontOfOld_isWaiting);"),
        ("empty-new-queue-forgotten", r"(assign onLook_toEnd = ).*;", r"\1 ! onLook_is_maySend;"),
        ("empty-new-queue-stays-new", r"(assign onLook_next_isNew = ).*;", r"\1 onLook_is_isNew;"),
        ("first-packet-of-the-other-count", r"(_zz_onLook_first_3 = \{.*,)(\w+)\}", r"\1 ! \2}"),
        ("push-blind-to-turns-under-way", r"(assign onPush_isGoing = ).*;", r"\1 1'b0;"),
        ("look-blind-to-a-write", r"onLook_seen_isBeingWritten \?", "1'b0 ?"),
        ("bytes-behind-with-the-packet", r"(_zz_io_head_payload_bytes <= ).*;", r"\1 onLook_bytes_delay_2;"),
        ("state-forgotten", r"(onFetch_isCurrent_regNext <= ).*;", r"\1 1'b0;"),
        ("state-of-a-bit-less", r"(assign onState_kept_dropNext = headState\[)164 : 101\]", r"\1 164 : 102]"),
        ("ask-lost-with-a-drop", r"(assign _zz_onEnd_asks_unmet = \(onEnd_isEnding && ).*;", r"\1 1'b0);"),
        ("slots-never-given-again", r"wereAllTaken_delay_2 \?", "1'b0 ?"),
        ("begun-anew-too-soon", r"(assign onVerdict_restart =).*;", r"\1 m_departure_valid;"),
    )
)


@lru_cache(maxsize=4)  # all faults have the same
def traffic(arrivals: int, seed: int) -> TilePlay:
    """Stretches with other flows, loads and rates of asks and of the link each, and one of nothing but the link at the end."""
    rng = random.Random(seed)
    offered: list[Packet | None] = []
    is_ready: list[bool] = []
    asks: list[bool] = []
    step_ns: list[int] = []
    count = 0
    while count < arrivals:
        way, load = rng.choice(WAYS), rng.choice((1.0, 0.5, 0.1, 0.03, 0.02))
        rate, asking = rng.choice((1.0, 0.9, 0.5)), rng.choice((1.0, 1.0, 0.5, 0.1, 0.03))
        jump = rng.choice((4, 4, 4, 1000, 1 << 44))
        for _ in range(rng.choice((50, 500, 5000))):
            packet = None
            if rng.random() < load and count < arrivals:
                flow = FLOWS[choose_queue(rng, way, len(offered))]
                packet = Packet(flow, rng.choice((64, 64, 576, 1500, 9600)), rng.choice((0, 1, 2, 3)))
                count += 1
            offered.append(packet)
            is_ready.append(rng.random() < rate)
            asks.append(rng.random() < asking)
            step_ns.append(jump if rng.random() < 0.001 else 4)
    # Until each ask has its packet, or a lone queue has lost all that it had.
    drained, met = 20_000, 140_000
    offered += [None] * (drained + met + 40)
    is_ready += [True] * (drained + met) + [False] * 40  # until what left last is counted
    asks += [True] * drained + [False] * (met + 40)
    settings = dict(zip(LIMITS, SETTINGS[(seed + seed // 4) % len(SETTINGS)], strict=True)) | LAWS[seed % len(LAWS)]
    settings |= {"queue_secret0": rng.getrandbits(32)} if seed % 2 else {}
    quanta = {rng.randrange(QUEUES): rng.choice((64, 700, 5000, 1 << 19)) for _ in range(12)}
    return TilePlay(CONFIG, settings, offered, is_ready, quanta, asks=asks, step_ns=step_ns)


@pytest.fixture(scope="module")
def player() -> Player:
    return Player(source_of(CONFIG))


def test_a_thousand_queues(player: Player, request: pytest.FixtureRequest) -> None:
    """Every verdict, departure, drop at the head and counter."""
    wanted = request.config.getoption("arrivals") or SHORT
    seen: Counter[str] = Counter()
    for seed in range(-(-wanted // ARRIVALS)):
        seen.update(traffic(ARRIVALS, seed).check(player))
    reasons = {reason: seen[reason] for reason in REASONS}
    print(
        f"{CONFIG}: {seen['verdicts']:,} verdicts, {seen['departures']:,} departures, {seen['dropped']:,} drops at the head, "
        f"0 mismatches; {reasons}"
    )
    assert seen["verdicts"] >= wanted
    assert min(reasons.values()) > wanted // 1000
    assert seen["departures"] > wanted // 10


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_is_noticed(fault: Fault) -> None:
    """Within the first runs."""
    broken = fault.player(source_of(CONFIG))

    def compare() -> None:
        for seed in range(4):
            traffic(ARRIVALS, seed).check(broken)

    with pytest.raises(AssertionError, match="clock "):
        compare()
