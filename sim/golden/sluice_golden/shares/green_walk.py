# SPDX-License-Identifier: Apache-2.0
"""Where GREEN's model leads in tests: windows that end.

A window ends with an arrival between two ticks, and what it says depends on the time that it took and on the bytes that left
meanwhile; by chance hardly one in a hundred is of a use that is neither none nor far above what the link can do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Protocol

from sluice_golden.core import MOST_RTT_US, Arrival, Departed, Ticked
from sluice_golden.shares.green_window import REACH_FRACTION, Rate, Window

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator, Sequence

_SIZES = (64, 1000, 1500, 65535)
_PACKETS = (1, 20, 60, 200)
_MOST_PACKETS = 4000  # enough flows to fill buckets that keep three
_BUCKET_BITS = 10  # the first ones of a flow's id
_WORDS = 1 << 32


class Led(Protocol):
    """What the walk reads of the model."""

    queues: ClassVar[int]
    parameters: dict[str, int]
    window: Window
    rate: Rate

    def rtt_us(self, rng: random.Random) -> int:
        """A round-trip time in microseconds."""


def windows(model: Led, rng: random.Random, now_ns: int) -> Iterator[Arrival | Departed | Ticked]:
    """Three windows. One tick has the window wait for its end, an arrival ends it, and the next tick works out what it says."""
    yield Ticked(now_ns, "window")
    for _ in range(3):
        now_ns += _length_ns(model, rng)
        yield _arrival(model, rng, now_ns, rng.getrandbits(32))
        yield Ticked(now_ns, "window")
        is_full = rng.random() < 0.02
        buckets = (
            range(1 << _BUCKET_BITS) if is_full else [rng.getrandbits(_BUCKET_BITS) for _ in range(rng.randint(1, 20))]
        )
        leaving, flow = rng.choice((0, 0.3, 0.9)), 0
        for _ in range(_MOST_PACKETS if is_full else rng.choice(_PACKETS)):
            now_ns += rng.randrange(10)
            flow = _flow(rng, flow, buckets)
            yield _arrival(model, rng, now_ns, flow)
            if rng.random() < leaving:
                yield Departed(now_ns, 0, 0)
        yield Ticked(now_ns, "window")


def _length_ns(model: Led, rng: random.Random) -> int:
    """So long that the link was used by anything from a two-hundredth to twice what it can do; or any time."""
    if not model.window.departed or rng.random() < 0.1:
        return rng.getrandbits(rng.choice((10, 20, 36, 45)))
    could_leave = model.window.departed * 2 ** rng.uniform(-1, 8)
    return min(int(could_leave * 2**28) // model.parameters["capacity"], 1 << 40)


def _flow(rng: random.Random, last: int, buckets: Sequence[int]) -> int:
    """Of one of a few buckets, which so are full; or the one before again, or one bit beside it."""
    if rng.random() < 0.4:
        return last ^ rng.choice((0, 1 << rng.randrange(32)))
    return rng.choice(buckets) << 32 - _BUCKET_BITS | rng.getrandbits(32 - _BUCKET_BITS)


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
