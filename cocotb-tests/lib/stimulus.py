# SPDX-License-Identifier: Apache-2.0
"""Random cycles for any core: occupancy that wanders, time that stands still or jumps hours, bursts without a gap."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lib.core_bench import Cycle
from sluice_golden import Arrival

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator

    from sluice_golden import CoreModel

_SIZES = (1, 40, 64, 500, 1000, 1500, 9600, 65535)
_LEVELS = (0.0, 4.0, 7.0, 9.0, 11.0, 14.0, 18.0, 25.0, 40.0)
_FAR_LEVELS = (500.0, 200_000.0)  # rare: an average remembers them for thousands of arrivals
_STEPS_BACK_NS = (1, 2, 4, 4_000, 1_000_000_000, 3_600_000_000_000)
_PAUSES_NS = (0, 0, 1, 7, 1_000, 800_000, 5_000_000, 1_000_000_000, 3_600_000_000_000)


def stepped_back(rng: random.Random, now_ns: int) -> int:
    """The time, or now and then one before it, by any amount."""
    if rng.random() < 0.9:
        return now_ns
    return max(0, now_ns - rng.choice((*_STEPS_BACK_NS, now_ns)))


def random_raw(rng: random.Random, width: int, default: int) -> int:
    """A raw register value: near the default, any, or an extreme."""
    most = (1 << width) - 1
    kind = rng.random()
    if kind < 0.5:
        return min(most, rng.randrange(default // 8, default * 8 + 2))
    if kind < 0.8:
        return rng.getrandbits(rng.randint(1, width))
    return rng.choice((0, 1, most, most >> 1))


def random_parameters(rng: random.Random, model: type[CoreModel], widths: dict[str, int]) -> dict[str, int]:
    """A legal random set: the flags and a few words of the defaults redrawn until the model accepts them."""
    while True:
        drawn = model.defaults()
        for name in drawn:
            if widths[name] == 1:
                drawn[name] = rng.getrandbits(1)
            elif rng.random() < 0.5:
                drawn[name] = random_raw(rng, widths[name], drawn[name])
        if model.is_legal(drawn):
            return drawn


def random_cycles(
    rng: random.Random, model: type[CoreModel], arrivals: int, settle: int, new_parameters: Callable[[], dict[str, int]]
) -> Iterator[Cycle]:
    """Cycles with `arrivals` arrivals. `settle`: cycles after which nothing is in judgment."""
    now = rng.getrandbits(40)
    level, quiet, since_set, left = 0.0, settle, 0, arrivals
    target, density = 8.0, 1.0
    while left:
        if rng.random() < 0.002:  # another stretch: the queue heads elsewhere, arrivals come denser or sparser
            target = rng.choice(_LEVELS if rng.random() < 0.95 else _FAR_LEVELS)
            density = rng.choice((1.0, 1.0, 0.9, 0.3))
            now += rng.choice(_PAUSES_NS)
        cycle = Cycle()
        since_set += 1
        if since_set > 40 * settle and rng.random() < 0.001:
            cycle.parameters, since_set = new_parameters(), 0
        if rng.random() < density:
            level = max(0.0, level + (target - level) * 0.01 + rng.gauss(0, 1))
            packets = min(int(level), (1 << 18) - 1)
            now += rng.choice((0, 0, 0, 4, 100, 800_000))
            cycle.arrival = Arrival(
                now_ns=now % 2**64,
                flow=rng.getrandbits(32) if rng.random() < 0.5 else 7,
                size=rng.choice(_SIZES),
                ect=rng.random() < 0.5,
                queue_packets=packets,
                queue_bytes=min(packets * rng.choice((64, 500, 1500)), (1 << 26) - 1),
                random=tuple(rng.getrandbits(32) for _ in range(model.random_words)),
            )
            left -= 1
            quiet = 0
        else:
            quiet += 1
            if quiet > settle and rng.random() < 0.5:
                cycle.found_empty_ns = now % 2**64
                now += rng.choice(_PAUSES_NS)
        if rng.random() < 0.0005:  # a silence long enough for an idle time
            yield cycle
            yield from (Cycle() for _ in range(settle))
            yield Cycle(found_empty_ns=now % 2**64)
            now += rng.choice(_PAUSES_NS)
            continue
        if rng.random() < 0.00005:
            yield Cycle(reset=True)
            quiet, since_set = settle, 0
            continue
        yield cycle


def with_ticks(rng: random.Random, cycles: Iterator[Cycle], spacing: int) -> Iterator[Cycle]:
    """The cycles with a tick in some, as soon as `spacing` after the one before."""
    since = spacing
    for cycle in cycles:
        since += 1
        if since >= spacing and not cycle.reset and rng.random() < 0.05:
            cycle.tick_ns, since = 0, 0
        yield cycle
