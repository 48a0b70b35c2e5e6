# SPDX-License-Identifier: Apache-2.0
"""REM, PI and AVQ: the references against recordings of a link of 10 Mbit/s with given arrivals, and the integer models against
the references.

The recordings are made here (`recorder.py`), and where they are at hand also those of ns-2.35's own code, which are not the
project's: SLUICE_NS2 names their folder. In each, arrivals have fixed times, so that a verdict changes
the queue and never the load: packets of 1,000 bytes at 1.2 and 0.8 times the link's rate (ect, udp), packets of 64 to 1,500 bytes
where bytes count (var), and a buffer of 100 packets that overflows, counted in packets and in bytes (full0, full1).
"""

from __future__ import annotations

import csv
import functools
import os
import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import recorder

from sluice_golden.controllers.avq import Avq
from sluice_golden.controllers.avq_reference import AvqReference
from sluice_golden.controllers.inverse_power import FRACTION, inverse_power
from sluice_golden.controllers.pi import Pi
from sluice_golden.controllers.pi_reference import PiReference
from sluice_golden.controllers.rem import Rem
from sluice_golden.controllers.rem_reference import RemReference
from sluice_golden.controllers.sized import size_of
from sluice_golden.core import Arrival, Departed, Settled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sluice_golden.controllers.controller import Controller
    from sluice_golden.core import Fate

FOLDER = Path(os.environ.get("SLUICE_NS2", Path(__file__).parents[4] / "shared/reference/ns2/aqm/unit"))
BIT_PER_S = 10e6
PACKET = 1000
RUNS = {"ect": (False, 1000), "udp": (False, 1000), "var": (True, 1000), "full0": (False, 100), "full1": (True, 100)}
"""Of each recording whether bytes count, and the packets that the buffer holds."""


@dataclass(slots=True)
class Packet:
    s: float
    size: int
    verdict: str


RECORDERS = ["made", *(["ns-2"] if FOLDER.is_dir() else [])]
"""Who recorded: we ourselves, and ns-2 where its recordings are."""
by_each = pytest.mark.parametrize("by", RECORDERS)


@functools.cache
def made(name: str) -> dict[str, recorder.Rows]:
    scheme, run = name.split("_", 1)
    if scheme == "AVQ":
        chosen = AVQ_RUNS[run]
        return {"pkts": recorder.avq(chosen.in_bytes, chosen.drops, chosen.limit, chosen.share)}
    of = recorder.Rem() if scheme == "REM" else recorder.Pi()
    packets, ticks = recorder.ticked(of, *RUNS[run], marks=run == "ect")
    return {"pkts": packets, "ticks": ticks}


def recorded(by: str, name: str, kind: str) -> list[dict[str, str]]:
    if by == "made":
        return made(name)[kind]
    with (FOLDER / f"{name}.{kind}.csv").open() as file:
        return list(csv.DictReader(file))


def packets_of(by: str, name: str) -> list[Packet]:
    return [Packet(float(r["t_us"]) * 1e-6, int(r["size"]), r["verdict"]) for r in recorded(by, name, "pkts")]


@dataclass
class Link:
    """The queue behind a verdict: one packet on the wire, and the others. `over`: whether an arrival finds no room."""

    over: Callable[[Link, Packet], bool]
    sizes: list[int] = field(default_factory=list)
    free_s: float = -1.0  # when the one on the wire has left; none is there: below 0

    def advance(self, s: float) -> None:
        while 0 <= self.free_s <= s:
            self.free_s = self.free_s + self.sizes.pop(0) * 8 / BIT_PER_S if self.sizes else -1.0

    def put(self, packet: Packet) -> None:
        if self.free_s < 0:
            self.free_s = packet.s + packet.size * 8 / BIT_PER_S
        else:
            self.sizes.append(packet.size)


@dataclass
class TickedRun:
    """A recording of a scheme with ticks, played back: what was dropped is dropped, and overflow is foretold."""

    by: str
    name: str
    period_s: float
    over: Callable[[Link, Packet], bool]
    arrive: Callable[[Packet], None]
    tick: Callable[[Link], None]
    overflows: int = 0

    def ticks(self) -> Iterator[float]:
        """After each tick, the probability that was recorded."""
        link, packets, i = Link(self.over), packets_of(self.by, self.name), 0
        for row in recorded(self.by, self.name, "ticks"):
            now = int(row["tick"]) * self.period_s
            while i < len(packets) and packets[i].s <= now:
                packet, i = packets[i], i + 1
                link.advance(packet.s)
                self.arrive(packet)
                if link.over(link, packet):
                    assert packet.verdict == "drop", packet
                    self.overflows += 1
                if packet.verdict != "drop":
                    link.put(packet)
            link.advance(now)
            assert len(link.sizes) == int(row["queue_pkts"])
            self.tick(link)
            yield float(row["prob"])


