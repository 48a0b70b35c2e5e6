# SPDX-License-Identifier: Apache-2.0
"""The adaptive schemes' max_p on the RTL, step by step: ticks while the average wanders below, within and above the target band.

The conformance suite has the packets.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from lib.core.bench import CoreBench
from lib.core.cycle import Cycle

from sluice_golden import Arrival

if TYPE_CHECKING:
    from collections.abc import Iterator

STEPS_BY = {
    "ared": ("rising", "falling", "still"),
    "re-ared": ("rising", "falling", "still"),
    "re-ared-m1": ("rising", "falling", "still"),
    "re-ared-m2": ("rising", "falling", "still"),
    "cared": ("rising", "falling"),
}
"""Ways of the average, since the tick before, by which max_p moves: all of them where the average's place alone decides."""

STEPS = 1000
LEAST_OF_A_KIND = 10
LEVELS = (2, 6, 8, 9, 10, 11, 12, 14, 25)
INTERVAL_NS = 500_000_000
TICK = "adaptation"


def burst(rng: random.Random, now_ns: int) -> Iterator[Cycle]:
    """Enough arrivals to move the average towards a level; none now and then, so that it stands still."""
    level = rng.choice(LEVELS)
    for _ in range(rng.choice((0, 2, 8, 30))):
        yield Cycle(Arrival(now_ns, 1, 1000, False, level, 1000 * level, (rng.getrandbits(32),)))


def idle_then_tick(rng: random.Random, now_ns: int) -> Iterator[Cycle]:
    """An idle time, ended by an arrival within two clocks of a tick: the average before it must not be the decayed one."""
    yield Cycle(found_empty_ns=now_ns)
    yield from (Cycle() for _ in range(3))
    cycles = [Cycle() for _ in range(5)]
    later_ns = now_ns + 5_000_000
    cycles[2].arrival = Arrival(later_ns, 1, 1000, False, 0, 0, (rng.getrandbits(32),))
    ticked = rng.randrange(len(cycles))
    cycles[ticked].ticks[TICK] = now_ns if ticked < 2 else later_ns
    yield from cycles


@pytest.mark.parametrize("config", STEPS_BY)
def test_max_p_rises_and_falls(config: str) -> None:
    """Each step is the model's, both ways are taken by each way of the average that the scheme heeds, and by no other."""
    bench = CoreBench(config)
    fast = {"weight_exponent": 5, "weight_half": 1}  # the average follows in a few arrivals
    bench.apply(bench.model.defaults() | fast)

    rng = random.Random(20260101)
    cases: Counter[tuple[str, str]] = Counter()
    now_ns = 1_700_000_000_000_000_000
    while cases.total() < STEPS:
        now_ns += INTERVAL_NS
        golden: Any = bench.golden
        bench.play(burst(rng, now_ns))
        while not (bench.can_find_empty and bench.can_tick(TICK)):
            bench.step(Cycle())
        before, previous = golden.max_p, golden.level_before
        bench.play(idle_then_tick(rng, now_ns) if rng.random() < 0.2 else [Cycle(ticks={TICK: now_ns})])
        while not bench.can_tick(TICK):
            bench.step(Cycle())
        bench.play(burst(rng, now_ns + 10_000_000))
        if golden.max_p != before:
            seen = golden.level_before
            way = "rising" if seen > previous else "falling" if seen < previous else "still"
            cases["up" if golden.max_p > before else "down", way] += 1
    bench.check()

    assert set(cases) == {(step, way) for step in ("up", "down") for way in STEPS_BY[config]}
    assert min(cases.values()) >= LEAST_OF_A_KIND, cases
