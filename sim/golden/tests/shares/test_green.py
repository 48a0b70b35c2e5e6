# SPDX-License-Identifier: Apache-2.0
"""The integer model of GREEN against its equations in floating point."""

from __future__ import annotations

import random

import pytest

from sluice_golden import Arrival, Departed, Settled
from sluice_golden.shares.green import Green
from sluice_golden.shares.green_queues import COMPLIANT, OTHERS, Green2Queues, departed_evenly, quanta
from sluice_golden.shares.green_reference import Gamma, drop_probability
from sluice_golden.shares.green_window import GAMMA_FRACTION, Rate, Window

_WORDS = 1 << 32
_OC3 = 155e6 / 8


def parameters(bytes_per_s: float, **raw: int) -> dict[str, int]:
    return Green.defaults() | {"capacity": round(bytes_per_s * 1e-9 * 2**28)} | raw


def probability(rate: Rate, rtt_us: int) -> float:
    """p of a packet: both draws, each of so many words, are below."""
    words = min(-(-(rate.reach << 16) // rtt_us), _WORDS)
    return (words / _WORDS) ** 2


def reach_of(flows: float, bytes_per_s: float) -> Rate:
    return Rate().after(Window(), 0, round(flows * 256), parameters(bytes_per_s))


@pytest.mark.parametrize("mbps", [1, 10, 155, 1_000, 100_000])
@pytest.mark.parametrize("flows", [1, 10, 100, 400, 4096])
def test_every_probability_is_the_equation(mbps: float, flows: int) -> None:
    """Within 0.03 % of it, or 2^-30, for any round-trip time from 1 ms to 2 s."""
    rate = reach_of(flows, mbps * 1e6 / 8)
    for rtt_ms in (1, 3, 10, 72, 200, 470, 1000, 2000):
        expected = drop_probability(flows, rtt_ms * 1e-3, mbps * 1e6 / 8)
        assert probability(rate, 1000 * rtt_ms) == pytest.approx(expected, rel=3e-4, abs=2**-30)


def test_the_probability_is_that_of_the_verdicts() -> None:
    """Where both draws turn the verdict is where `probability` says."""
    model = Green()
    model.rate = reach_of(100, _OC3)
    bound = round(probability(model.rate, 72_000) ** 0.5 * _WORDS)

    def verdict(*words: int) -> str:
        return model.fork().arrive(Arrival(0, 1, 1000, 0, 0, 0, words, rtt_us=72_000)).action

    assert [verdict(bound - 1, 0), verdict(0, bound - 1), verdict(bound, 0), verdict(0, bound)] == [
        "drop",
        "drop",
        "pass",
        "pass",
    ]


def test_gamma_is_the_rule_over_many_windows() -> None:
    """Within 0.2 % of it after a thousand windows of any kind, and so p within 0.4 %."""
    rng = random.Random(1)
    rate, gamma, raw = Rate(), Gamma(), parameters(_OC3)
    seen = []
    for number in range(1000):
        used, overflowed = rng.choice((0.2, 0.7, 0.97, 0.99, 1.0)), rng.random() < (0.5 if number < 100 else 0.97)
        window = Window(round(used * _OC3), overflowed)
        gamma.window(used, is_overflowed=overflowed)
        rate = rate.after(window, 10**9, 256, raw)
        seen.append(gamma.value)
        assert rate.utilisation / 2**20 == pytest.approx(used, rel=1e-4)
        assert rate.gamma / 2**GAMMA_FRACTION == pytest.approx(gamma.value, rel=2e-3)
    assert (min(seen), max(seen)) == (2**-6, 127)


@pytest.mark.parametrize(
    ("window", "frozen", "expected"),
    [
        (Window(), 0, 1.0),  # nothing left: U = 0 says nothing
        (Window(has_refused=True, has_let_in=True), 0, 1.0),
        (Window(has_refused=True), 0, 2.0),  # but where all were refused
        (Window(has_refused=True), 1, 2.0),
        (Window(round(_OC3 / 2), has_refused=True), 0, 1.5),
        (Window(is_overflowed=True), 0, 0.95),
        (Window(round(_OC3 / 2)), 0, 1.5),
        (Window(round(_OC3 / 2)), 1, 1.0),
        (Window(round(_OC3 / 2), is_overflowed=True), 1, 1.0),
        (Window(round(_OC3 * 0.99)), 0, 1.0),
        (Window(round(_OC3 / 1000)), 0, 127.0),  # as far as it may
    ],
)
def test_one_window(window: Window, frozen: int, expected: float) -> None:
    rate = Rate().after(window, 10**9, 256, parameters(_OC3, freeze=frozen))
    assert rate.gamma / 2**GAMMA_FRACTION == pytest.approx(expected, rel=1e-3)


def test_a_window_is_from_arrival_to_arrival() -> None:
    """Ends with the first arrival after a tick, over the time that has passed; what leaves then is the next one's."""
    model = Green()
    model.apply(parameters(_OC3))

    def arrive(at_s: float, flow: int) -> None:
        mixed = flow * 0x9E3779B1 % _WORDS
        model.arrive(Arrival(round(at_s * 1e9), mixed, 1000, 0, 0, 0, (0, 0), rtt_us=72_000))

    def tick() -> None:
        model.tick("window", 0)
        model.settle("window")

    arrive(1.0, 0)  # ends the empty one before
    tick()
    assert (model.rate.flows, model.interval_ns("window")) == (0, 10**9)
    for flow in range(20):
        arrive(1.0 + flow / 100, flow)
    for _ in range(100):
        model.departed(Departed(0, 1, round(_OC3 / 100)))
    model.settled(Settled(0, 1, 1000, fate="refused"))
    tick()  # nothing has ended it
    assert (model.rate.flows, model.interval_ns("window")) == (0, 1 << 20)
    arrive(3.0, 99)
    model.departed(Departed(0, 1, 1 << 15))
    model.settled(Settled(0, 1, 1000, fate="over the limit"))
    tick()
    assert model.rate.flows == 20 << 8
    assert model.rate.utilisation / 2**20 == pytest.approx(0.5, rel=1e-3)
    assert model.rate.gamma / 2**GAMMA_FRACTION == pytest.approx(1.5, rel=1e-3)
    tick()
    arrive(4.0, 99)
    tick()
    assert model.rate.flows == 1 << 8
    assert model.rate.gamma / 2**GAMMA_FRACTION == pytest.approx(1.5 * 0.95, rel=1e-3)


@pytest.mark.parametrize("flows", [(1, 1), (10, 10), (300, 100), (7, 4800), (16383, 24), (5, 0), (0, 3), (0, 0)])
def test_shares_are_those_of_the_flows(flows: tuple[int, int]) -> None:
    """Quanta within 0.1 % of N1 to N2, a queue of none as one of one; and bytes as if all flows sent as the compliant ones."""
    numbers = [max(1, number) for number in flows]
    counted = flows[0] << 8, flows[1] << 8
    compliant, others = quanta(1514, counted)
    assert min(compliant, others) == 1514
    expected = min(1514 * max(numbers) / min(numbers), (1 << 20) - 1)
    assert max(compliant, others) == pytest.approx(expected, rel=1e-3)
    assert (compliant < others) == (numbers[0] < numbers[1])
    if flows[COMPLIANT]:
        assert departed_evenly(10**6, counted) == 10**6 * sum(flows) // flows[COMPLIANT]
    else:
        assert departed_evenly(10**6, counted) == (1 << 40) - 1


@pytest.mark.parametrize(
    ("compliant", "others", "expected"),
    [
        (0.25, 0.25, 0.5),  # half of the link is used
        (0.25, 0.75, 1.0),  # of the link all, and of 1 to 3 flows that is the compliant one's share
        (0.10, 0.90, 0.4),  # ... of which it has used 0.4
        (0.60, 0.05, 0.65),  # more than its share, and nobody takes the rest
        (0.00, 1.00, 0.0),
    ],
)
def test_utilisation_of_two_queues(compliant: float, others: float, expected: float) -> None:
    """The link's, or that of the compliant flows' share where it is lower. What overflows beside them does not lower gamma."""
    model = Green2Queues()
    model.apply(Green2Queues.defaults() | parameters(_OC3))

    def window(at_s: int) -> None:
        for flow in range(4):
            queue = COMPLIANT if flow == 0 else OTHERS
            rtt_us = 0 if queue else 72_000
            mixed = flow * 0x9E3779B1 % _WORDS
            model.arrive(Arrival(at_s * 10**9, mixed, 1000, 0, 0, 0, (0, 0), rtt_us=rtt_us, queue=queue))
        for _ in range(1000):
            for queue, part in ((COMPLIANT, compliant), (OTHERS, others)):
                model.departed(Departed(0, 1, round(part * _OC3 / 1000), queue=queue))
        model.settled(Settled(0, 1, 1000, fate="over the limit", queue=OTHERS))
        model.tick("window", 0)
        model.settle("window")

    for at_s in (1, 2, 3):
        window(at_s)
    assert model.rate.flows == 4 << 8
    assert model.status()["others"] == 3 << 8
    assert model.quanta() == (1514, 3 * 1514)
    assert model.rate.utilisation / 2**20 == pytest.approx(expected, rel=2e-3)
    rises = (1 + expected) / (2 * expected) if 0 < expected < 0.98 else 1.0
    assert model.rate.gamma / 2**GAMMA_FRACTION == pytest.approx(rises, rel=1e-2)
