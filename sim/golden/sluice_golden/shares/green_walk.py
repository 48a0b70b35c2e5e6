# SPDX-License-Identifier: Apache-2.0
"""Where GREEN's model leads in tests: windows that end.

A window ends with an arrival between two ticks, and what it says depends on the time that it took and on the bytes that left
meanwhile; by chance hardly one in a hundred is of a use that is neither none nor far above what the link can do, and none has
all its packets refused.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Protocol

from sluice_golden.core import MOST_RTT_US, Arrival, Departed, Ticked
from sluice_golden.shares.green_window import REACH_FRACTION, Rate, Window

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

_SIZES = (64, 1000, 1500, 65535)
_PACKETS = (1, 20, 60, 200)
_BUCKET_BITS = 10  # the first ones of a flow's id
_NUMBER_BITS = 20  # the next ones
_BELOW_BITS = 2
_WORDS = 1 << 32


class Led(Protocol):
    """What the walk reads of the model."""

    queues: ClassVar[int]
    parameters: dict[str, int]
    window: Window
    rate: Rate

    def rtt_us(self, rng: random.Random) -> int:
        """A round-trip time in microseconds."""


def windows(
    model: Led, rng: random.Random, now_ns: int
) -> Iterator[Arrival | Departed | tuple[Arrival, Departed] | Ticked]:
    """Three windows. One tick has the window wait for its end, an arrival ends it, and the next tick works out what it says."""
    yield Ticked(now_ns, "window")
    for _ in range(3):
        now_ns = _end_ns(model, rng, now_ns)
        coming, leaving = rng.choice(((_arrival, 0), (_arrival, 0.3), (_arrival, 0.3), (_arrival, 0.9), (_refused, 0)))
        yield coming(model, rng, now_ns, rng.getrandbits(32))
        yield Ticked(now_ns, "window")
        if rng.random() < 0.05:
            for flow in _many_flows(rng):  # each of the largest packets, of which one leaves in every clock
                yield replace(_arrival(model, rng, now_ns, flow), size=_SIZES[-1]), Departed(now_ns, 0, 0)
        for flow in _few_flows(rng):
            now_ns += rng.randrange(10)
            yield coming(model, rng, now_ns, flow)
            if rng.random() < leaving:
                yield Departed(now_ns, 0, 0)
        yield Ticked(now_ns, "window")


def _end_ns(model: Led, rng: random.Random, now_ns: int) -> int:
    """When the link was used by anything from a two-hundredth to twice what it can do, or right beside what is wanted; or any."""
    departed, used = model.window.departed, model.parameters["wanted"] + rng.randint(-1, 1)
    if not departed or rng.random() < 0.1:
        return now_ns + rng.getrandbits(rng.choice((10, 20, 36, 45)))
    could_leave = int(departed * 2 ** rng.uniform(-1, 8))
    if used > 0 and rng.random() < 0.5:
        could_leave = (departed << 16) // used
    length_ns = -(-(could_leave << 28) // model.parameters["capacity"])
    return max(now_ns, model.window.begin_ns + min(length_ns, 1 << 40))


def _many_flows(rng: random.Random) -> Iterator[int]:
    """Four of every bucket, with numbers so small that they stand for many more."""
    number_bits = _NUMBER_BITS - rng.choice((0, 1, rng.randint(2, 14)))
    for flow in range(4 << _BUCKET_BITS):
        yield _flow(flow % (1 << _BUCKET_BITS), rng.getrandbits(number_bits), rng)


def _few_flows(rng: random.Random) -> Iterator[int]:
    """Of the first bucket and a few others, which so are full; or of any, with a number that is kept as a single bit or none; or
    the one before again, or one bit beside it."""
    buckets = [0, *(rng.getrandbits(_BUCKET_BITS) for _ in range(rng.randint(0, 20)))]
    is_single, flow = rng.random() < 0.3, 0
    for _ in range(rng.choice(_PACKETS)):
        if rng.random() < 0.4:
            flow ^= rng.choice((0, 1 << rng.randrange(32)))
        elif is_single:
            kept = 1 << rng.randrange(_NUMBER_BITS + 1) >> 1
            flow = _flow(rng.getrandbits(_BUCKET_BITS), (1 << _NUMBER_BITS) - 1 - kept, rng)
        else:
            flow = _flow(rng.choice(buckets), rng.getrandbits(_NUMBER_BITS), rng)
        yield flow


def _flow(bucket: int, number: int, rng: random.Random) -> int:
    """Any of this bucket and number."""
    return (bucket << _NUMBER_BITS | number) << _BELOW_BITS | rng.getrandbits(_BELOW_BITS)


def _arrival(model: Led, rng: random.Random, now_ns: int, flow: int) -> Arrival:
    """Of a round-trip time about as long as the reach, or for which the probability is about the most that marks; with a draw
    beside the one from which on packets pass."""
    reach, most = model.rate.reach, model.parameters["mark_most"]
    rtt_us = model.rtt_us(rng)
    if most and rng.random() < 0.2:
        rtt_us = min(MOST_RTT_US, max(0, 4 * reach // most + rng.randint(-1, 1)))
    word = rng.getrandbits(32)
    known_us = min(rtt_us, model.parameters["rtt_most"])
    if known_us and rng.random() < 0.5:
        word = min(max(0, (reach << 32 - REACH_FRACTION) // known_us + rng.randint(-1, 1)), _WORDS - 1)
    words = [word, rng.randrange(word + 1)]
    rng.shuffle(words)
    queue = rng.randrange(model.queues)
    size, ecn = rng.choice(_SIZES), rng.getrandbits(2)
    return Arrival(now_ns, flow, size, ecn, 1, 1000, tuple(words), rtt_us, queue=queue)


def _refused(model: Led, rng: random.Random, now_ns: int, flow: int) -> Arrival:
    """The same of a packet that is dropped, as long as any is."""
    arrival = _arrival(model, rng, now_ns, flow)
    return replace(arrival, ecn=0, random=(0, 0), rtt_us=max(1, arrival.rtt_us))
