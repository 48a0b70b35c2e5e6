# SPDX-License-Identifier: Apache-2.0
"""Where FRED's model leads in tests: flows that come again, and averages that decay.

An entry that is written wrongly, or in another's place, or that is of before a reset, shows only when it is read, and a flow's
strikes only if it was struck. Running totals rise by a packet at a time, and an average that an idle time finds is mostly 0.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Protocol

from sluice_golden.core import Arrival, Departed, NewSet, Reset
from sluice_golden.flows.returning import BUCKETS, filling, returning
from sluice_golden.red.red import queues_towards

if TYPE_CHECKING:
    import random
    from collections.abc import Generator, Iterator, Mapping

    Moments = Iterator[Arrival | Departed | tuple[Arrival, Departed] | NewSet | Reset]

_IN_JUDGMENT = 28  # packets at most
_BITS = 10  # of a bucket
_WRITING = 4  # clocks from when a word is read to when it is written
_PILED = 68_000  # packets of a flow: more than 16 bits count, and not many more
_CARRIED = 1 << 16
_ROUND_BITS = 5  # of how often a flow's strikes were forgotten
_FEW = 12  # packets that are soon queued
_FAR, _LESS_FAR = 35_000, 1_000  # packets: of a flow more than 15 bits count, and some
_MOST_PACKETS = (1 << 18) - 1
_SLOWEST = 12  # the greatest weight exponent
_GONE_BITS = (15, 24)  # of an exponent of the decay, Q.10: from 32 halvings on


class Led(Protocol):
    """What the walk reads of the model."""

    parameters: dict[str, int]
    average: int
    exponents: list[int]
    present: int
    sharing: int
    queued: dict[int, int]
    decay_mantissa: int
    decay_shift: int

    def beside_border(self, rng: random.Random, arrival: Arrival) -> int:
        """A draw that is just hit, or just not."""


def course(model: Led, rng: random.Random, now_ns: int, *, is_first: bool) -> Moments:
    """At first, by the parameters as a reset leaves them, one flow for long, and one that stays; behind a reset, flows of
    before it. Then a few flows that fill the queue, as fast as some leave it, while the average is between the thresholds; or of
    which hardly anything stays, or that are struck; or idle times; or, where `max` is high, a slow average; and seldom all flows
    at once, with an average that is the share of one, or a half of that; two of these, one behind the other, unless the first
    ends with a reset. Of those that are tested many draws are right beside the border."""
    for is_very_first in (is_first, False):
        now_ns = yield from _coming_down(model, now_ns, rng)
        for moment in _chosen(model, rng, now_ns, is_first=is_very_first):
            arrival = moment[0] if isinstance(moment, tuple) else moment
            if isinstance(arrival, Arrival):
                now_ns = max(now_ns, arrival.now_ns)
                if rng.random() < 0.5:
                    arrival.random = (model.beside_border(rng, arrival),)
            yield moment


def _chosen(model: Led, rng: random.Random, now_ns: int, *, is_first: bool) -> Moments:
    lower, upper = model.parameters["min"] >> 14, model.parameters["max"] >> 14
    once, level = _towards(model, (lower + upper + 1) // 2)
    if is_first:
        yield from _lasting(rng, now_ns, once, level, _FAR)
        yield from _piling(model, rng, now_ns)
        return
    is_behind_reset = not model.sharing
    if is_behind_reset:
        yield from _again(rng, now_ns)
    kind = rng.random()
    if lower == 1 and kind > 0.75:
        yield from _forgetting(rng, now_ns)
    elif kind < 0.03:
        yield from _everybody(model, rng, now_ns)
    elif lower <= _FEW and kind < 0.08:
        yield from _struck(rng, now_ns, lower)
    elif kind < 0.12:
        yield from _resting(model, rng, now_ns)
    elif lower > _IN_JUDGMENT and kind < 0.16:
        yield from _lasting(rng, now_ns, once, level, _LESS_FAR)
    elif upper >> _SLOWEST and kind < 0.5:
        yield from _slowing(model, rng, now_ns)
    elif lower == 1 or kind < 0.58:
        level = rng.choice((0, level, _towards(model, upper)[0]))
        yield from _passing(rng, now_ns, model.queued, level)
    else:
        yield from filling(rng, now_ns, _BITS, model.queued, once, level)


def _towards(model: Led, target: int) -> tuple[int, int]:
    """The queue that brings the average to a target, and the one that keeps it there."""
    return queues_towards(target, model.average, model.exponents[0])


def _arrival(rng: random.Random, now_ns: int, flow: int, packets: int, ecn: int = 0) -> Arrival:
    return Arrival(now_ns, flow, 1000, ecn, packets, 1000 * packets, (rng.getrandbits(32),))


def _flow(rng: random.Random, bucket: int) -> int:
    """The id of any flow of a bucket, which is the low bits of it."""
    return rng.getrandbits(32 - _BITS) << _BITS | bucket


def _neighbours(rng: random.Random, bucket: int) -> list[int]:
    """A bucket's neighbours by one bit, in any order."""
    return rng.sample([bucket ^ 1 << bit for bit in range(_BITS)], _BITS)


