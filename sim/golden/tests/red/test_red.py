# SPDX-License-Identifier: Apache-2.0
"""The integer model of RED against the paper: average and probability within stated bounds, gaps as the paper draws them."""

from __future__ import annotations

import math
import random
from collections import Counter

import pytest

from sluice_golden.core import Arrival
from sluice_golden.red.red import Red, RedHalfWeights
from sluice_golden.red.red_reference import RedReference, final_probability


def arrival(now_ns: int = 0, packets: int = 0, draw: int = 0, size: int = 1000) -> Arrival:
    return Arrival(now_ns, 1, size, False, packets, packets * size, (draw,))


def configured(model: type[Red] = Red, **raw: int) -> Red:
    red = model()
    red.apply(red.parameters | raw)
    return red


@pytest.mark.parametrize(("model", "exponents"), [(Red, (5,)), (Red, (9,)), (Red, (12,)), (RedHalfWeights, (8, 9))])
def test_average_and_probability_stay_near_the_paper(model: type[Red], exponents: tuple[int, ...]) -> None:
    """Average: 2^(n - 18) packets too high at most, plus one packet time's decay for each idle time, which fades.
    Probability: 2^-16 of its range beside what the average's error makes of it."""
    rng = random.Random(1)
    weight = sum(2.0**-e for e in exponents)
    half = {"weight_half": 1} if len(exponents) == 2 else {}
    red = configured(model, weight_exponent=exponents[0], **half, wait=0)
    reference = RedReference(5, 15, 0.02, weight, 800_000, gentle=True)
    rounding = len(exponents) * 2.0 ** (max(exponents) - 18)
    now, level, idle_error = 0, 0.0, 0.0
    for _ in range(20_000):
        now += rng.choice((1000, 800_000))
        level = min(60.0, max(0.0, level + rng.gauss(0, 2)))
        if level == 0 and rng.random() < 0.3:
            red.found_empty(now)
            reference.found_empty(now)
            idle_error += reference.average * (weight * 1.01 + 0.0008)
            now += rng.randrange(50_000_000)
        red.arrive(arrival(now, int(level), rng.getrandbits(32)))
        reference.sample(now, int(level))
        idle_error *= 1 - weight
        error = red.average / 2**18 - reference.average
        assert abs(error) <= rounding + idle_error + 2e-4
        p = reference.base_probability()
        if 0 < p < 1:
            slope = max(0.02 / 10, 0.98 / 15)
            seen = (
                red._probability(red.average >> 4, 1000) / 2**32 if red.average >> 4 >= red.parameters["min"] else 0.0
            )
            assert abs(seen - p) <= abs(error) * slope + 2**-16 + slope * 2**-14


@pytest.mark.parametrize("wait", [False, True])
def test_gaps_are_uniform(wait: bool) -> None:
    """Constant p_b = 0.05: gaps 1..20, with wait 20..40 (section 7 of the paper, method 2)."""
    # The average is the queue, which stands in the middle of 0..4: half of max_p.
    red = configured(min=0, max=4 << 14, probability=round(0.1 * 2**31), weight_exponent=0, wait=int(wait))
    rng = random.Random(2)
    gaps: Counter[int] = Counter()
    since = 0
    for _ in range(200_000):
        since += 1
        if red.arrive(arrival(0, 2, rng.getrandbits(32))).action == "drop":
            gaps[since] += 1
            since = 0
    low, high = (20, 40) if wait else (1, 20)
    assert low <= min(gaps) <= low + 1
    assert high <= max(gaps) <= high + 1
    middle = [gaps[g] for g in range(low + 2, high)]
    assert max(middle) / min(middle) < 1.25


@pytest.mark.parametrize(
    ("low", "high", "ours_more", "fewer_percent"),
    [(0.02, 0.02, 1, 1.3), (0.25, 0.25, 1, 15.3), (0.001, 0.06, None, 5)],
    ids=["constant-low", "constant-high", "swinging"],
)
def test_gaps_beside_a_draw_for_each_packet(
    low: float, high: float, ours_more: int | None, fewer_percent: float
) -> None:
    """With `wait`, against ns-2's and ns-3's form, which draws for each packet: a gap is a packet longer; and where the
    probability swings, here once in 600 packets, one draw for the gap answers sooner and drops less in all."""
    scale, count, rng = 1 << 12, 60_000, random.Random(4)
    red = configured(min=0, max=scale << 14, probability=round(0.5 * 2**31), weight_exponent=0, wait=1)
    ours = theirs = since = 0
    for number in range(count):
        p = low + (high - low) * (0.5 - 0.5 * math.cos(2 * math.pi * number / 600))
        ours += red.arrive(arrival(0, round(2 * p * scale), rng.getrandbits(32))).action == "drop"
        since += 1
        if rng.random() < final_probability(p, since, wait=True):
            theirs, since = theirs + 1, 0
    print(
        f"p {low} to {high}: every {count / ours:.2f}th packet, and every {count / theirs:.2f}th with a draw for each"
    )
    if ours_more is not None:
        assert count / ours - count / theirs == pytest.approx(ours_more, abs=0.5 if low < 0.1 else 0.05)
    assert 100 * (1 - ours / theirs) == pytest.approx(fewer_percent, abs=2)


def test_final_probability_makes_the_gap_uniform() -> None:
    """Equation 3: the chance of a gap of n is p_b for every n up to 1/p_b."""
    survive, chances = 1.0, []
    for count in range(20):
        p = final_probability(0.05, count, wait=False)
        chances.append(survive * p)
        survive *= 1 - p
    assert chances == pytest.approx([0.05] * 20)
    assert final_probability(0.05, 19, wait=True) == 0
    assert final_probability(0.05, 40, wait=True) == 1


def test_paper_examples_of_the_average() -> None:
    """Section 4, equation 3: after a burst of L packets into an empty queue the average is
    L + 1 + ((1 - w)^(L+1) - 1)/w; the paper's w = 0.002 lets a burst of 50 packets come to 2.4."""
    weight, burst = 2.0**-9, 50
    red = configured(weight_exponent=9)
    for queue in range(1, burst + 1):
        red.arrive(arrival(0, queue))
    expected = burst + 1 + ((1 - weight) ** (burst + 1) - 1) / weight
    assert red.average / 2**18 == pytest.approx(expected, abs=0.01)
    assert expected == pytest.approx(2.4, abs=0.1)


def test_idle_time_decays_by_the_packets_that_could_have_left() -> None:
    red = configured(weight_exponent=9, idle_rate=round(16 / 800_000 * 2**32))
    red.average = 10 << 18
    red.found_empty(0)
    red.arrive(arrival(400 * 800_000, 0))
    assert red.average / 2**18 == pytest.approx(10 * (1 - 2**-9) ** 401, rel=2e-3)
    assert math.isclose(red.idle_since_ns or -1, -1)


def test_byte_mode_scales_with_the_packet() -> None:
    red = configured(byte_mode=1, avpkt=1000, gentle=0)
    level = 10 << 14
    whole = red._probability(level, 1000)
    assert red._probability(level, 64) == pytest.approx(whole * 0.064, rel=2e-3)
    assert red._probability(level, 9000) == pytest.approx(whole * 9, rel=1e-3)
