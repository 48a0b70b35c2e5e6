# SPDX-License-Identifier: Apache-2.0
"""The tile around a core, cycle by cycle: what an arrival sees, when a packet counts, the limits, the counters.

Time is counted in clock cycles. An arrival of cycle c sees the occupancy of cycle c; its core judges it in cycle
c + 1 + core latency, and if it is accepted it counts from the next cycle on, in which its verdict is on the port. A packet that
leaves in cycle d counts no more from d + 3 on. A tick that the time of cycle c makes due acts before the arrivals of cycle c + 1.

Time is the latest that was presented: where it steps back it stands still until it is as late again.
"""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sluice_golden.core import PASS, Arrival, CoreModel, Verdict
from sluice_golden.taus88 import DEFAULT_SEEDS, Taus88

if TYPE_CHECKING:
    from collections.abc import Mapping

OVERLIMIT = Verdict("drop", "Overlimit drop")


@dataclass(frozen=True, slots=True)
class Packet:
    """A packet as the tile is offered it."""

    flow: int
    size: int
    ect: bool
    rtt_us: int = 0
    cookie: int = 0


@dataclass(frozen=True, slots=True)
class Queued:
    """A descriptor in the ring."""

    flow: int
    size: int
    is_ce: bool
    cookie: int


@dataclass(frozen=True, slots=True)
class Judged:
    """What a tile says of a packet."""

    verdict: Verdict
    cookie: int


@dataclass(slots=True)
class _InJudgment:
    packet: Packet
    verdict: Verdict
    commit_cycle: int
    limit: int
    limit_bytes: int


class Ticker:
    """Ticks of a period: when the time that is due has come, and the next is due a period later; or a period after now, where
    now has passed that as well. Deaf for some cycles after each; the first period begins a few cycles after reset."""

    AWAKE = 2  # cycle after reset whose time is the first to be looked at

    def __init__(self, spacing: int) -> None:
        self.spacing = spacing
        self.due: int | None = None
        self.awake = self.AWAKE

    def is_due(self, cycle: int, now_ns: int, period_ns: int) -> bool:
        """Whether the time presented in the cycle before makes a tick, in the next cycle."""
        if cycle < self.awake or (self.due is not None and now_ns < self.due):
            return False
        is_first = self.due is None
        is_behind = self.due is None or now_ns >= self.due + period_ns
        self.due = (now_ns if is_behind or self.due is None else self.due) + period_ns
        self.awake = cycle + self.spacing
        return not is_first


class TileModel:
    """A tile of one queue around a core's model. Call the methods of one cycle in the order in which they stand here."""

    def __init__(self, core: CoreModel, core_latency: int, limit: int, limit_bytes: int, tick_cycles: int = 0) -> None:
        self.core = core
        self.core_latency, self.tick_cycles = core_latency, tick_cycles
        self.ticker = Ticker(tick_cycles + core_latency + 2)
        self.ticks = 0
        self._is_tick_next = False
        self.limit, self.limit_bytes = limit, limit_bytes
        self.generator = Taus88(DEFAULT_SEEDS)
        self.packets = self.bytes = 0
        self.ring: deque[Queued] = deque()
        self.counters: Counter[str] = Counter()
        self._settles = -1  # cycle from which on arrivals see what the last tick changed
        self.now_ns = 0
        self._judging: deque[_InJudgment] = deque()
        self._leaving: deque[tuple[int, int]] = deque()  # cycle in which it stops counting, bytes

    def apply(self, limit: int, limit_bytes: int, seeds: tuple[int, int, int] | None) -> None:
        """A new set of the tile's own parameters, for arrivals from this cycle on. The core's is :meth:`apply_core`."""
        self.limit, self.limit_bytes = limit, limit_bytes
        if seeds is not None:
            self.generator = Taus88(seeds)

    def apply_core(self, parameters: Mapping[str, int]) -> None:
        """A new set of the core's parameters. A new period begins with it."""
        period = self.core.tick_period
        if period and parameters[period] != self.core.parameters[period]:
            self.ticker.due = None
        self.core.apply(parameters)

    def begin(self, cycle: int, now_ns: int) -> None:
        """Begins this cycle, with the time that is presented in it, which may step back: ticks, for a core that wants them."""
        if cycle == self._settles:
            self.core.settle()
        period = self.core.tick_period
        if self._is_tick_next:
            self.core.tick(self.now_ns)
            self.ticks += 1
            self._settles = cycle + self.tick_cycles
        self._is_tick_next = bool(period) and self.ticker.is_due(cycle, self.now_ns, self.core.parameters[period])
        self.now_ns = max(self.now_ns, now_ns)

    def is_idle(self) -> bool:
        """Nothing is queued and nothing in judgment, as of this cycle's start."""
        return self.packets == 0 and not self._judging

    def found_empty(self) -> None:
        """The link holds ready in a cycle in which :meth:`is_idle` and nothing arrives."""
        self.core.found_empty(self.now_ns)

    def arrive(self, cycle: int, packet: Packet) -> None:
        """A packet is offered in this cycle."""
        words = tuple(self.generator.draw() for _ in range(self.core.random_words))
        verdict = self.core.arrive(
            Arrival(
                now_ns=self.now_ns,
                flow=packet.flow,
                size=packet.size,
                ect=packet.ect,
                queue_packets=self.packets,
                queue_bytes=self.bytes,
                random=words,
                rtt_us=packet.rtt_us,
            )
        )
        commit = cycle + 1 + self.core_latency
        self._judging.append(_InJudgment(packet, verdict, commit, self.limit, self.limit_bytes))

    def depart(self, cycle: int) -> Queued:
        """The link takes the oldest descriptor in this cycle."""
        left = self.ring.popleft()
        self._leaving.append((cycle + 3, left.size))
        self.counters["departed_packets"] += 1
        self.counters["departed_bytes"] += left.size
        return left

    def finish(self, cycle: int) -> Judged | None:
        """Ends this cycle; the verdict on the port in the next one."""
        judged = self._commit(cycle)
        while self._leaving and self._leaving[0][0] == cycle + 1:
            self.packets -= 1
            self.bytes -= self._leaving.popleft()[1]
        return judged

    def _commit(self, cycle: int) -> Judged | None:
        if not self._judging or self._judging[0].commit_cycle != cycle:
            return None
        judged = self._judging.popleft()
        size, verdict = judged.packet.size, judged.verdict
        if verdict.action != "drop" and (self.packets >= judged.limit or self.bytes + size > judged.limit_bytes):
            verdict = OVERLIMIT
        self.counters["received_packets"] += 1
        self.counters["received_bytes"] += size
        if verdict is not PASS:
            self.counters[verdict.reason.lower().replace(" ", "_")] += 1
        if verdict.action == "drop":
            self.counters["dropped_bytes"] += size
        else:
            self.packets += 1
            self.bytes += size
            self.ring.append(Queued(judged.packet.flow, size, verdict.action == "mark", judged.packet.cookie))
        return Judged(verdict, judged.packet.cookie)
