# SPDX-License-Identifier: Apache-2.0
"""RED's corners, from the paper and from ns-2. The bench compares every verdict with the model; what the verdicts must
amount to stands here."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from lib.core.bench import CoreBench
from lib.core.cycle import Cycle

from sluice_golden import Arrival
from sluice_golden.red.red import Red

if TYPE_CHECKING:
    from collections.abc import Iterator

ONE = 1 << 31


def bench_with(**raw: int) -> CoreBench:
    """A core in which the given raw parameters are in force."""
    bench = CoreBench("red")
    bench.apply(Red.defaults() | raw)
    return bench


def standing_queue(count: int, packets: int, ect: bool = False, seed: int = 1) -> Iterator[Cycle]:
    """Arrivals that all find the same queue."""
    rng = random.Random(seed)
    for i in range(count):
        yield Cycle(Arrival(4 * i, 1, 1000, 2 * ect, packets, 1000 * packets, (rng.getrandbits(32),)))


def test_nothing_below_min() -> None:
    bench = bench_with(weight_exponent=0)
    bench.play(standing_queue(2000, 4))
    assert set(bench.verdicts) == {"pass"}
    bench.check()


def test_everything_beyond_the_curve() -> None:
    """At max without gentle, at twice max with gentle, every packet goes; one packet below, some stay."""
    for gentle, edge in ((0, 15), (1, 30)):
        bench = bench_with(weight_exponent=0, gentle=gentle)
        bench.play(standing_queue(500, edge))
        assert bench.verdicts == {"Forced drop": 500}
        bench.verdicts.clear()
        bench.play(standing_queue(500, edge - 1))
        assert bench.verdicts["pass"] > 0
        assert bench.verdicts["Forced drop"] == 0
        bench.check()


def test_drop_rate_is_the_probability() -> None:
    """Mean gap between drops: (1 + 1/p)/2 in the 1993 form, 1.5/p with wait."""
    for wait, mean_gap in ((0, 50.5), (1, 150)):
        bench = bench_with(weight_exponent=0, wait=wait, probability=round(0.02 * ONE))
        bench.play(standing_queue(30_000, 10))  # the middle of 5..15: p_b = 0.01
        gap = 30_000 / bench.verdicts["Unforced drop"]
        assert abs(gap / mean_gap - 1) < 0.06, f"mean gap {gap}"
        bench.check()


def test_marks_only_up_to_mark_most() -> None:
    """ns-2's mark_p: ECN-capable packets are marked while p_b is at most mark_p, dropped above; forced ones always dropped."""
    for packets, reason in ((9, "Unforced mark"), (12, "Unforced drop"), (30, "Forced drop")):
        bench = bench_with(weight_exponent=0, ecn=1, probability=ONE // 5, mark_most=ONE // 10)
        bench.play(standing_queue(1000, packets, ect=True))
        assert set(bench.verdicts) - {"pass"} == {reason}
        bench.check()


def test_step_marking_like_dctcp() -> None:
    """Weight 1, no gentle slope, soft forced drops: CE on every packet that finds K or more queued, on no other."""
    bench = bench_with(
        weight_exponent=0, gentle=0, wait=0, ecn=1, hard_drop=0, min=19 << 14, max=20 << 14, probability=0
    )
    bench.play(standing_queue(300, 19, ect=True))
    assert set(bench.verdicts) == {"pass"}
    bench.verdicts.clear()
    bench.play(standing_queue(300, 20, ect=True))
    assert bench.verdicts == {"Forced mark": 300}
    bench.check()


def test_hours_of_silence_forget_the_queue() -> None:
    bench = bench_with(weight_exponent=9)
    bench.play(standing_queue(4000, 200))
    bench.idle(bench.latency + 1)
    bench.step(Cycle(found_empty_ns=16_000))
    bench.idle(5)
    bench.step(Cycle(Arrival(7_200_000_000_000, 1, 1000, False, 0, 0, (1,))))
    assert bench.golden.status()["average"] == 0
    bench.check()
