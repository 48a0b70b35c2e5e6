# SPDX-License-Identifier: Apache-2.0
"""Tiles of a thousand queues with RFC 8290's two lists and a core at the head of each, CoDel or PI2: against their golden models.
Copies with one fault each must not pass.

`--arrivals 1000000` makes the comparison longer: so many arrivals in all.
"""

from __future__ import annotations

import random
from collections import Counter
from functools import lru_cache

import pytest
from lib.broken import Fault
from lib.player import Player
from lib.tile.player import SETTLING, TilePlay, source_of
from lib.tile.queue_choice import ALL, FLOWS, LIMITS, MEETING, QUEUES, WAYS, choose_queue

from sluice_golden.core import Packet

CODEL, PI2 = "fq-codel-1k", "fq-pi2-1k"
SETTINGS = (
    (ALL, ALL, (1 << 26) - 1, 1514),
    (ALL, 100, 100_000, 300),
    (3000, ALL, 400_000, 20_000),
    (1000, 30, (1 << 26) - 1, 9600),
)
"""By seed, one after the other: what bounds is all, a queue's packets or bytes, both, a queue's few packets. Quanta are a full
packet, less, many, the longest."""
LAWS: dict[str, tuple[dict[str, int], ...]] = {
    CODEL: (
        {"target": 2000, "interval": 20_000, "ecn": 1, "mark_most": 255, "ce_threshold": 8000},
        {"target": 1000, "interval": 3000, "min_bytes": 0},
        {"target": 3000, "interval": 10_000, "ecn": 1, "mark_most": 4},
        {"target": 200, "interval": 1000, "min_bytes": 64},
    ),
    PI2: (
        {"target": 2000, "tupdate": 4000, "alpha": 1 << 29, "beta": 1 << 30, "ecn": 1, "coupling": 4},
        {"target": 1000, "tupdate": 1000, "alpha": 1 << 27, "beta": 1 << 31, "min_bytes": 0, "max_base": 1 << 31},
        {"target": 3000, "tupdate": 20_000, "alpha": 1 << 30, "beta": 0, "ecn": 1},
        {"target": 200, "tupdate": 100, "alpha": 1 << 24, "beta": 1 << 28, "min_bytes": 64},
    ),
}
"""The same of the cores: times of some hundred clocks to some thousand."""
SHORT = 100_000
ARRIVALS = 50_000
"""Of one run; a longer test has more runs, with other seeds."""
REASONS = {
    CODEL: ("Overlimit drop", "Target exceeded drop", "Target exceeded mark", "CE threshold exceeded mark"),
    PI2: ("Overlimit drop", "Unforced drop", "Unforced mark"),
}

FAULTS = tuple(
    Fault(config, name, pattern, replacement, within=ARRIVALS)
    for config, name, pattern, replacement in (
        (CODEL, "dropped-bytes-charged", r"(assign onEnd_isCharged = ).*;", r"\1 onEnd_known_isPopping;"),
        (CODEL, "sent-bytes-not-charged", r"(assign onEnd_deficit = ).*;", r"\1 onEnd_known_kept;"),
        (CODEL, "quantum-not-added", r"(assign onAccount_isRenewed = ).*;", r"\1 1'b0;"),
        (CODEL, "deficit-of-zero-is-enough", r"(onFetch_known_mayStillSend = ).*;", r"\1 ! onFetch_known_charged[20];"),
        (CODEL, "old-queues-first", r"(frontOfOld_take = \(io_take && ).*;", r"\1 frontOfOld_isWaiting);"),
        (CODEL, "empty-new-queue-forgotten", r"(assign onLook_toEnd = ).*;", r"\1 ! onLook_is_maySend;"),
        (CODEL, "empty-new-queue-stays-new", r"(assign onLook_next_isNew = ).*;", r"\1 onLook_is_isNew;"),
        (CODEL, "first-packet-of-the-other-count", r"(_zz_onLook_first_3 = \{.*,)(\w+)\}", r"\1 ! \2}"),
        (CODEL, "push-blind-to-turns-under-way", r"(assign onPush_isGoing = ).*;", r"\1 1'b0;"),
        (CODEL, "look-blind-to-a-write", r"onLook_seen_isBeingWritten \?", "1'b0 ?"),
        (CODEL, "bytes-behind-with-the-packet", r"(_zz_io_head_payload_bytes <= ).*;", r"\1 onLook_bytes_delay_2;"),
        (CODEL, "state-forgotten", r"(onFetch_isCurrent_regNext <= ).*;", r"\1 1'b0;"),
        (CODEL, "state-of-a-bit-less", r"(assign onState_kept_dropNext = headState\[)164 : 101\]", r"\1 164 : 102]"),
        (CODEL, "ask-lost-with-a-drop", r"(assign _zz_onEnd_asks_unmet = \(onEnd_isEnding && ).*;", r"\1 1'b0);"),
        (CODEL, "slots-never-given-again", r"wereAllTaken_delay_2 \?", "1'b0 ?"),
        (CODEL, "begun-anew-too-soon", r"(assign onVerdict_restart =).*;", r"\1 m_departure_valid;"),
        (PI2, "ticks-not-heard", r"(assign head1_onState_IS_MOVED = ).*;", r"\1 1'b0;"),
        (PI2, "one-update-for-all", r"(assign head1_onMove_TIMES = ).*;", r"\1 10'd0;"),
        (PI2, "ticks-not-kept", r"(assign onAfter_after_ticks = ).*;", r"\1 16'd0;"),
        (PI2, "wait-of-an-empty-queue", r"(assign head1_onState_FOUND = )\(\(! \w+\)", r"\1(1'b1"),
        (PI2, "old-delay-not-kept", r"(assign head1_onState_OLD = ).*;", r"\1 head1_onState_BEFORE_found;"),
        (PI2, "updates-again-only-rise", r"head0_onState_BEFORE_isBelow_delay_4 \?", "1'b0 ?"),
        (PI2, "draw-of-another-bit", r"(assign head0_DRAW = head_packet_tag\[)31 : 0\]", r"\1 32 : 1]"),
    )
)


