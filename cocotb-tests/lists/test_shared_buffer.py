# SPDX-License-Identifier: Apache-2.0
"""A buffer that a thousand queues share by dynamic thresholds: the tile against its golden model, the fixed point, and copies
with one fault each, which must not pass.

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
from lib.tile.queue_choice import ALL, QUEUES, choose_queue, draw_size, stretches

from sluice_golden.core import Packet
from sluice_golden.tile.many_queues.shared_buffer import exponent

CONFIG = "droptail-1k"
SHORT = 100_000
ARRIVALS = 25_000
"""Of one run; a longer test has more runs, with other seeds."""
BYTES = (1 << 26) - 1
BOUNDS = ((ALL, BYTES), (ALL, 1_500_000), (300, BYTES), (1000, 200_000))
"""By seed, one after the other: of the tile, so that packets bind, bytes, either in small buffers."""
NONE = 17

OF = r"onVerdict_admission_listed_of(?:Packets|Bytes)"
OF_PACKETS = "onVerdict_admission_listed_ofPackets"
ACCEPTED = r"onVerdict_admission_isAccepted \?"
FAULTS = tuple(
    Fault(CONFIG, name, pattern, replacement, within=2 * ARRIVALS)
    for name, pattern, replacement in (
        ("alpha-of-all", rf"(assign _zz_{OF_PACKETS}_isNone3_\d+ = )\(\w+ \? \w+ : (\w+)\);", r"\1 \2;"),
        (
            "alpha-of-the-packet-behind",
            rf"(= \(\w+ \? _zz_{OF_PACKETS}_isNone3_)(\d+) :",
            lambda m: f"{m[1]}{int(m[2]) - 1} :",
        ),
        ("blind-to-the-last-packet", rf"({OF}_isBelow = )\({ACCEPTED} \w+ : (\w+)\);", r"\1 \2;"),
        ("blind-to-the-one-before-that", rf"({OF}_if\w+_threshold1 = )\(\w+ \? \w+ : (\w+)\);", r"\1 \2;"),
        ("queue-blind-to-the-last-packet", r"\w+_listed_isSame3 \?", "1'b0 ?"),
        ("packets-only", r" && onVerdict_admission_listed_ofBytes_isBelow\)", ")"),
        ("bytes-only", r" && onVerdict_admission_listed_ofPackets_isBelow\)", ")"),
        ("nothing-leaves", rf"({OF}_freed4 <= ).*;", r"\1 0;"),
        ("more-than-a-queue-is-nothing", rf"(assign _zz_{OF}_if\w+_isPlenty = ).*;", r"\1 0;"),
        ("rounded-up", rf"({OF}_if\w+1 <= )\((.*) >>> 4'd8\);", r"\1 ((\2 + 255) >>> 8);"),
    )
)


@lru_cache(maxsize=4)  # all faults have the same
def traffic(arrivals: int, seed: int) -> TilePlay:
    """Stretches with other queues, loads and rates of the link each. Some queues have an alpha of their own, any."""
    rng = random.Random(seed)

    def packet_of(way: int, clock: int) -> Packet:
        size, flow = draw_size(rng), rng.getrandbits(32)
        return Packet(flow, size, 0, queue=choose_queue(rng, way, clock))

    offered, is_ready = stretches(rng, arrivals, packet_of)
    offered += [None] * 60  # until all are judged
    is_ready += [False] * 60
    limit, limit_bytes = BOUNDS[seed % len(BOUNDS)]
    own = [0, 1, QUEUES - 1, *(queue * 85 for queue in range(12)), *rng.sample(range(QUEUES), 100)]
    alphas = {queue: rng.randint(1, NONE) for queue in own}
    settings = {"limit": limit, "limit_bytes": limit_bytes, "queue_limit": ALL, "queue_quantum": 9600}
    settings["queue_alpha"] = rng.randint(0, 16)
    return TilePlay(CONFIG, settings, offered, is_ready, alphas=alphas)


@pytest.fixture(scope="module")
def player() -> Player:
    return Player(source_of(CONFIG))


def test_a_buffer_that_a_thousand_queues_share(player: Player, request: pytest.FixtureRequest) -> None:
    """Every verdict, departure and counter."""
    wanted = request.config.getoption("arrivals") or SHORT
    seen: Counter[str] = Counter()
    for seed in range(-(-wanted // ARRIVALS)):
        seen += traffic(ARRIVALS, seed).check(player)
    print(
        f"{CONFIG}: {seen['verdicts']:,} verdicts, {seen['drops']:,} drops, {seen['departures']:,} departures, 0 mismatches"
    )
    assert seen["verdicts"] >= wanted
    assert seen["drops"] > wanted // 50
    assert seen["departures"] > wanted // 10


@pytest.mark.parametrize("greedy", [1, 2, 8, 64])
@pytest.mark.parametrize("code", [7, 9, 11], ids=lambda code: f"alpha-{2.0 ** exponent(code):g}")
@pytest.mark.parametrize("unit", ["packets", "bytes"])
def test_the_fixed_point(player: Player, greedy: int, code: int, unit: str) -> None:
    """So many queues that always have more, in turn, to a link that takes nothing: each comes to alpha B / (1 + alpha n), within
    a frame."""
    frame, packets = 1000, 3000
    count = 8 * packets
    offered: list[Packet | None] = [Packet(i, frame, 0, queue=7 * (i % greedy)) for i in range(count)]
    bound = {"limit": packets} if unit == "packets" else {"limit": ALL, "limit_bytes": frame * packets}
    settings = {**bound, "queue_limit": ALL, "queue_alpha": code}
    held = Counter(accepted_queues(TilePlay(CONFIG, settings, offered + [None] * 60, [False] * (count + 60)), player))
    alpha = 2.0 ** exponent(code)
    point = alpha * packets / (1 + alpha * greedy)
    print(
        f"alpha {alpha:g} of {unit}, {greedy} queues: {point:.1f} frames, {min(held.values())} to {max(held.values())} held"
    )
    assert len(held) == greedy
    assert all(abs(its - point) <= 1 for its in held.values()), (point, held)


def accepted_queues(play: TilePlay, player: Player) -> list[int]:
    """The queues of the packets that were let in."""
    shown = play.run(player)
    return [
        queue
        for clock in range(len(play.offered))
        for valid, queue, action in [shown.at(clock, "m_verdict", "valid", "queue", "action")]
        if valid and action != 2
    ]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_is_noticed(fault: Fault) -> None:
    """Within the first runs."""
    broken = fault.player(source_of(CONFIG))

    def compare() -> None:
        for seed in range(fault.within // ARRIVALS):
            traffic(ARRIVALS, seed).check(broken)

    with pytest.raises(AssertionError, match="clock "):
        compare()
