# SPDX-License-Identifier: Apache-2.0
"""RED-PD's controller in floating point: which flows are monitored, and with what probability each loses packets.

R. Mahajan, S. Floyd, D. Wetherall, "Controlling High-Bandwidth Flows at the Congested Router", ICNP 2001, with the exact rules
of the authors' controller for ns-2 (``tcl/ex/red-pd``), and in its order of operations, so that every number is the same double.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

LISTS = 5  # M
APPEARANCES = 3  # K
LONGEST_LIST = 50  # flows of a list
RELEASE_S = 0.001  # from the end of a list to the release
_LEAST_HOLD_S = 0.4
_LEAST_RATE = 0.001  # drop rate below which nobody is punished
_HISTORY = 5
_STEP = 0.05
_RELEASED_AT = 0.005


@dataclass(frozen=True, slots=True)
class Bytes:
    """Of one flow in one list: arrived, dropped by anyone, dropped by the pre-filter."""

    arrived: int
    dropped: int
    filtered: int = 0


@dataclass(slots=True)
class Monitored:
    """What the pre-filter knows of a flow: the share of its packets that survive, and what it is taken for."""

    survives: float
    is_unresponsive: bool = False

    @property
    def probability(self) -> float:
        return 1 - self.survives


@dataclass
class RedPdReference:
    """`tie_s`: how much too short a hold time may be. At 0 the rounding of doubles decides whether a flow that changed four lists
    ago may change, as it does in ns-2."""

    rtt_s: float = 0.040
    tests_unresponsive: bool = True
    longest_list: int = LONGEST_LIST
    tie_s: float = 0.0
    monitored: dict[int, Monitored] = field(default_factory=dict)
    average_rate: float | None = None
    lists: list[dict[int, int]] = field(default_factory=list)
    lengths: list[float] = field(default_factory=list)  # the newest first; those at a drop rate of 0 are not remembered
    _changed: dict[int, float] = field(default_factory=dict)
    _histories: dict[int, list[tuple[float, float]]] = field(default_factory=dict)
    _before: float = 0.0

    def end_of_list(self, now: float, total: Bytes, flows: dict[int, Bytes]) -> float:
        """Identifies and punishes; returns the length of the next list. `flows`: those that lost anything."""
        elapsed, self._before = now - self._before, now
        offered = total.arrived - total.filtered
        rate = (total.dropped - total.filtered) / offered if offered else 0.0
        average = self.average_rate
        self.average_rate = average = rate if average is None else 0.5 * rate + 0.5 * average
        self._compile(flows)
        if rate > _LEAST_RATE:
            self._punish(now, elapsed, min(rate, average), flows)
        return self._next_length(average)

    def _compile(self, flows: dict[int, Bytes]) -> None:
        lost = {flow: b.dropped - b.filtered for flow, b in flows.items() if b.dropped > b.filtered}
        if len(lost) > self.longest_list:
            lost = dict(sorted(lost.items(), key=lambda item: -item[1])[: self.longest_list])
        self.lists = [*self.lists, lost][-LISTS:]

    def identified(self) -> dict[int, int]:
        """Flows in at least K of the M lists, with the bytes that they lost."""
        flows = {flow for one in self.lists for flow in one}
        return {
            flow: sum(one.get(flow, 0) for one in self.lists)
            for flow in flows
            if sum(flow in one for one in self.lists) >= APPEARANCES
        }

    def _punish(self, now: float, elapsed: float, rate: float, flows: dict[int, Bytes]) -> None:
        identified = self.identified()
        for flow, lost in identified.items():
            mean = sum(identified.values()) / len(identified)
            if not self._may_change(flow, now, 4) or flow not in flows:
                continue
            step = rate * lost / mean
            if flow in self.monitored:
                self._step(flow, step)
            else:
                self.monitored[flow] = Monitored(max(0.5, 1 - min(step, 2 * rate)))
            self._changed[flow] = now
            seen = flows[flow]
            history = self._histories.setdefault(flow, [])
            self._histories[flow] = [*history, (seen.arrived / elapsed, seen.dropped / seen.arrived)][-_HISTORY:]

    def _step(self, flow: int, step: float) -> None:
        state = self.monitored[flow]
        before = state.probability
        state.is_unresponsive |= self.tests_unresponsive and is_unresponsive(self._histories[flow])
        if state.is_unresponsive:
            state.survives, before_it = 1 - (3 * before if step > before else before + 2 * step), state.survives
        else:
            state.survives, before_it = 1 - (2 * before if step > before else before + step), state.survives
        if state.survives < 0:
            state.survives = before_it / (3.0 if state.is_unresponsive else 2.0)

    def release(self, now: float) -> None:
        """Eases those that are in no list."""
        for flow, state in list(self.monitored.items()):
            lists, divisor, least = (5, 1.5, _RELEASED_AT / 2) if state.is_unresponsive else (3, 2.0, _RELEASED_AT)
            if any(flow in one for one in self.lists) or not self._may_change(flow, now, lists):
                continue
            if state.survives >= 1 - least:
                del self.monitored[flow]
                del self._histories[flow]
            elif state.probability > divisor * _STEP:
                state.survives = 1 - (state.probability - _STEP)
            else:
                state.survives = 1 - state.probability / divisor
            self._changed[flow] = now

    def _may_change(self, flow: int, now: float, lists: int) -> bool:
        """Whether a flow has been left alone for the last lists."""
        held = 0.0
        for length in self.lengths[:lists]:
            held += length
        return now - self._changed.get(flow, 0.0) >= max(held, _LEAST_HOLD_S) - self.tie_s

    def _next_length(self, rate: float) -> float:
        if rate == 0:
            return 10 * self.rtt_s
        length = APPEARANCES / LISTS * self.rtt_s / math.sqrt(1.5 * rate)
        length = max(min(length, 10 * self.rtt_s), 2 * self.rtt_s)
        self.lengths = [length, *self.lengths][:LISTS]
        return length


def is_unresponsive(history: list[tuple[float, float]]) -> bool:
    """Whether the flow's rate did not fall as its drop fraction rose, 1/sqrt(p) at least. Of (rate, drop fraction)."""
    good = bad = 0
    for rate, fraction in history:
        for later_rate, higher in history:
            if fraction < higher and fraction / higher > 0.1:
                is_bad = later_rate / rate > math.sqrt(fraction / higher)
                bad, good = bad + is_bad, good + (not is_bad)
    return (good == 0 and bad >= 3) or (good == 1 and bad >= 4) or (good >= 2 and bad >= 4 * good)
