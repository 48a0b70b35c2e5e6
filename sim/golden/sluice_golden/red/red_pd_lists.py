# SPDX-License-Identifier: Apache-2.0
"""RED-PD's lists and what follows from them, exact integer model, by the rules of :mod:`sluice_golden.red.red_pd_reference`.

A flow has one of two places in a table of 512. It comes into it when it loses a packet, and is counted from the next list on; it
goes when it was in no list for long. Formats: probabilities and drop rates Q0.24, logarithms Q.11, ages in 2^16 ns. Ratios are
differences of logarithms.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from sluice_golden.blocks.arithmetic.logarithm import FRACTION, logarithm, power

PLACES = 256  # in each half of the table
NEWCOMERS = 64  # losses of one list that may be of flows not yet known
WORKED = 64  # flows that may change at the end of one list
LISTS = 5  # M
APPEARANCES = 3  # K
AGE_SHIFT = 16  # of a time in ns to ages
LEAST_HOLD = 6103  # .4 s, in ages

_ONE = 1 << 24
_OLDEST = (1 << 20) - 1
_FORGOTTEN = 1 << 16  # age at which a flow in no list may go
_TIE = 4  # ages by which a hold time may be too short
_RELEASE_AGE = 16  # from the end of a list to the release: 1 ms
_LEAST_RATE = round(0.001 * _ONE)
_STEP = round(0.05 * _ONE)
_LEAST = round(0.005 * _ONE)
_TENTH = round(math.log2(10) * 2**FRACTION)
_LENGTH = round(math.log2(0.6 / math.sqrt(1.5)) * 2**FRACTION)
_BYTES = (1 << 36) - 1
_LONGEST_NS = (1 << 48) - 1


def places(flow: int) -> tuple[int, int]:
    """Where a flow may be."""
    return flow % PLACES, PLACES + (flow >> 8) % PLACES


@dataclass(slots=True)
class Counted:
    """Bytes of one flow in one list, modulo 2^36: arrived, dropped by anyone, lost to RED or the limit, or marked."""

    arrived: int = 0
    dropped: int = 0
    lost: int = 0

    def add(self, size: int, *, is_dropped: bool, is_lost: bool) -> None:
        self.arrived = (self.arrived + size) & _BYTES
        self.dropped = (self.dropped + size * is_dropped) & _BYTES
        self.lost = (self.lost + size * is_lost) & _BYTES


@dataclass(slots=True)
class Record:
    """What was heard during one list: bytes of all packets modulo 2^40, of the flows by their places, and losses of others."""

    arrived: int = 0
    filtered: int = 0
    lost: int = 0
    counted: dict[int, Counted] = field(default_factory=dict)
    newcomers: list[tuple[int, int]] = field(default_factory=list)


@dataclass(slots=True)
class Flow:
    """One place of the table. `lost`: bytes in each of the last lists, the newest first. `age`: since the last change, less 1 ms
    after a release. `history`: logarithms of rate and drop fraction, the newest first."""

    flow: int
    lost: tuple[int, ...] = (0,) * LISTS
    probability: int = 0
    is_unresponsive: bool = False
    age: int = _OLDEST
    history: tuple[tuple[int, int], ...] = ()

    @property
    def appearances(self) -> int:
        return sum(lost > 0 for lost in self.lost)


@dataclass(frozen=True, slots=True)
class Known:
    """What the filter knows of a flow, from the end of a list on."""

    place: int
    probability: int
    is_unresponsive: bool


@dataclass(slots=True)
class Sums:
    """Over all flows that are worked on at the end of one list, of what becomes of each and what that hangs on, for tests to
    compare. `step` is of the identified ones, points are of histories that get a new one, `after` is of states that change."""

    bytes: int = 0
    age: int = 0
    step: int = 0
    good: int = 0
    bad: int = 0
    excess: int = 0
    rate: int = 0
    fraction: int = 0
    after: int = 0


@dataclass(frozen=True, slots=True)
class Rates:
    """Of one list: `rate` is what a mean identified flow is punished with; `is_high`: anyone is; `scale`: the logarithm of the
    rate over the mean loss; `elapsed`: of the list's length."""

    rate: int
    is_high: bool
    scale: int
    elapsed: int


