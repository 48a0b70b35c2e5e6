# SPDX-License-Identifier: Apache-2.0
"""Every configuration of the catalogue against its golden model, and broken cores that this must tell from whole ones.

`--arrivals 100000` plays what `sluice evidence` counts and `sluice mutants` replays; else it is a part of it, and goes on only
until it has been everywhere. The recording of each is left in build/conformance for other tools to replay
(:mod:`lib.recording`).
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from cores.faults import FAULTS
from lib.broken import Fault
from lib.core import moments, stimulus
from lib.core.bench import CoreBench
from lib.core.cycle import Cycle
from lib.core.stimulus import Traffic
from lib.recording import Recording
from lib.simulation import BUILD, catalog, core_source

import sluice_golden
from sluice.faults.mutants.recording import ARRIVALS
from sluice.pages.evidence import CONFORMANCE
from sluice_golden import Arrival, CoreModel, models

CONFIGS = [c["name"] for c in catalog()["configs"]]
PART = 25_000
"""Arrivals of chance alone, where not all are asked for."""
WALKS = 300
RESETS = 150
"""With all arrivals."""
MOST_ROUNDS = 6
SEED = 20260101
GOLDEN, LIB = Path(sluice_golden.__file__).parent, Path(stimulus.__file__).parent


def traffic(config: str, arrivals: int) -> Traffic:
    """The traffic that every configuration sees, or its beginning."""
    made = Traffic(CoreBench(config), random.Random(SEED))
    made.play(arrivals)
    return made


def complete(config: str, arrivals: int) -> Traffic:
    """With what chance has not toggled, with resets, and where the model itself leads; by chance again while something has hardly
    happened, but not without end; and to what no arrival has read so far."""
    made = traffic(config, arrivals)
    made.toggle_the_rest()
    made.be_reset(RESETS * arrivals // ARRIVALS)
    made.walk(WALKS * arrivals // ARRIVALS, most=4 * WALKS)
    for _ in range(MOST_ROUNDS):
        if not lacking(made):
            break
        made.play(len(made.bench.judged) + PART)
    if made.bench.golden.unread():
        made.walk(0, most=4 * WALKS)
    return made


def lacking(made: Traffic) -> list[str]:
    """What chance has not brought about yet, or hardly."""
    bench = made.bench
    reasons = [of.reason for of in (*bench.model.reasons, *bench.model.head_reasons)]
    few = [f"'{reason}' hardly happened" for reason in reasons if bench.verdicts[reason] < 20]
    if missing := moments.missing(bench):
        few.append(missing)
    if bench.model.random_words and made.beside < 500:
        few.append(f"{made.beside} draws were put beside a border")
    if unread := CoreModel.unread(bench.golden):
        few.append(f"of tables {len(unread)} entries were never read: {unread[:10]}")
    return few


def left(config: str) -> Path:
    """Where the recording of that traffic is left."""
    return BUILD / "conformance" / config / "traffic.npz"


def recorded(config: str, arrivals: int) -> Iterator[Recording]:
    """That traffic, up to the verdict of the last of so many arrivals: what `test_traffic` has left, or made now where that is
    older than what it hangs on; then, for what is too rare for it, so many by chance."""
    file = left(config)
    sources = (core_source(config), Path(__file__), *GOLDEN.rglob("*.py"), *LIB.rglob("*.py"))
    if not file.exists() or file.stat().st_mtime < max(source.stat().st_mtime for source in sources):
        complete(config, PART).bench.recording().save(file)
    whole = Recording.load(file)
    judged = np.flatnonzero(whole.outputs["verdict_valid"])
    yield whole.until(judged[min(arrivals, len(judged)) - 1] + 1)
    yield traffic(config, arrivals).bench.recording()


@pytest.mark.parametrize("config", CONFIGS)
def test_traffic(config: str, request: pytest.FixtureRequest) -> None:
    """Bit-exact over random traffic; and the traffic has been everywhere. What all of it was is left as evidence."""
    arrivals = request.config.getoption("arrivals") or PART
    CONFORMANCE.forget(config)
    for table in models()[config].tables:
        table.forget()
    made = complete(config, arrivals)
    recording = made.bench.check()
    recording.save(left(config))
    for port, mask in recording.masks.items():
        assert mask.any(), f"nothing was compared with {port}"
    assert not lacking(made)
    assert not made.bench.golden.unread()
    if arrivals >= ARRIVALS:
        CONFORMANCE.leave(config=config, **made.bench.counted())


@pytest.mark.parametrize("config", CONFIGS)
def test_one_per_clock(config: str) -> None:
    """A thousand arrivals of one flow without a gap, from reset on: a verdict in every clock, at the declared latency."""
    bench, rng = CoreBench(config), random.Random(SEED)
    for i in range(1000):
        words = tuple(rng.getrandbits(32) for _ in range(bench.model.random_words))
        samples = tuple(rng.choice((7, 8, None)) for _ in range(bench.model.samples))
        arrival = Arrival(4 * i, 7, 64, ecn=0, queue_packets=i // 8, queue_bytes=8 * i, random=words, samples=samples)
        bench.step(Cycle(arrival))
    assert bench.check().outputs["verdict_valid"].sum() == 1000


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_is_noticed(fault: Fault) -> None:
    """In a broken core, within so many arrivals."""
    player = fault.player()
    pieces = recorded(fault.config, fault.within)
    assert any(piece.first_mismatch(player.run(piece.inputs)) is not None for piece in pieces)


@pytest.mark.parametrize("config", CONFIGS)
def test_a_copy_of_a_model_goes_its_own_way(config: str) -> None:
    """What the bench looks ahead with must not touch the model. Two that have gone one way are equal, which ends a look."""
    bench = traffic(config, 500).bench
    before = bench.golden.fork()
    ahead = [bench.golden.fork() for _ in range(2)]
    arrivals = [judged.arrival for judged in bench.judged[-200:]]
    seen = [[(model.arrive(a), model.status()) for a in arrivals] for model in ahead]
    assert ahead[0] == ahead[1]
    assert seen[0] == seen[1] == [(before.arrive(a), before.status()) for a in arrivals]