@lru_cache(maxsize=4)  # all faults have the same
def traffic(config: str, arrivals: int, seed: int) -> TilePlay:
    """Stretches with other flows, loads and rates of asks and of the link each, and one of nothing but the link at the end."""
    rng = random.Random(seed)
    offered: list[Packet | None] = [None] * SETTLING
    is_ready = [False] * SETTLING
    asks = [False] * SETTLING
    step_ns: list[int] = [0] * SETTLING
    count = 0
    while count < arrivals:
        way, load = rng.choice(WAYS), rng.choice((1.0, 0.5, 0.1, 0.03, 0.02))
        rate, asking = rng.choice((1.0, 0.9, 0.5)), rng.choice((1.0, 1.0, 0.5, 0.1, 0.03))
        jump = rng.choice((4, 4, 4, 1000, 1 << 44))
        for _ in range(rng.choice((50, 500, 5000))):
            packet = None
            if rng.random() < load and count < arrivals:
                flow = FLOWS[choose_queue(rng, way, len(offered) - SETTLING)]
                packet = Packet(flow, rng.choice((64, 64, 576, 1500, 9600)), rng.choice((0, 1, 2, 3)))
                count += 1
            offered.append(packet)
            is_ready.append(rng.random() < rate)
            asks.append(rng.random() < asking)
            step_ns.append(jump if rng.random() < 0.001 else 4)
    drained = 20_000
    offered += [None] * (drained + MEETING + 40)
    is_ready += [True] * (drained + MEETING) + [False] * 40  # until what left last is counted
    asks += [True] * drained + [False] * (MEETING + 40)
    settings = (
        dict(zip(LIMITS, SETTINGS[(seed + seed // 4) % len(SETTINGS)], strict=True))
        | LAWS[config][seed % len(SETTINGS)]
    )
    settings |= {"queue_secret0": rng.getrandbits(32)} if seed % 2 else {}
    quanta = {rng.randrange(QUEUES): rng.choice((64, 700, 5000, 1 << 19)) for _ in range(12)}
    return TilePlay(config, settings, offered, is_ready, quanta, asks=asks, step_ns=step_ns)


@pytest.mark.parametrize("config", LAWS)
def test_a_thousand_queues(config: str, request: pytest.FixtureRequest) -> None:
    """Every verdict, departure, drop at the head and counter."""
    player = Player(source_of(config))
    wanted = request.config.getoption("arrivals") or SHORT
    seen: Counter[str] = Counter()
    for seed in range(-(-wanted // ARRIVALS)):
        seen.update(traffic(config, ARRIVALS, seed).check(player))
    reasons = {reason: seen[reason] for reason in REASONS[config]}
    print(
        f"{config}: {seen['verdicts']:,} verdicts, {seen['departures']:,} departures, {seen['dropped']:,} drops at the head, "
        f"0 mismatches; {reasons}"
    )
    assert seen["verdicts"] >= wanted
    assert min(reasons.values()) > wanted // 1000
    assert seen["departures"] > wanted // 10


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_is_noticed(fault: Fault) -> None:
    """Within the first runs."""
    broken = fault.player(source_of(fault.config))

    def compare() -> None:
        for seed in range(len(SETTINGS)):
            traffic(fault.config, ARRIVALS, seed).check(broken)

    with pytest.raises(AssertionError, match="clock "):
        compare()
