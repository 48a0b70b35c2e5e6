# SPDX-License-Identifier: Apache-2.0
"""The cache of high-bandwidth flows of BLACK and Purge: flows of sampled packets, with hits in this period and the one before.

Time is counted in samples and in closed periods. A sample of a flow that has an entry is a hit. Any other enters, in a place
that nobody has or the victim's, if the last flow entered :data:`REST` samples ago or earlier. Where it cannot enter, and every
place is taken, the next place is looked at instead: in turn, round after round. What is found there counts :data:`LAG` samples
later. An entry that is free, for its flow had too few hits in the period that is over, is the victim at once; otherwise the one
that a whole round has found to be the least is: of fewest hits, or (LRU) hit the longest ago.

An entry that was kept has hits in the period before, any other none: its flow is judged by this period alone. One that is freed
keeps its place until another flow takes it, and begins anew if its own flow comes back.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from sluice_golden.blocks.state import State

if TYPE_CHECKING:
    from typing import Self

REST = 16
"""Samples from one flow that enters to the next."""
LAG = 16
"""Samples from a look at a place to what comes of it."""
_NUMBERS = 1 << 12  # of periods, before they repeat
_STAMP_BITS = 16
_FREE = -1

Replacement = Literal["fewest", "lru"]


@dataclass(frozen=True, slots=True)
class Period:
    """Which one it is, by how many were closed, and what an entry must have had in the one before to be kept."""

    number: int
    least: int


@dataclass(frozen=True, slots=True)
class Entry:
    """As its last hit has left it: in the period of a number, `hits`, those of the period before, and the hit's number in its
    period."""

    number: int
    hits: int
    previous: int
    stamp: int

    def at(self, period: Period) -> Entry | None:
        """As it is in a period that may be a later one; None if it is free."""
        age = (period.number - self.number) % _NUMBERS
        if age == 0:
            return self
        if age == 1 and self.hits >= period.least:
            return replace(self, hits=0, previous=self.hits)
        return None


@dataclass(frozen=True, slots=True)
class Finding:
    """What a look at a place has found: the entry of the least key goes first."""

    place: int
    key: int

    @property
    def is_free(self) -> bool:
        """No flow has the place."""
        return self.key == _FREE


def familiar(entries: int) -> list[int]:
    """Flows for tests, the same each time and more than there are entries: a cache that a reset has emptied meets those again
    that it held before."""
    return [number * 0x9E3779B1 % (1 << 32) for number in range(1, entries + 11)]


@dataclass
class HbfCache(State):
    """So many entries."""

    entries: int
    replacement: Replacement
    flows: list[int] = field(default_factory=list)
    places: dict[int, int] = field(default_factory=dict)
    words: list[Entry] = field(default_factory=list)
    rest: int = 0
    hand: int = 0
    best: Finding | None = None
    victim: Finding | None = None
    findings: deque[Finding | None] = field(default_factory=lambda: deque([None] * LAG))

    def fork(self) -> Self:
        other = super().fork()
        other.flows, other.places, other.words = self.flows.copy(), self.places.copy(), self.words.copy()
        other.findings = self.findings.copy()
        return other

    def look_up(self, flow: int, period: Period) -> Entry | None:
        """The entry of a flow."""
        place = self.places.get(flow)
        return None if place is None else self.words[place].at(period)

    def sample(self, flow: int, period: Period, stamp: int) -> int | None:
        """A sampled packet, the stamp-th of its period. The place of its flow's entry, if it has one then."""
        place = self.places.get(flow)
        is_full = len(self.words) == self.entries
        enters = place is None and self.rest == 0 and (not is_full or self.victim is not None)
        finding = self._look(period) if place is None and not enters and is_full else None
        victim = self.victim
        if enters:
            place = self._enter(flow)
        self.rest = REST - 1 if enters else max(0, self.rest - 1)
        if place is not None:
            before = None if enters else self.words[place].at(period)
            hits, previous = (before.hits, before.previous) if before else (0, 0)
            self.words[place] = Entry(period.number, hits + 1, previous, stamp)
        self.findings.append(finding)
        self._weigh(self.findings.popleft(), victim)
        return place

    def seen(self, flow: int, period: Period, stamp: int) -> dict[str, int]:
        """The same; what was known of victims before it, with the finding that counts now, and the place, by the names of the
        cores' views."""
        victim, finding = self.victim, self.findings[0]
        place = self.sample(flow, period, stamp)
        seen = {"is_held": int(place is not None), "has_victim": int(victim is not None)}
        if place is not None:
            seen["place"] = place
        if victim is not None:
            seen["victim"] = victim.place
        if finding is not None:
            seen["is_free"] = int(finding.is_free)
            if not finding.is_free:
                seen["key"] = finding.key
        return seen

    def _enter(self, flow: int) -> int:
        """The place that a new flow takes."""
        if len(self.words) < self.entries:
            place = len(self.words)
            self.words.append(Entry(0, 0, 0, 0))
            self.flows.append(flow)
        else:
            assert self.victim is not None
            place, self.victim = self.victim.place, None
            del self.places[self.flows[place]]
            self.flows[place] = flow
        self.places[flow] = place
        return place

    def _look(self, period: Period) -> Finding:
        """At the next place in turn."""
        place, self.hand = self.hand, (self.hand + 1) % self.entries
        entry = self.words[place].at(period)
        if entry is None:
            return Finding(place, _FREE)
        if self.replacement == "fewest":
            return Finding(place, entry.hits + entry.previous)
        return Finding(place, (entry.number == period.number) << _STAMP_BITS | entry.stamp)

    def _weigh(self, finding: Finding | None, victim: Finding | None) -> None:
        """What comes of a finding; `victim` as it was before this sample."""
        if finding is None:
            return
        has_free = self.victim is not None and self.victim.is_free
        if finding.is_free:
            if not has_free:
                self.victim, has_free = finding, True
        elif victim is None or finding.place != victim.place:
            self.best = finding if self.best is None or finding.key < self.best.key else self.best
        if finding.place == self.entries - 1:
            self.victim = self.victim if has_free or self.best is None else self.best
            self.best = None