def never(link: Link, packet: Packet) -> bool:
    """The buffer is large enough."""
    del link, packet
    return False


def rem_run(by: str, name: str, arrive: Callable[[Packet], None], tick: Callable[[Link], None]) -> TickedRun:
    """ns-2 asks whether the arrival has filled the buffer, with the arrival in it and before an idle link has taken it."""
    in_bytes, limit = RUNS[name]

    def over(link: Link, packet: Packet) -> bool:
        return sum(link.sizes) + packet.size >= limit * PACKET if in_bytes else len(link.sizes) + 1 >= limit

    return TickedRun(by, f"REM_{name}", 0.002, over, arrive, tick)


@by_each
@pytest.mark.parametrize("name", RUNS)
def test_rem_reference_is_as_recorded(by: str, name: str) -> None:
    """At every tick, to the six digits that ns-2 prints."""
    in_bytes = RUNS[name][0]
    rem = RemReference(capacity=0.002 * BIT_PER_S / 8 / PACKET)
    run = rem_run(
        by,
        name,
        lambda packet: rem.count(packet.size / PACKET if in_bytes else 1),
        lambda link: rem.tick(sum(link.sizes) / PACKET if in_bytes else len(link.sizes)),
    )
    for probability in run.ticks():
        assert abs(rem.probability - probability) < 1e-7
    assert (run.overflows > 0) == name.startswith("full")


def pi_run(by: str, name: str, tick: Callable[[Link], None]) -> TickedRun:
    """ns-2 lets one packet in beyond the limit."""
    in_bytes, limit = RUNS[name]

    def over(link: Link, packet: Packet) -> bool:
        del packet
        return sum(link.sizes) >= limit * PACKET if in_bytes else len(link.sizes) >= limit

    return TickedRun(by, f"PI_{name}", 1 / 170, over, lambda packet: None, tick)


@by_each
@pytest.mark.parametrize("name", RUNS)
def test_pi_reference_is_as_recorded(by: str, name: str) -> None:
    """At every tick, to the six digits that ns-2 prints."""
    in_bytes, pi = RUNS[name][0], PiReference()
    run = pi_run(by, name, lambda link: pi.tick(sum(link.sizes) / PACKET if in_bytes else len(link.sizes)))
    for probability in run.ticks():
        assert abs(pi.probability - probability) < 1e-7
    assert (run.overflows > 0) == name.startswith("full")


def tick_by(model: Controller, link: Link) -> None:
    """The model's tick, at what is queued."""
    model.departed(Departed(0, 0, 0, queue_packets=len(link.sizes), queue_bytes=sum(link.sizes)))
    model.tick("update", 0)
    model.settle("update")


@by_each
@pytest.mark.parametrize("scheme", [Rem, Pi])
@pytest.mark.parametrize("name", RUNS)
def test_model_is_near_what_was_recorded(by: str, scheme: type[Controller], name: str) -> None:
    """The integer model, in default parameters, is within 2e-6 of the recorded probability at every tick."""
    model = scheme()
    model.apply(model.parameters | {"byte_mode": int(RUNS[name][0])})
    if scheme is Pi:
        run = pi_run(by, name, lambda link: tick_by(model, link))
    else:
        run = rem_run(
            by,
            name,
            lambda packet: model.count(size_of(model.parameters, packet.size)),
            lambda link: tick_by(model, link),
        )
    assert max(abs(model.probability / 2**31 - probability) for probability in run.ticks()) < 2e-6


LOADS = ((3_000, 100), (10, 20_000), (1, 20), (1_000, 50), (1_200, 2_000))
"""Most packets that come between two ticks, and that they find queued, over a link that sends 1,000."""


@pytest.mark.parametrize("typical", [256, 700, 1500, 9000])
def test_models_follow_the_references_all_the_way(typical: int) -> None:
    """Over loads that take the probability up and down, where bytes count: within 1e-4 of the references, most of which comes
    from the inverse of the typical packet."""
    rng, rem, pi = random.Random(typical), Rem(), Pi()
    rem.apply(rem.parameters | {"byte_mode": 1, "avpkt": typical, "capacity": 1_000 << 14})
    pi.apply(pi.parameters | {"byte_mode": 1, "avpkt": typical, "b": round(1.7e-5 * 2**40)})
    of_rem = RemReference(capacity=1_000, alpha=rem.parameters["alpha"] / 2**18)
    of_pi = PiReference(pi.parameters["a"] / 2**40, pi.parameters["b"] / 2**40)
    seen = []
    for most_counted, most_queued in rng.choices(LOADS, k=100):
        for _ in range(rng.randrange(200)):
            counted, queued = rng.randint(0, most_counted * typical), rng.randint(0, most_queued * 1500)
            rem.count(counted)
            of_rem.count(counted / typical)
            for model in (rem, pi):
                tick_by(model, Link(never, [queued]))
            of_rem.tick(queued / typical)
            of_pi.tick(queued / typical)
            seen.append((of_rem.probability, of_pi.probability))
            assert rem.probability / 2**31 == pytest.approx(of_rem.probability, abs=1e-4)
            assert pi.probability / 2**31 == pytest.approx(of_pi.probability, abs=1e-4)
    assert all(max(probabilities) > 0.08 for probabilities in zip(*seen, strict=True))


