# SPDX-License-Identifier: Apache-2.0
"""That a bare core's bench tells it all that it asks for: witnesses, which stir all that they hear into one word, agree with
their model after some traffic; and what has not happened is named."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING

import pytest
from lib.broken import Fault
from lib.core import moments
from lib.core.bench import CoreBench
from lib.core.stimulus import Traffic
from lib.witness import HeadWitness, LeftWitness

from sluice_golden import Arrival, Departed
from sluice_golden.core import Ticked

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sluice_golden import Head

ARRIVALS = 6000
WITNESSES = ("head-witness", "out-witness", "look-witness", "left-witness")

DEPARTURES = (
    Fault("left-witness", "departures-not-heard", r"departed_valid \?", "1'b0 ?", within=300),
    Fault(
        "left-witness",
        "departed-without-lowest-bit-of-flow",
        r"(departed_packet_bytes,)(departed_packet_flow)",
        r"\1(\2 & ~32'd1)",
        within=300,
    ),
)


def traffic(config: str, arrivals: int = ARRIVALS) -> CoreBench:
    """A bench that has seen so many arrivals."""
    made = Traffic(CoreBench(config), random.Random(1))
    made.play(arrivals)
    return made.bench


@pytest.mark.parametrize("config", WITNESSES)
def test_witnesses_hear_everything(config: str) -> None:
    """All of their moments, often, and in the order of the contract."""
    bench = traffic(config)
    bench.check()
    few = {name: count for name, count in moments.happened(bench).items() if count < 3}
    assert not few


def test_a_core_that_asks_for_departures_alone_gets_them() -> None:
    """And is told nothing of what settled."""
    bench = traffic("left-witness")
    happened = moments.happened(bench)
    assert {name.split(",")[0] for name in happened} == {"arrival", "reset", "departed", "limit"}
    assert happened["departed"] >= ARRIVALS // 10
    assert not bench.log.moments["settled"]


@pytest.mark.parametrize("fault", DEPARTURES, ids=lambda fault: fault.name)
def test_a_fault_in_what_it_does_with_them_is_noticed(fault: Fault) -> None:
    recording = traffic(fault.config, fault.within).check()
    assert recording.first_mismatch(fault.player().run(recording.inputs)) is not None


@pytest.mark.parametrize(
    ("config", "lost"),
    [("left-witness", "departed"), ("look-witness", "settled"), ("out-witness", "pushed_out")],
)
def test_a_moment_that_never_happens_is_named(config: str, lost: str) -> None:
    """In a bench whose log has none of it."""
    bench = traffic(config, 1500)
    bench.log.moments[lost].clear()
    name = lost.replace("_", " ")
    least = moments.LEAST_BY.get(name, moments.LEAST)
    assert re.search(rf"^{config} .*'{name}[^']*' happened 0 times, {least} are wanted", moments.missing(bench))


def test_each_moment_has_a_least() -> None:
    """Nothing has happened on a new bench, and every moment is named."""
    for config in WITNESSES:
        bench = CoreBench(config)
        named = moments.missing(bench)
        assert all(f"'{name}' happened 0 times" in named for name in moments.happened(bench))


class Leading(LeftWitness):
    """A model that leads through departures of its own."""

    def walk(self, rng: random.Random, now_ns: int) -> Iterator[Arrival | Head | Departed]:
        """Three packets that come, and two that go a second later and leave 77 behind."""
        for i in range(3):
            yield Arrival(now_ns + i, rng.getrandbits(32), 100, 0, 0, 0)
        for i in range(2):
            yield Departed(now_ns + 10**9 + i, 0, 0, queue_packets=77, queue_bytes=7700)


def test_a_model_can_lead_through_departures() -> None:
    """Of the packets that were accepted, in their order, with what it says."""
    bench = CoreBench("left-witness")
    bench.model = Leading
    bench.golden = Leading()
    Traffic(bench, random.Random(1)).walk(20, most=80)
    departed = [moment for _, moment in bench.log.moments["departed"]]
    assert len(departed) >= 20
    assert {(moment.queue_packets, moment.queue_bytes) for moment in departed} == {(77, 7700)}
    passed = [judged.arrival.flow for judged in bench.judged if judged.verdict.action != "drop"]
    order = iter(passed)
    assert all(moment.flow in order for moment in departed)
    bench.check()


class Ticking(HeadWitness):
    """A model that leads through ticks of its own."""

    def walk(self, rng: random.Random, now_ns: int) -> Iterator[Arrival | Head | Departed | Ticked]:
        """A packet, and a tick of each kind after it."""
        yield Arrival(now_ns, rng.getrandbits(32), 100, 0, 0, 0)
        for kind in self.ticks:
            yield Ticked(now_ns, kind)


def test_a_model_can_lead_through_ticks() -> None:
    """And goes on when their work is over."""
    bench = CoreBench("head-witness")
    bench.model = Ticking
    bench.golden = Ticking()
    Traffic(bench, random.Random(1)).walk(20, most=80)
    happened = moments.happened(bench)
    assert all(happened[f"tick {kind}"] >= 20 for kind in Ticking.ticks)
    bench.check()
