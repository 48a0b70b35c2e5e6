# SPDX-License-Identifier: Apache-2.0
"""Purge on the RTL: whom it drops and marks, and when; the four saturations; the corners of its counts. The bench compares
verdicts, places, weights, price, strength and number of flows with the model; what they must amount to stands here."""

from __future__ import annotations

import random

import pytest
from lib.core.bench import CoreBench
from lib.core.cycle import Cycle

from sluice_golden import Arrival

ALWAYS, NEVER = 0, (1 << 32) - 1
TARGET, BUFFER = 20, 100
LOAD = 10 << 14  # packets in an interval


def bench_with(**raw: int) -> CoreBench:
    """A core in which the given raw parameters are in force; it marks, and its price does not move."""
    bench = CoreBench("purge")
    fixed = {"target": TARGET, "buffer": BUFFER, "gain": 0, "load_capacity": LOAD, "ecn": 1}
    bench.apply(bench.model.defaults() | fixed | raw)
    return bench


def arrive(bench: CoreBench, flow: int, sample: int | None, word: int = NEVER, queue: int = 30, ecn: int = 1) -> str:
    """Why it was dropped or marked, or nothing."""
    bench.step(Cycle(Arrival(0, flow, 1000, ecn, queue, 1000 * queue, (word,), samples=(sample,))))
    return bench.judged[-1].verdict.reason


def tick(bench: CoreBench, kind: str) -> None:
    """A tick whose work is over."""
    bench.idle(2 * bench.latency)  # the queue is that of the packets before
    bench.tick(kind, 0)


def load(bench: CoreBench, arrivals: int, queue: int = 30) -> None:
    """An interval of load."""
    for number in range(arrivals):
        arrive(bench, number, None, queue=queue)
    tick(bench, "load")


def heavy(bench: CoreBench, flows: int = 10) -> None:
    """A window in which flow 1 has half of the queue; the others have the rest, and all send as much."""
    rng = random.Random(flows)
    ids = [1, *(rng.getrandbits(32) for _ in range(flows - 1))]
    for number in range(1000):
        arrive(bench, ids[number % flows], 1 if number % 2 else ids[(number // 2) % flows])
    tick(bench, "window")


def test_who_has_too_much_is_marked_and_then_dropped() -> None:
    """Marked in the first interval of overload and when there is only a queue, dropped from the second in a row on; and neither
    when there is no congestion."""
    bench = bench_with(persistence=2)
    heavy(bench)
    seen = []
    for arrivals, queue in ((20, 30), (20, 30), (9, 60), (20, 30), (0, 30)):
        load(bench, arrivals, queue)
        seen.append(arrive(bench, 1, None, ALWAYS))  # counts for the next interval
    assert seen == ["Unfair mark", "Unfair drop", "Unfair mark", "Unfair mark", ""]
    bench.check()


@pytest.mark.parametrize(("gate", "at_the_target"), [(0, "Unfair drop"), (1, "")])
def test_gate(gate: int, at_the_target: str) -> None:
    """With it who has too much passes unless more than the target are queued."""
    bench = bench_with(persistence=1, gate=gate)
    heavy(bench)
    load(bench, 20)
    assert arrive(bench, 1, None, ALWAYS, queue=TARGET) == at_the_target
    assert arrive(bench, 1, None, ALWAYS, queue=TARGET + 1) == "Unfair drop"
    bench.check()


@pytest.mark.parametrize(("ecn", "ect"), [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_what_cannot_be_marked(ecn: int, ect: int) -> None:
    """Passes while there is only a queue, and where REM judges it with ECN; without, REM drops."""
    bench = bench_with(ecn=ecn, gain=(1 << 32) - 1)
    heavy(bench)
    tick(bench, "load")  # what the window has brought
    load(bench, 10, 60)  # a queue, and no more than the link sends
    assert arrive(bench, 1, None, ALWAYS, ecn=ect) == ("Unfair mark" if ecn and ect else "")
    tick(bench, "price")
    tick(bench, "price")
    expected = "Unforced mark" if ecn and ect else "" if ecn else "Unforced drop"
    assert arrive(bench, 12345, None, ALWAYS, ecn=ect) == expected
    bench.check()


@pytest.mark.parametrize(
    ("raw", "strength"),
    [
        ({"saturation": 1}, 2 * (0.1 * 10 / 20 + 0.5)),
        ({"saturation": 2, "step": 1 << 14}, 2 * 6 / 16),
        ({"saturation": 3}, 0.0),
        ({"saturation": 4}, 2 * 10 / 80),
        ({"saturation": 4, "buffer": 20}, 2.0),
        ({"saturation": 4, "buffer": 10}, 2.0),
        ({"saturation": 1, "load_capacity": 1}, 2.0),
        ({"saturation": 1, "share_gain": 4095, "load_capacity": 1}, 4095 / 256),
    ],
)
def test_saturation(raw: dict[str, int], strength: float) -> None:
    """With a queue of 30, 10 beyond the target, and 15 arrivals where the link sends 10; g is 2."""
    bench = bench_with(**raw)
    load(bench, 15)
    arrive(bench, 1, None)
    assert bench.judged[-1].status["strength"] / 2**14 == pytest.approx(strength, abs=2e-4)
    bench.check()


def test_it_drops_by_what_a_flow_has_more() -> None:
    """With N H - 1: half of the packets in the queue, and a tenth of the rest, of ten flows."""
    rng, bench = random.Random(3), bench_with(saturation=4, share_gain=128, persistence=1)
    heavy(bench)
    load(bench, 100, TARGET + 9)  # s = 9/80, g = 1/2
    words = [rng.getrandbits(32) for _ in range(4000)]
    dropped = sum(arrive(bench, 1, None, word) == "Unfair drop" for word in words)
    assert dropped / len(words) == pytest.approx(9 / 160 * (10 * 0.55 - 1), abs=0.03)
    bench.check()


@pytest.mark.parametrize("flows", [1, 10, 300, 20_000])
def test_flows_are_counted(flows: int) -> None:
    """Of the last window, up to 16,384."""
    bench, rng = bench_with(), random.Random(flows)
    for flow in {rng.getrandbits(32) for _ in range(flows)}:
        arrive(bench, flow, None)
    tick(bench, "window")
    arrive(bench, 0, None)
    counted = bench.judged[-1].status["flows"] / 16
    assert counted == pytest.approx(min(flows, (1 << 14) - 1 / 16), rel=0.05)
    bench.check()


def test_an_empty_window_has_one_flow() -> None:
    """So nobody has more than a share."""
    bench = bench_with(persistence=1, theta=256)
    heavy(bench)
    tick(bench, "window")
    load(bench, 100)
    assert arrive(bench, 1, 1, ALWAYS) == ""
    assert bench.judged[-1].status["flows"] == 16
    bench.check()