def test_the_power_falls_along_chords() -> None:
    """2^-x is within 2^-23 everywhere, exact at 0, and never rises."""
    step = 12_345
    powers = [inverse_power(x) for x in range(0, 16 << FRACTION, step)]
    assert powers[0] == 1 << 31
    assert powers == sorted(powers, reverse=True)
    assert all(abs(power / 2**31 - 2 ** (-i * step / 2**FRACTION)) < 2**-23 for i, power in enumerate(powers))


@dataclass(frozen=True, slots=True)
class AvqRun:
    """A recording of AVQ: its virtual buffer is a part of the buffer."""

    in_bytes: bool
    drops: bool
    limit: int = 1000
    share: float = 0.05


AVQ_RUNS = {
    "ect": AvqRun(in_bytes=False, drops=False),
    "ect_bytes": AvqRun(in_bytes=True, drops=False),
    "udp": AvqRun(in_bytes=False, drops=True),
    "var": AvqRun(in_bytes=True, drops=True),
    "full0": AvqRun(in_bytes=False, drops=True, limit=100, share=3.0),
    "full1": AvqRun(in_bytes=True, drops=True, limit=100, share=3.0),
}


def avq_verdicts(by: str, name: str, judge: Callable[[Packet, bool], bool]) -> Iterator[bool]:
    """Of each packet whether the verdict is the recorded one; the buffer itself overflows too. `judge` is told whether it
    does."""
    run = AVQ_RUNS[name]
    link = Link(never)
    for packet in packets_of(by, f"AVQ_{name}"):
        link.advance(packet.s)
        held, size, most = (
            (sum(link.sizes), packet.size, run.limit * PACKET) if run.in_bytes else (len(link.sizes), 1, run.limit)
        )
        is_full = link.free_s >= 0 and held + size > most
        acts = judge(packet, is_full)
        is_refused = (acts and run.drops) or is_full
        if not is_refused:
            link.put(packet)
        yield packet.verdict == ("drop" if is_refused else "mark" if acts else "pass")


def avq_reference(name: str) -> AvqReference:
    run = AVQ_RUNS[name]
    unit = 1 if run.in_bytes else PACKET
    return AvqReference(BIT_PER_S / 8 / unit, run.share * run.limit * PACKET / unit, run.drops)


@by_each
@pytest.mark.parametrize("name", AVQ_RUNS)
def test_avq_reference_is_as_recorded(by: str, name: str) -> None:
    """Every verdict; none of them is random."""
    avq, in_bytes = avq_reference(name), AVQ_RUNS[name].in_bytes
    verdicts = list(avq_verdicts(by, name, lambda packet, _: avq.overflows(packet.s, packet.size if in_bytes else 1)))
    assert len(verdicts) > 5_000
    assert all(verdicts)


@by_each
@pytest.mark.parametrize("name", [name for name, run in AVQ_RUNS.items() if run.in_bytes])
def test_avq_model_follows_what_was_recorded(by: str, name: str) -> None:
    """Where bytes count: the integer model judges as was recorded unless the packet comes within 4 bytes of what the virtual
    queue still takes, and its capacity is within 5e-6 of the link's rate, which is rounded itself. After one that is judged
    otherwise it begins where the reference stands."""
    run, reference, avq = AVQ_RUNS[name], avq_reference(name), Avq()
    avq.apply(avq.parameters | {"buffer": round(reference.buffer), "ecn": int(not run.drops)})
    others = 0

    def judge(packet: Packet, is_full: bool) -> bool:
        nonlocal others
        now = round(packet.s * 1e9)
        acts = avq.arrive(Arrival(now, 0, packet.size, 2, 0, 0)).action != "pass"
        fate: Fate = "refused" if acts and run.drops else "over the limit" if is_full else "accepted"
        avq.settled(Settled(now, 0, packet.size, fate=fate))
        should = reference.overflows(packet.s, packet.size)
        if acts != should:
            others += 1
            left = reference.buffer - reference.queue
            assert min(abs(left), abs(left - packet.size)) < 4
            avq.virtual = round(reference.queue * 2**12)
            avq.capacity = round(reference.capacity * 16e-9 * 2**40)
            avq.counted = avq.arrived if reference.counted == packet.s else avq.counted
        assert avq.capacity / 2**40 / 16e-9 == pytest.approx(reference.capacity, abs=5e-6 * reference.rate)
        return should

    assert all(avq_verdicts(by, name, judge))
    assert others <= 4
