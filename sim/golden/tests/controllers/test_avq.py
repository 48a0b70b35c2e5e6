# SPDX-License-Identifier: Apache-2.0
"""AVQ: the reference against recordings of a link with given arrivals (`recordings`), and the integer model against them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from recordings import AVQ_RUNS, BIT_PER_S, PACKET, Link, Packet, by_each, never, packets_of

from sluice_golden.controllers.avq import Avq
from sluice_golden.controllers.avq_reference import AvqReference
from sluice_golden.core import Arrival, Settled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sluice_golden.core import Fate


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