def _coming_down(model: Led, now_ns: int, rng: random.Random) -> Generator[Departed, None, int]:
    """Below `max` again where nothing more would come in: all leave, and at the time that comes of it the average has decayed."""
    if model.average >> 4 < model.parameters["max"]:
        return now_ns
    yield from _leaving(model, now_ns)
    return now_ns + decaying_ns(model, rng)


def _leaving(model: Led, now_ns: int) -> Iterator[Departed]:
    while model.present:
        yield Departed(now_ns, 0, 0)


def decaying_ns(model: Led, rng: random.Random) -> int:
    """An idle time after which the average is as high as `max` or lower, down to a half of that."""
    halvings = math.log2(max(1, model.average / (model.parameters["max"] << 4))) + rng.random()
    return _idle_ns(model, int(1024 * halvings))


def _idle_ns(model: Led, exponent: int) -> int:
    """An idle time by which the average decays by 2^-exponent, Q.10."""
    return 16 * -(-(exponent << model.decay_shift) // max(1, model.decay_mantissa))


def _again(rng: random.Random, now_ns: int) -> Iterator[Arrival]:
    """Buckets of before a reset, each for the first time right behind arrivals of one that is its neighbour by one bit: that a
    word is of this reset is known by its address while it is being written."""
    for bucket in BUCKETS:
        for neighbour in _neighbours(rng, bucket):
            for coming in (*_WRITING * (bucket,), neighbour):
                yield _arrival(rng, now_ns, _flow(rng, coming), 1)


def _struck(rng: random.Random, now_ns: int, packets: int) -> Iterator[Arrival | Reset]:
    """A bucket and its neighbours by one bit, until each has so many packets and its strikes are written; then a reset."""
    centre = rng.choice(BUCKETS)
    buckets = [centre, *_neighbours(rng, centre)]
    for _ in range(packets + 2 * _IN_JUDGMENT // len(buckets) + 3):
        for bucket in buckets:
            yield _arrival(rng, now_ns, _flow(rng, bucket), 1)
    yield Reset()


def _forgetting(rng: random.Random, now_ns: int) -> Iterator[Arrival | Departed | tuple[Arrival, Departed]]:
    """A flow that may have nothing queued: it is struck, then so many of its packets leave, each as its last one, that the number
    of times that its strikes were forgotten differs in one bit; and it comes again."""
    for _ in range(3):
        flow = returning(rng, _BITS, 1)[0]
        leaving = Departed(now_ns, 0, 0)
        times = 1 << rng.randrange(_ROUND_BITS)
        for _ in range(1 + times):
            yield _arrival(rng, now_ns, flow, 1)
        yield leaving
        yield _arrival(rng, now_ns, flow, 1), leaving
        for _ in range(times - 1):
            yield leaving
        yield _arrival(rng, now_ns, flow, 1)


def _resting(model: Led, rng: random.Random, now_ns: int) -> Iterator[Arrival | Departed]:
    """Idle times, each of which finds an average that is between the thresholds, or about at `max`. They halve it a few times, or
    so often that nothing is left, which one bit says."""
    lower, upper = model.parameters["min"] >> 14, model.parameters["max"] >> 14
    for _ in range(30):
        packets = _towards(model, rng.choice((upper, rng.randint(lower, upper), 2 * upper)))[0]
        yield _arrival(rng, now_ns, rng.getrandbits(32), packets)
        yield from _leaving(model, now_ns)
        gone = rng.choice((0, 0, 1 << rng.randrange(*_GONE_BITS)))
        now_ns += _idle_ns(model, rng.getrandbits(13) + gone) + rng.randrange(16)


def _passing(
    rng: random.Random, now_ns: int, queued: Mapping[int, int], level: int
) -> Iterator[Arrival | Departed | tuple[Arrival, Departed]]:
    """A few flows of which packets come and leave in every clock, so that next to nothing is queued and each packet may be its
    flow's first or last one: what is written of a flow is read again before it is there. At times it is two flows of which one
    bit tells the buckets apart."""
    flows = returning(rng, _BITS, rng.choice((1, 1, 2, 3, 5)))
    if rng.random() < 0.3:
        flows = [flows[0], flows[0] ^ 1 << rng.randrange(_BITS)]
    leaving = rng.choice((0.9, 1))
    for _ in range(5):
        coming = rng.randint(1, _IN_JUDGMENT)  # so that they leave as they are let in
        for number in range(2 * coming):
            found = rng.choice((max(0, sum(queued.values()) - 1), level))
            arrival = _arrival(rng, now_ns, rng.choice(flows), found, ecn=rng.randrange(4))
            departure = Departed(now_ns, 0, 0, queue_packets=found)
            if number < coming or rng.random() > leaving:
                yield arrival
            else:
                yield departure if number == coming or rng.random() < 0.3 else (arrival, departure)


def _lasting(
    rng: random.Random, now_ns: int, once: int, level: int, packets: int
) -> Iterator[Arrival | tuple[Arrival, Departed]]:
    """So many packets, nearly all of one flow, that come as fast as they leave: its totals, and what counts packets, rise so far.
    Now and then others come between them, so that each total is read any number of clocks after it was written. The first
    finds `once` packets, the others find `level`."""
    flow = returning(rng, _BITS, 1)[0]
    yield _arrival(rng, now_ns, flow, once)
    for number in range(packets):
        coming = flow if number % 100 < 90 or rng.random() < 0.5 else flow ^ 1 << rng.randrange(_BITS)
        yield _arrival(rng, now_ns, coming, level), Departed(now_ns, 0, 0, queue_packets=level)


def _slowing(model: Led, rng: random.Random, now_ns: int) -> Iterator[Arrival | Departed | NewSet]:
    """An average that is high, of which the lowest weight then takes away something with each packet that leaves."""
    upper = model.parameters["max"] >> 14
    target = rng.randrange(1 << _SLOWEST, upper) if upper > 1 << _SLOWEST else upper
    yield _arrival(rng, now_ns, rng.getrandbits(32), 1)
    yield Departed(now_ns, 0, 0, queue_packets=_towards(model, target)[0])
    yield NewSet({"weight_exponent": _SLOWEST})
    for _ in range(30):
        yield _arrival(rng, now_ns, rng.getrandbits(32), 1)
        yield Departed(now_ns, 0, 0, queue_packets=min(rng.randrange(2 * target), _MOST_PACKETS))


def _piling(model: Led, rng: random.Random, now_ns: int) -> Moments:
    """Behind a time in which an idle queue's average is halved, whether this one is idle or not, a flow of which none leaves,
    until it has more queued than 16 bits count, with an average far below `min`. Then all leave, and three times, first when just
    fewer are left than 16 bits count and last when none is, another one comes after as much time. Then a reset."""
    yield NewSet({"min": 2 * _PILED << 14, "max": 3 * _PILED << 14})
    flow = returning(rng, _BITS, 1)[0]
    once, level = _towards(model, _PILED // 2)
    yield _arrival(rng, now_ns, flow, 1)
    yield Departed(now_ns, 0, 0)
    now_ns += _idle_ns(model, 1 << 10)
    for packets in (once, *(level for _ in range(_PILED))):
        yield _arrival(rng, now_ns, flow, packets)
    for left in (_CARRIED - _FEW, _CARRIED - 10 * _FEW, 0):
        while model.present > left:
            yield Departed(now_ns, 0, 0, queue_packets=level)
        now_ns += _idle_ns(model, 1 << 10)
        yield _arrival(rng, now_ns, flow, level)
    yield Reset()


def _everybody(model: Led, rng: random.Random, now_ns: int) -> Iterator[Arrival | Departed | Reset]:
    """A packet of every bucket, in any order, and more of one of them; then that one while its share is about twice the
    average, or the average, which packets lead that leave: none may come in. Then a reset."""
    buckets = rng.sample(range(1 << _BITS), 1 << _BITS)
    for bucket in buckets + buckets[:1] * rng.choice((rng.randint(1, 50), 60)):
        yield _arrival(rng, now_ns, _flow(rng, bucket), 1)
    most = max(model.queued, key=model.queued.__getitem__, default=0)
    for number in range(60):
        share = model.queued.get(most, 0) * model.sharing
        level = _towards(model, (share // 2 if number < 30 else share) + rng.randint(-2, 2))[0]
        yield Departed(now_ns, 0, 0, queue_packets=level)
        yield _arrival(rng, now_ns, most, level)
    yield Reset()
