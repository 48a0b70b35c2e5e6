# SPDX-License-Identifier: Apache-2.0
"""FRED in floating point, line by line from the paper's pseudo-code and not from the integer model.

D. Lin, R. Morris, "Dynamics of Random Early Detection", SIGCOMM 1997. One event after the other: a packet is judged and queued
before the next one comes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field


@dataclass
class _Flow:
    queued: int = 0
    strikes: int = 0


@dataclass
class FredReference:
    """`two_packets`: the paper's buffer for many flows; `forced`: what it does at `max_th` without that."""

    min_th: float
    max_th: float
    max_p: float
    min_q: float
    weight: float
    packet_time_ns: float
    two_packets: bool = False
    forced: bool = True
    average: float = 0.0
    fair: float = 1.0  # avgcq
    count: int = -1
    active: int = 0
    queue: int = 0
    empty_since_ns: int = 0
    flows: dict[int, _Flow] = field(default_factory=dict)

    def judge(self, now_ns: int, flow: int, draw: float) -> str:
        """What becomes of an arriving packet; nothing is queued yet."""
        state = self.flows.setdefault(flow, _Flow())
        if self.queue == 0:
            self._update(now_ns, is_departure=False)
        max_q = 2.0 if self.two_packets and self.average >= self.max_th else self.min_th
        if state.queued >= max_q or (self.forced and self.average >= self.max_th and state.queued > 2 * self.fair):
            state.strikes += 1
            return "flow limit"
        if state.queued >= self.fair and state.strikes > 1:
            state.strikes += 1
            return "strikes"
        if self.average < self.min_th:
            self.count = -1
        elif self.average < self.max_th:
            self.count += 1
            if state.queued >= max(self.min_q, self.fair) and draw < self._final_probability():
                self.count = 0
                return "unforced"
        elif self.forced:
            self.count = 0
            return "forced"
        return "pass"

    def _final_probability(self) -> float:
        base = self.max_p * (self.average - self.min_th) / (self.max_th - self.min_th)
        rest = 1 - self.count * base
        return 1.0 if rest <= 0 else min(1.0, base / rest)

    def accept(self, now_ns: int, flow: int) -> None:
        """A judged packet enters the queue."""
        self.active += self.flows[flow].queued == 0
        self._update(now_ns, is_departure=False)
        self.flows[flow].queued += 1
        self.queue += 1

    def depart(self, now_ns: int, flow: int) -> None:
        """A packet leaves the queue."""
        self.queue -= 1
        self._update(now_ns, is_departure=True)
        self.flows[flow].queued -= 1
        if self.flows[flow].queued == 0:
            self.active -= 1
            del self.flows[flow]

    def _update(self, now_ns: int, *, is_departure: bool) -> None:
        if self.queue > 0 or is_departure:
            self.average += self.weight * (self.queue - self.average)
        else:
            packets = math.floor((now_ns - self.empty_since_ns) / self.packet_time_ns)
            self.average *= (1 - self.weight) ** packets
            self.empty_since_ns = now_ns
        self.fair = max(1.0, self.average / self.active if self.active else self.average)
        if self.queue == 0 and is_departure:
            self.empty_since_ns = now_ns
