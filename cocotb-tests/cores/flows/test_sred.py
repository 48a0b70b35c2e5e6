# SPDX-License-Identifier: Apache-2.0
"""SRED on the RTL: what it makes of the number of flows and of who sends much, and the corners of its list. The bench compares
every verdict, P and its inverse with the model; what they must amount to stands here."""

from __future__ import annotations

import random
from collections import Counter
from statistics import mean
from typing import TYPE_CHECKING

import pytest
from lib.core.bench import CoreBench
from lib.core.cycle import Cycle

from sluice_golden import Arrival
from sluice_golden.flows.sred import Sred

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

FORMS = ("sred", "sred-full", "sred-simple")
ONE = 1 << 31
ALWAYS, NEVER = 0, (1 << 32) - 1  # draws
ZOMBIES = Sred.zombies_kept
BUFFER = Sred.defaults()["buffer"]
UDP = 0  # the flow of its own share


def bench_with(config: str, **raw: int) -> CoreBench:
    """A core in which the given raw parameters are in force."""
    bench = CoreBench(config)
    bench.apply(bench.model.defaults() | raw)
    return bench


def draw_of(place: int) -> int:
    """A word that draws this zombie."""
    return -(-(place << 32) // ZOMBIES)


def arrive(
    bench: CoreBench, flow: int, words: tuple[int, int, int], queue_bytes: int = BUFFER, ecn: int = 0
) -> tuple[str, bool]:
    """The reason of an arrival's verdict, and whether it met its flow."""
    bench.step(Cycle(Arrival(0, flow, 1000, ecn, queue_bytes // 1000, queue_bytes, words)))
    judged = bench.judged[-1]
    return judged.verdict.reason, bool(judged.view.get("hit"))


def fill(bench: CoreBench, flows: Iterable[int]) -> None:
    """The list, from reset on, with draws that would always hit and drop."""
    for flow in flows:
        assert arrive(bench, flow, (0, ALWAYS, ALWAYS)) == ("", False)


def senders(rng: random.Random, flows: int, udp_share: float) -> Callable[[], int]:
    """Packets of so many flows, of which one has a share of its own; share 0: all send alike."""
    return lambda: UDP if rng.random() < udp_share else rng.randrange(1 if udp_share else 0, flows)


def play(bench: CoreBench, arrivals: int, flow: Callable[[], int], rng: random.Random) -> None:
    for _ in range(arrivals):
        arrive(bench, flow(), (rng.getrandbits(32), rng.getrandbits(32), rng.getrandbits(32)))


@pytest.mark.parametrize(("udp_share", "expected"), [(0.0, 41.0), (0.1, 33.1), (0.3, 9.8)])
def test_the_estimate_is_the_closed_form(udp_share: float, expected: float) -> None:
    """41 flows: the mean of 1/P is 1 / sum(share^2) within a tenth, when P has come to rest."""
    flows, rng = 41, random.Random(1)
    shares = [udp_share, *[(1 - udp_share) / (flows - 1)] * (flows - 1)] if udp_share else [1 / flows] * flows
    assert 1 / sum(share**2 for share in shares) == pytest.approx(expected, rel=5e-3)
    bench = bench_with("sred")
    play(bench, 100_000, senders(rng, flows, udp_share), rng)
    bench.check()
    settled = [judged.status["flows"] / 1024 for judged in bench.judged[15_000:]]
    assert mean(settled) == pytest.approx(expected, rel=0.1)


@pytest.mark.parametrize(
    ("config", "max_probability", "ratio"),
    [("sred", 1 / 64, 4.8), ("sred-full", 1 / 4, 4.8), ("sred-simple", 1.0, 1.0)],
)
def test_who_sends_much_is_dropped_more_where_hits_weigh(config: str, max_probability: float, ratio: float) -> None:
    """120 flows, one with a tenth of all: 1/P is 59.5, and a packet is dropped 1 + 59.5 share times as often as one that nobody
    knows. No hit makes it certain, and P moves so slowly that a hit hardly lowers its own 1/P."""
    rng = random.Random(2)
    bench = bench_with(config, max_probability=round(ONE * max_probability), alpha_exponent=12)
    play(bench, 150_000, senders(rng, 120, 0.1), rng)
    bench.check()
    seen, dropped = Counter[bool](), Counter[bool]()
    for judged in bench.judged[40_000:]:
        is_udp = judged.arrival.flow == UDP
        seen[is_udp] += 1
        dropped[is_udp] += judged.verdict.action == "drop"
    assert dropped[True] / seen[True] / (dropped[False] / seen[False]) == pytest.approx(ratio, rel=0.1)


@pytest.mark.parametrize("config", FORMS)
def test_the_list_fills_first(config: str) -> None:
    """Nobody is compared or dropped before the list is full, nor after a reset until it is full again; and nothing of the old
    list is met then."""
    bench = bench_with(config, max_probability=ONE)
    fill(bench, [1] * ZOMBIES)
    assert arrive(bench, 1, (0, NEVER, NEVER))[1]
    bench.step(Cycle(reset=True))
    fill(bench, [2] * ZOMBIES)
    for place in range(ZOMBIES):
        assert not arrive(bench, 1, (draw_of(place), NEVER, NEVER))[1]
    assert arrive(bench, 2, (0, NEVER, NEVER))[1]
    bench.check()


@pytest.mark.parametrize("gap", [0, 1, 2, 3, 4, 10])
def test_a_zombie_is_overwritten_for_the_next_clock(gap: int) -> None:
    """One place, overwritten in every clock by another flow and met by the same, so many clocks later; not met by another, nor in
    the place beside it, nor where the draw did not overwrite."""
    bench, rng = bench_with("sred"), random.Random(3)
    fill(bench, [0] * ZOMBIES)
    here, beside = draw_of(500), draw_of(501)
    for flow in range(1, 200):
        assert not arrive(bench, flow, (here, ALWAYS, NEVER))[1]
        bench.idle(gap)
        place, own, overwrite = rng.choice((here, here, beside)), rng.random() < 0.5, rng.choice((ALWAYS, NEVER))
        next_flow = flow if own else flow ^ 1 << rng.randrange(10, 32)
        assert arrive(bench, next_flow, (place, NEVER, NEVER))[1] == (own and place == here)
        bench.idle(gap)
        assert not arrive(bench, flow ^ 1 << 31, (here, overwrite, NEVER))[1]
        bench.idle(gap)
        assert arrive(bench, flow, (here, NEVER, NEVER))[1] == (overwrite == NEVER)
    bench.check()


def test_every_zombie_is_drawn_by_its_part_of_the_words() -> None:
    """First and last word of each: the first and the last place, too."""
    bench = bench_with("sred")
    fill(bench, range(1, ZOMBIES + 1))
    for place in range(ZOMBIES):
        for word in (draw_of(place), draw_of(place + 1) - 1):
            assert arrive(bench, place + 1, (word, NEVER, NEVER))[1]
    bench.check()


def test_a_dropped_packet_is_remembered() -> None:
    bench = bench_with("sred", max_probability=ONE)
    fill(bench, [0] * ZOMBIES)
    assert arrive(bench, 1, (0, ALWAYS, ALWAYS)) == ("Unforced drop", False)
    assert arrive(bench, 1, (0, NEVER, NEVER)) == ("Unforced drop", True)
    bench.check()


@pytest.mark.parametrize("config", FORMS)
@pytest.mark.parametrize("buffer", [6, 600_000, 600_001, 1_000_000])
def test_pressure_rises_by_steps_of_the_buffer(config: str, buffer: int) -> None:
    """None below a sixth of it in bytes, a quarter of p_max below a third, p_max from there on, also beyond the buffer. With
    1,000 flows no form takes less."""
    bench = bench_with(config, buffer=buffer, max_probability=ONE // 2, overwrite_probability=0)
    fill(bench, range(ZOMBIES))
    sixth, third = -(-buffer // 6), -(-buffer // 3)
    for queue_bytes, base in (
        (0, 0),
        (sixth - 1, 0),
        (sixth, ONE // 8),
        (third - 1, ONE // 8),
        (third, ONE // 2),
        (buffer, ONE // 2),
        ((1 << 26) - 1, ONE // 2),
    ):
        arrive(bench, ZOMBIES, (0, NEVER, NEVER), queue_bytes)
        assert bench.judged[-1].view["base"] == base
    bench.check()


@pytest.mark.parametrize(("ecn", "field", "reason"), [(0, 2, "drop"), (1, 0, "drop"), (1, 1, "mark"), (1, 3, "mark")])
def test_ecn(ecn: int, field: int, reason: str) -> None:
    bench = bench_with("sred", max_probability=ONE, ecn=ecn, mark_most=ONE)
    fill(bench, [0] * ZOMBIES)
    assert arrive(bench, 1, (0, NEVER, ALWAYS), ecn=field)[0] == f"Unforced {reason}"
    bench.check()


@pytest.mark.parametrize("config", FORMS)
def test_what_is_beyond_mark_most_is_dropped(config: str) -> None:
    """By the probability but for a hit's weight: at `mark_most` marked, above it dropped."""
    for most, reason in ((ONE // 2, "mark"), (ONE // 2 - 1, "drop")):
        bench = bench_with(config, max_probability=ONE // 2, overwrite_probability=0, ecn=1, mark_most=most)
        fill(bench, range(ZOMBIES))
        assert arrive(bench, ZOMBIES, (0, NEVER, ALWAYS), ecn=1)[0] == f"Unforced {reason}"
        bench.check()
