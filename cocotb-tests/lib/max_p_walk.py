# SPDX-License-Identifier: Apache-2.0
"""An adaptive core's max_p, step by step: ticks while the average wanders below, within and above the target band."""

from __future__ import annotations

import random
from collections import Counter
from typing import TYPE_CHECKING, Any

from lib.core_bench import CoreBench, Cycle
from lib.simulation import registers
from sluice_golden import Arrival, models

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sluice_golden.adaptive import Adaptive

LEAST_STEPS = 1000
ONE = 1 << 31
_LEVELS = (2, 6, 8, 9, 10, 11, 12, 14, 25)


def _burst(rng: random.Random, level: int) -> Iterator[Cycle]:
    """Enough arrivals to move the average towards a level; none now and then, so that it stands still."""
    for _ in range(rng.choice((0, 2, 8, 30))):
        yield Cycle(Arrival(0, 1, 1000, False, level, 1000 * level, (rng.getrandbits(32),)))


def _idle_then_tick(rng: random.Random) -> Iterator[Cycle]:
    """An idle time, ended by an arrival within two clocks of a tick: the average before it must not be the decayed one."""
    yield Cycle(found_empty_ns=0)
    yield from (Cycle() for _ in range(3))
    cycles = [Cycle() for _ in range(5)]
    cycles[2].arrival = Arrival(5_000_000, 1, 1000, False, 0, 0, (rng.getrandbits(32),))
    rng.choice(cycles).tick_ns = 0
    yield from cycles


async def walk(dut: Any, config: str) -> Counter[tuple[str, str]]:
    """Ticks until max_p has moved `LEAST_STEPS` times, each result compared with the model's. How often it rose and fell
    ("up", "down"), by the way of the average since the tick before ("rising", "falling", "still")."""
    model: type[Any] = models()[config]
    bench = CoreBench(dut, model, registers(config), Counter())
    await bench.start()
    fast = {"weight_exponent": 5, "weight_half": 1}  # the average follows in a few arrivals
    await bench.play([Cycle(parameters=model.defaults() | fast), *(Cycle() for _ in range(400))])
    assert bench.pending is None

    rng = random.Random(20260101)
    cases: Counter[tuple[str, str]] = Counter()
    while cases.total() < LEAST_STEPS:
        golden: Adaptive = bench.golden  # type: ignore[assignment]
        await bench.play(_burst(rng, rng.choice(_LEVELS)))
        before, previous = golden.max_p, golden.level_before
        ticking = _idle_then_tick(rng) if rng.random() < 0.2 else [Cycle(tick_ns=0)]
        await bench.play([*ticking, *_burst(rng, rng.choice(_LEVELS))])
        bench.check_status()
        if golden.max_p != before:
            seen = golden.level_before
            way = "rising" if seen > previous else "falling" if seen < previous else "still"
            cases["up" if golden.max_p > before else "down", way] += 1
    dut._log.info("%d verdicts checked, steps of max_p: %s", bench.checked, dict(cases))
    return cases
