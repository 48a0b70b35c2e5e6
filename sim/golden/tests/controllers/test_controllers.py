# SPDX-License-Identifier: Apache-2.0
"""REM and PI: the references against recordings of a link with given arrivals (`recordings`), and the integer models against the
references."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from recordings import BIT_PER_S, PACKET, RUNS, Link, Packet, by_each, never, packets_of, recorded

from sluice_golden.controllers.inverse_power import FRACTION, inverse_power
from sluice_golden.controllers.pi_family.pi import Pi
from sluice_golden.controllers.pi_family.pi_reference import PiReference
from sluice_golden.controllers.rem import Rem
from sluice_golden.controllers.rem_reference import RemReference
from sluice_golden.controllers.sized import size_of
from sluice_golden.core import Departed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sluice_golden.controllers.controller import Controller


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
