# SPDX-License-Identifier: Apache-2.0
"""CHOKe's corners, from the paper and from Linux: who is compared, who goes along, and what a match leaves alone."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from lib.core.bench import CoreBench
from lib.core.cycle import Cycle

from sluice_golden import Arrival

if TYPE_CHECKING:
    from collections.abc import Sequence

CONFIGS = ("choke", "choke-3")
OWN, OTHER = 0x8000_0001, 0x0000_0001  # flows, one bit apart


def bench_with(config: str, **raw: int) -> CoreBench:
    """A core in which the average is the queue and the given raw parameters are in force."""
    bench = CoreBench(config)
    bench.apply(bench.model.defaults() | {"weight_exponent": 0} | raw)
    return bench


def play(
    bench: CoreBench, count: int, packets: int, samples: Sequence[int | None], ecn: int = 0
) -> list[tuple[str, int | None]]:
    """Reason and victim of so many arrivals of one flow, which all find the same queue and the same samples; candidates beyond
    those given are not there."""
    rng = random.Random(1)
    candidates = (*samples, None, None, None)[: bench.model.samples]
    for _ in range(count):
        draw = (rng.getrandbits(32),)
        bench.step(
            Cycle(Arrival(0, OWN, 1000, ecn, packets, 1000 * packets, draw, samples=candidates)),
        )
    return [(judged.verdict.reason, judged.verdict.victim) for judged in bench.judged[-count:]]


@pytest.mark.parametrize("config", CONFIGS)
def test_nobody_is_compared_up_to_min(config: str) -> None:
    bench = bench_with(config)
    assert set(play(bench, 500, 5, [OWN])) == {("", None)}
    bench.check()


@pytest.mark.parametrize("config", CONFIGS)
def test_a_flow_alone_in_the_queue_loses_every_packet_above_min(config: str) -> None:
    """And with each one that is queued; whether RED would have passed, tested or forced it, and ECN-capable or not."""
    bench = bench_with(config, ecn=1, hard_drop=0)
    for packets in (6, 10, 15, 16, 100):
        for ecn in (0, 2):
            assert set(play(bench, 200, packets, [OWN] * 3, ecn)) == {("Matched drop", 0)}
    bench.check()


@pytest.mark.parametrize("config", CONFIGS)
def test_no_sample_no_match(config: str) -> None:
    """Nothing could be drawn, or only another flow: RED judges alone, from just above min to just beyond max."""
    for samples in ([], [OTHER] * 3):
        bench = bench_with(config, probability=1 << 30)
        assert set(play(bench, 200, 6, samples)) == {("", None), ("Unforced drop", None)}
        assert set(play(bench, 200, 15, samples)) == {("", None), ("Unforced drop", None)}
        assert set(play(bench, 200, 16, samples)) == {("Forced drop", None)}
        bench.check()


def test_the_first_match_goes_along() -> None:
    """Of several candidates, also of two that are the same; one victim for each verdict."""
    bench = bench_with("choke-3")
    for samples, victim in (([OTHER, OWN, OWN], 1), ([None, OTHER, OWN], 2), ([OWN, None, OWN], 0), ([OWN, OWN], 0)):
        assert set(play(bench, 50, 10, samples)) == {("Matched drop", victim)}
    bench.check()


@pytest.mark.parametrize("config", CONFIGS)
def test_a_match_leaves_the_spacing_alone(config: str) -> None:
    """The same packets are dropped of those that RED tests, however many matched ones come between any two of them."""
    seen = []
    for between in (0, 1, 7):
        bench = bench_with(config, probability=round(0.1 * 2**31))
        play(bench, 1, 5, [])
        rng = random.Random(5)
        tested = []
        for _ in range(2000):
            play(bench, between, 10, [OWN])
            draw = (rng.getrandbits(32),)
            samples = (None,) * bench.model.samples
            bench.step(Cycle(Arrival(0, OWN, 1000, 0, 10, 10_000, draw, samples=samples)))
            tested.append(bench.judged[-1].verdict.reason)
        assert bench.verdicts["Matched drop"] == 2000 * between
        assert bench.verdicts["Unforced drop"] > 100
        bench.check()
        seen.append(tested)
    assert seen[0] == seen[1] == seen[2]