class ListController:
    """`average_rate` is -1 before the first list has ended. `interval_ns`: length of the list that begins."""

    def __init__(self, interval_ns: int) -> None:
        self.flows: dict[int, Flow] = {}
        self.interval_ns = interval_ns
        self.average_rate = -1
        self.lengths = (0,) * LISTS  # in units of ages, the newest first
        self.begun_ns: int | None = None
        self.view: dict[str, int] = {}
        """What the end of the last list was worked out from, by the names of the core's views."""

    def begin(self, now_ns: int) -> None:
        """The first list begins."""
        self.begun_ns = now_ns

    def end_of_list(self, now_ns: int, record: Record, rtt_ns: int, *, tests_unresponsive: bool) -> None:
        """All that is due at the end of a list, and at the release 1 ms after it."""
        begun_ns = self.begun_ns or 0
        elapsed = logarithm(min(now_ns - begun_ns, _LONGEST_NS))
        older = min((now_ns >> AGE_SHIFT) - (begun_ns >> AGE_SHIFT), _OLDEST)
        self.begun_ns = now_ns
        self._admit(record)
        rate, rate_used = self._rates(record)
        worked: list[tuple[Flow, Counted]] = []
        count = total = 0
        for place, one in sorted(self.flows.items()):
            seen = record.counted.get(place, Counted())
            one.lost = (seen.lost, *one.lost[:-1])
            one.age = min(one.age + older, _OLDEST)
            if one.appearances >= APPEARANCES:
                count += 1
                total += sum(one.lost)
            if one.appearances >= APPEARANCES or one.probability:
                worked.append((one, seen))
            elif not one.appearances and one.age >= _FORGOTTEN:
                del self.flows[place]
        scale = logarithm(rate_used) + logarithm(count) - logarithm(total)
        rates = Rates(rate_used, rate > _LEAST_RATE, scale, elapsed)
        hold = self.hold(4)
        self._set_length(rtt_ns)
        offered, sums = (record.arrived - record.filtered) % (1 << 40), Sums()
        for one, seen in worked[:WORKED]:
            self._note(sums, one, seen, rates)
            if one.appearances >= APPEARANCES:
                if rates.is_high and one.age >= hold + _RELEASE_AGE - _TIE and seen.dropped:
                    self._punish(one, seen, rates, tests_unresponsive=tests_unresponsive)
                    sums.rate += sum(rate for rate, _ in one.history)
                    sums.fraction += sum(fraction for _, fraction in one.history)
                    sums.after += _state(one)
            elif not one.appearances and self._release(one):
                sums.after += _state(one)
        self.view = {
            "list_bytes": _together((offered + record.lost, 41), (logarithm(self.average_rate), 17)),
            "list_rates": _together((rate, 24), (scale, 19), (elapsed, 19)),
            "list_holds": _together((hold, 19), (self.hold(3), 19), (self.hold(5), 19)),
            "list_identified": total,
            "worked_bytes": sums.bytes,
            "worked_steps": _together((sums.age, 26), (sums.step, 30)),
            "worked_points": _together((sums.rate, 24), (sums.fraction, 24), (sums.excess, 16)),
            "worked_after": _together((sums.good, 10), (sums.bad, 10), (sums.after, 34)),
        }

    def _note(self, sums: Sums, one: Flow, seen: Counted, rates: Rates) -> None:
        """What a flow is worked on by."""
        sums.bytes += sum(one.lost) + seen.arrived + seen.dropped
        sums.age += one.age
        if one.appearances >= APPEARANCES:
            sums.step += _step(one, rates)
        excesses = compared(one.history)
        bad = sum(excess > 0 for excess in excesses)
        sums.good += len(excesses) - bad
        sums.bad += bad
        sums.excess += sum(excesses)

    def _admit(self, record: Record) -> None:
        """Flows that lost packets before they were known."""
        for flow, size in record.newcomers:
            first, second = places(flow)
            place = next((p for p in (first, second) if p in self.flows and self.flows[p].flow == flow), None)
            if place is not None:
                seen = record.counted.setdefault(place, Counted())
                seen.lost = (seen.lost + size) & _BYTES
            elif first not in self.flows or second not in self.flows:
                place = second if first in self.flows else first
                self.flows[place] = Flow(flow)
                record.counted[place] = Counted(lost=size)

    def _rates(self, record: Record) -> tuple[int, int]:
        """The list's drop rate without the pre-filter's, and the lesser of it and the average."""
        rate = 0
        if record.lost:
            offered = (record.arrived - record.filtered) % (1 << 40)
            rate = _probability(logarithm(record.lost) - logarithm(offered) + (24 << FRACTION))
        self.average_rate = rate if self.average_rate < 0 else (rate + self.average_rate) >> 1
        return rate, min(rate, self.average_rate)

    def _set_length(self, rtt_ns: int) -> None:
        """K/M R/sqrt(1.5 p), from 2 R to 10 R."""
        if self.average_rate == 0:
            self.interval_ns = 10 * rtt_ns
            return
        length = power(logarithm(rtt_ns) + _LENGTH + (((24 << FRACTION) - logarithm(self.average_rate)) >> 1))
        self.interval_ns = max(min(length, 10 * rtt_ns), 2 * rtt_ns)
        self.lengths = (self.interval_ns >> AGE_SHIFT, *self.lengths[:-1])

    def hold(self, lists: int) -> int:
        """How long a flow is left alone: the last lists, and .4 s."""
        return max(sum(self.lengths[:lists]), LEAST_HOLD)

    def _punish(self, one: Flow, seen: Counted, rates: Rates, *, tests_unresponsive: bool) -> None:
        step = _step(one, rates)
        before = one.probability
        if not before:
            one.probability = min(step, 2 * rates.rate, _ONE // 2)
        else:
            one.is_unresponsive |= tests_unresponsive and is_unresponsive(one.history)
            least = min(step, before)
            after = before + least + (least if one.is_unresponsive else 0)
            if after >= _ONE:
                survives = _ONE - before
                after = _ONE - (_four_thirds(survives) >> 2 if one.is_unresponsive else survives >> 1)
            one.probability = min(after, _ONE - 1)
        one.age = _RELEASE_AGE
        arrived = logarithm(seen.arrived)
        point = (arrived - rates.elapsed, logarithm(seen.dropped) - arrived)
        one.history = (point, *one.history)[:LISTS]

    def _release(self, one: Flow) -> bool:
        """Of a flow that is in no list; false, and nothing, where it is held still."""
        lists, least, step_from = (5, _LEAST // 2, _STEP * 3 // 2) if one.is_unresponsive else (3, _LEAST, _STEP * 2)
        if one.age < self.hold(lists) - _TIE:
            return False
        before = one.probability
        if before <= least:
            one.probability, one.is_unresponsive, one.history = 0, False, ()
        elif before > step_from:
            one.probability = before - _STEP
        else:
            one.probability = _four_thirds(before) >> 1 if one.is_unresponsive else before >> 1
        one.age = 0
        return True


def _step(one: Flow, rates: Rates) -> int:
    """By how much an identified flow's probability would grow."""
    return _probability(rates.scale + logarithm(sum(one.lost)))


def _state(one: Flow) -> int:
    """What is kept of a flow, but for its age."""
    return _together((one.probability, 24), (len(one.history), 3), (one.is_unresponsive, 1))


def _together(*parts: tuple[int, int]) -> int:
    """Numbers side by side, each in so many bits."""
    whole = 0
    for value, bits in parts:
        whole = whole << bits | value & (1 << bits) - 1
    return whole


def _probability(exponent: int) -> int:
    """2^exponent in units of 2^-24, below 1."""
    return min(power(exponent), _ONE - 1)


def _four_thirds(value: int) -> int:
    """4/3 of it, at most a unit less: 1 + 1/4 + 1/16 + ... by Horner's rule."""
    total = value
    for _ in range(12):
        total = value + (total >> 2)
    return total


def is_unresponsive(history: tuple[tuple[int, int], ...]) -> bool:
    """Whether the flow's rate did not fall as its drop fraction rose, as 1/sqrt(p) at least."""
    excesses = compared(history)
    bad = sum(excess > 0 for excess in excesses)
    good = len(excesses) - bad
    return (good == 0 and bad >= 3) or (good == 1 and bad >= 4) or (good >= 2 and bad >= 4 * good)


def compared(history: tuple[tuple[int, int], ...]) -> list[int]:
    """By how much the rate fell too little from one point to another, of each two that count."""
    excesses = []
    for i, (rate, fraction) in enumerate(history):
        for older_rate, older_fraction in history[:i]:
            rise = fraction - older_fraction
            growth = 2 * (rate - older_rate)
            if rise < 0:
                rise, growth = -rise, -growth
            if 0 < rise < _TENTH:
                excesses.append(growth + rise)
    return excesses
