# SPDX-License-Identifier: Apache-2.0
"""Recordings of REM, PI and AVQ at a link of 10 Mbit/s, in the columns that ns-2's have, for where ns-2's are not at hand.

Neither the references nor the integer models have a part in them: the formulas are those of the papers in ns-2's order, in
numbers of 50 decimal digits, and the queue is a list of the times at which packets leave. Verdicts of REM and PI are drawn from
their probability.
"""

from __future__ import annotations

import random
from collections import deque
from dataclasses import dataclass, field
from decimal import Decimal, getcontext
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

getcontext().prec = 50

BYTES_PER_S = Decimal(1_250_000)
PACKET = 1000
Rows = list[dict[str, str]]


@dataclass
class Fifo:
    """The queue behind a verdict: when each packet in it begins to leave, and its size."""

    held: deque[tuple[Decimal, int]] = field(default_factory=deque)
    free_s: Decimal = Decimal(0)

    def at(self, now: Decimal) -> deque[tuple[Decimal, int]]:
        """What waits at that time; what begins to leave does not."""
        while self.held and self.held[0][0] <= now:
            self.held.popleft()
        return self.held

    def put(self, now: Decimal, size: int) -> None:
        """Queue a packet, or send it at once."""
        begin = max(now, self.free_s)
        if begin > now:
            self.held.append((begin, size))
        self.free_s = begin + size / BYTES_PER_S


def traffic(seed: int, seconds: int, is_sized: bool) -> Iterator[tuple[Decimal, int]]:
    """Arrivals at times of 10 ns that no service time meets: by turns a fifth more and a fifth less than the link sends."""
    rng, now = random.Random(seed), Decimal(0)
    while True:
        size = rng.choice((64, 576, 1000, 1500)) if is_sized else PACKET
        load = Decimal("1.2") if int(now) % 4 < 2 else Decimal("0.8")
        mean_us = size / BYTES_PER_S / load * 1_000_000
        now += (Decimal(rng.randrange(50, 151)) / 100 * mean_us).quantize(Decimal("0.01")) / 1_000_000
        if now > seconds:
            return
        yield now, size


@dataclass
class Rem:
    """The price and what came since it last moved, in packets."""

    interval: Decimal = Decimal("0.002")
    price: Decimal = Decimal(0)
    came: Decimal = Decimal(0)

    def arrive(self, packets: Decimal) -> None:
        self.came += packets

    def tick(self, queue: Decimal) -> Decimal:
        mismatch = Decimal("0.1") * (queue - 20) + self.came - self.interval * BYTES_PER_S / PACKET
        self.price = max(Decimal(0), self.price + Decimal("0.001") * mismatch)
        self.came = Decimal(0)
        return 1 - Decimal("1.001") ** -self.price

    @staticmethod
    def is_full(held: int, size: int, limit: int) -> bool:
        """The arrival has filled the buffer."""
        return held + size >= limit


@dataclass
class Pi:
    """The probability, and the queue when it last moved."""

    interval: Decimal = 1 / Decimal(170)
    probability: Decimal = Decimal(0)
    old: Decimal = Decimal(0)

    def arrive(self, packets: Decimal) -> None:
        """The queue says all."""

    def tick(self, queue: Decimal) -> Decimal:
        moved = Decimal("1.822e-5") * (queue - 50) - Decimal("1.816e-5") * (self.old - 50)
        self.probability, self.old = min(Decimal(1), max(Decimal(0), self.probability + moved)), queue
        return self.probability

    @staticmethod
    def is_full(held: int, size: int, limit: int) -> bool:
        """One packet comes in beyond the limit."""
        del size
        return held >= limit


def ticked(scheme: Rem | Pi, in_bytes: bool, limit: int, marks: bool, seconds: int = 5) -> tuple[Rows, Rows]:
    """Packets, and the probability at each tick."""
    fifo, rng, probability = Fifo(), random.Random(limit), Decimal(0)
    packets: Rows = []
    ticks: Rows = []

    def until(now: Decimal) -> None:
        nonlocal probability
        while (len(ticks) + 1) * scheme.interval < now:
            held = fifo.at((len(ticks) + 1) * scheme.interval)
            queued = sum(size for _, size in held)
            probability = scheme.tick(Decimal(queued) / PACKET if in_bytes else Decimal(len(held)))
            ticks.append(
                {"tick": str(len(ticks) + 1), "queue_pkts": str(len(held)), "prob": f"{float(probability):.9g}"}
            )

    for now, size in traffic(limit, seconds, is_sized=in_bytes):
        until(now)
        scheme.arrive(Decimal(size) / PACKET if in_bytes else Decimal(1))
        held = fifo.at(now)
        full = (sum(s for _, s in held), size, limit * PACKET) if in_bytes else (len(held), 1, limit)
        is_hit = rng.random() < probability
        is_dropped = scheme.is_full(*full) or (is_hit and not marks)
        if not is_dropped:
            fifo.put(now, size)
        verdict = "drop" if is_dropped else "mark" if is_hit else "pass"
        packets.append({"t_us": f"{now * 1_000_000:.2f}", "size": str(size), "verdict": verdict})
    return packets, ticks


def avq(in_bytes: bool, drops: bool, limit: int, share: float, seconds: int = 7) -> Rows:
    """Packets through an adaptive virtual queue."""
    unit = 1 if in_bytes else PACKET
    rate, most, buffer = BYTES_PER_S / unit, limit * PACKET // unit, Decimal(str(share)) * limit * PACKET / unit
    capacity, virtual, fifo = Decimal("0.8") * rate, Decimal(0), Fifo()
    arrived = moved = None
    packets: Rows = []
    for now, size in traffic(limit, seconds, is_sized=in_bytes):
        amount, held = (size if in_bytes else 1), fifo.at(now)
        virtual = max(Decimal(0), virtual - capacity * (now - (now if arrived is None else arrived)))
        arrived, is_over = now, virtual + amount > buffer
        if not is_over:
            virtual += amount
        if not (is_over and drops):
            passed = now - (now if moved is None else moved)
            step = Decimal("0.15") * (Decimal("0.98") * rate * passed - amount)
            capacity, moved = min(max(capacity + step, Decimal(0)), rate), now
        queued = sum(s for _, s in held) if in_bytes else len(held)
        is_full = fifo.free_s > now and queued + amount > most
        is_dropped = is_full or (is_over and drops)
        if not is_dropped:
            fifo.put(now, size)
        verdict = "drop" if is_dropped else "mark" if is_over else "pass"
        packets.append({"t_us": f"{now * 1_000_000:.2f}", "size": str(size), "verdict": verdict})
    return packets
