# SPDX-License-Identifier: Apache-2.0
"""WRED by profile, exact integer model: a packet that may be marked is marked by one ramp, any other is dropped by another one.

On a ramp from `low` to `high`, both in bytes, nothing happens to a packet that finds `low` or less, and everything that finds
`high` or more is hit; between them the probability rises in a straight line to the ramp's own. Each packet is hit on its own,
without spacing. A threshold of 0 is the highest. A packet that may be marked is never dropped.

What a packet finds is the average of its queue, brought up to date with the bytes that were queued before the packet: UQ26.10,
each of the two terms of `average - average / 2^weight + bytes / 2^weight` rounded down; with a weight of 0 it is the bytes
themselves. Its fraction does not count on the ramp. Only arrivals move it, or heads where these are judged.

The float reference is :mod:`sluice_golden.wred.wred_reference`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from sluice_golden.blocks.beside import beside
from sluice_golden.core import PASS, Arrival, CoreModel, Head, Verdict

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Self

MOST_BYTES = (1 << 26) - 1
MOST_WEIGHT = 15
_FRACTION = 10
_ONE = 1 << 31
DROP, MARK = Verdict("drop", "WRED drop"), Verdict("mark", "WRED mark")
_WORD = 32  # bits of a draw
_SMALL = 64
"""Bytes of most packets of a test."""


def threshold(raw: int) -> int:
    """Bytes that a threshold's word means."""
    return raw or MOST_BYTES


@dataclass(frozen=True, slots=True)
class Ramp:
    """Of what share of the packets something happens to, by what they find queued."""

    low: int
    high: int
    probability: int
    """At `high`, Q1.31."""

    @classmethod
    def of(cls, parameters: Mapping[str, int], low: str, high: str, probability: str) -> Ramp:
        """From words of these names."""
        return cls(threshold(parameters[low]), threshold(parameters[high]), parameters[probability])

    @property
    def is_legal(self) -> bool:
        return self.low <= self.high and self.probability <= _ONE

    def hits(self, found: int, word: int) -> bool:
        """Whether a random word hits a packet that finds so many bytes: word / 2^32 is below its probability."""
        over, length = found - self.low, self.high - self.low
        return found >= self.high or (over > 0 and word * length < 2 * self.probability * over)


@dataclass(frozen=True, slots=True)
class Profile:
    """What packets of a queue are judged by."""

    drop: Ramp
    mark: Ramp
    is_enabled: bool
    may_mark: bool
    weight: int

    @classmethod
    def of(cls, parameters: Mapping[str, int]) -> Profile:
        return cls(
            Ramp.of(parameters, "min_threshold", "max_threshold", "drop_probability"),
            Ramp.of(parameters, "ecn_min_threshold", "ecn_max_threshold", "ecn_mark_probability"),
            bool(parameters["enable"]),
            bool(parameters["ecn"]),
            parameters["weight"],
        )

    def averaged(self, average: int, queued: int) -> int:
        """An average after a packet that finds so many bytes."""
        return average - (average >> self.weight) + (queued << _FRACTION >> self.weight)

    def judge(self, found: int, word: int, *, is_ect: bool) -> Verdict:
        """A packet by what it finds, an average or the queue itself, and a random word."""
        if self.may_mark and is_ect:
            return MARK if self.mark.hits(found, word) else PASS
        return DROP if self.is_enabled and self.drop.hits(found, word) else PASS


class Wred(CoreModel):
    """One queue with one profile."""

    name = "wred"
    random_words = 1
    reasons: ClassVar[tuple[Verdict, ...]] = (DROP, MARK)
    profiles: ClassVar[int] = 0

    def __init__(self) -> None:
        self._profiles = [Profile.of(self.defaults())] * max(1, self.profiles)
        self._averages: dict[int, int] = {}
        self._average = 0
        super().__init__()

    @staticmethod
    def defaults() -> dict[str, int]:
        return {
            "enable": 1,
            "min_threshold": 0,
            "max_threshold": 0,
            "drop_probability": _ONE,
            "ecn": 0,
            "ecn_min_threshold": 0,
            "ecn_max_threshold": 0,
            "ecn_mark_probability": _ONE,
            "weight": 0,
        }

    @staticmethod
    def is_legal(parameters: Mapping[str, int]) -> bool:
        profile = Profile.of(parameters)
        return profile.drop.is_legal and profile.mark.is_legal

    def apply(self, parameters: Mapping[str, int]) -> None:
        """A set is one profile."""
        super().apply(parameters)
        self.profile = parameters.get("profile", 0)
        self._profiles[self.profile] = Profile.of(parameters)

    def fork(self) -> Self:
        ahead = super().fork()
        ahead._profiles, ahead._averages = list(self._profiles), dict(self._averages)
        return ahead

    def arrive(self, arrival: Arrival) -> Verdict:
        self.queue, profile = arrival.queue, self._profiles[arrival.profile]
        self._average = profile.averaged(self._averages.get(self.queue, 0), arrival.queue_bytes)
        self._averages[self.queue] = self._average
        return profile.judge(self._average >> _FRACTION, arrival.random[0], is_ect=arrival.ect)

    def status(self) -> dict[str, int]:
        return {"average_bytes": self._average >> 4}  # UQ26.6

    def view(self) -> dict[str, int]:
        return {"average": self._average}

    def aim(self, rng: random.Random) -> tuple[int, int]:
        """Between the thresholds of the last set's profile or at one of them; a weight makes that the average's aim."""
        profile = self._profiles[self.profile]
        ramp = profile.mark if rng.random() < 0.4 else profile.drop
        near = rng.choice((ramp.low, ramp.high, *[rng.randint(ramp.low, ramp.high)] * 4)) // _SMALL + rng.randint(-1, 1)
        now = (self._averages.get(self.queue, 0) >> _FRACTION) // _SMALL
        once = now + (near - now << profile.weight)
        return tuple(min(max(0, packets), (1 << 18) - 1) for packets in (once, near))  # type: ignore[return-value]

    @classmethod
    def lively(cls, rng: random.Random) -> dict[str, int]:
        """Two ramps of some length, some of none, some on which the border between two draws is a whole number."""
        drawn: dict[str, int] = {"enable": rng.random() < 0.9, "ecn": rng.random() < 0.7}
        for low, high, probability in (
            ("min_threshold", "max_threshold", "drop_probability"),
            ("ecn_min_threshold", "ecn_max_threshold", "ecn_mark_probability"),
        ):
            drawn[low] = rng.getrandbits(rng.randint(1, 20))
            drawn[high] = drawn[low] + rng.choice((0, 1, 1 << rng.randint(1, 21), rng.getrandbits(rng.randint(1, 22))))
            drawn[probability] = rng.choice((_ONE >> rng.randint(0, 5), rng.getrandbits(31)))
        drawn["weight"] = rng.choice((0, 0, rng.randint(0, MOST_WEIGHT)))
        if cls.profiles:
            drawn["profile"] = rng.randrange(cls.profiles)
        return drawn


class Wred1kQueues(Wred):
    """A thousand queues, each with an average of its own, and sixteen profiles, of which each queue has one. A set of parameters
    is the profile of its number; the others stay."""

    name = "wred-1k"
    queues = 1024
    profiles = 16

    def found_queues_empty(self, now_ns: int, queues: Sequence[int]) -> None:
        """An average stays as it is."""

    @staticmethod
    def defaults() -> dict[str, int]:
        return Wred.defaults() | {"profile": 0}


class Wred1kQueuesInLevels(Wred1kQueues):
    """The same with levels of strict priority above the turns."""

    name = "wred-1k-levels"


class Wred1kAtHead(Wred1kQueues):
    """The same of packets that leave: what one finds are the bytes behind it and its own. It brings along its draw, and the
    number of the profile that it had when it came."""

    name = "wred-1k-head"
    queues = 1
    reasons: ClassVar[tuple[Verdict, ...]] = ()
    head_reasons: ClassVar[tuple[Verdict, ...]] = (DROP, MARK)
    head_status: ClassVar[frozenset[str]] = frozenset({"average_bytes"})

    def arrive(self, arrival: Arrival) -> Verdict:
        return Verdict("pass", tag=arrival.profile << _WORD | arrival.random[0])

    def head(self, head: Head) -> Verdict:
        """The queue asks again only when it has its answer, so that every verdict sends back what was presented since."""
        profile, queued = self._profiles[head.tag >> _WORD], min(head.queue_bytes + head.size, MOST_BYTES)
        self._average = profile.averaged(self._averages.get(head.queue, 0), queued)
        self._averages[head.queue] = self._average
        verdict = profile.judge(self._average >> _FRACTION, head.tag % (1 << _WORD), is_ect=head.is_ect)
        return replace(verdict, restart=True)

    def view(self) -> dict[str, int]:
        return {}

    def head_view(self) -> dict[str, int]:
        return {"average": self._average}

    # --- traffic ---

    def aim_behind(self, rng: random.Random) -> int:
        """Between the thresholds, or beside one of them with the packet's own bytes."""
        packets = self.aim(rng)[0]
        return min(max(0, packets * _SMALL - rng.choice((0, 64, 1000, 1500))), MOST_BYTES)

    def tag(self, rng: random.Random, bits: int) -> int:
        """Mostly of the profile that was set last."""
        profile = self.profile if rng.random() < 0.8 else rng.randrange(self.profiles)
        return profile << _WORD | rng.getrandbits(_WORD)

    def walk(self, rng: random.Random, now_ns: int) -> Iterator[Head]:
        """Heads whose draw is beside the border between a hit and a pass."""
        for _ in range(40):
            behind, size, is_ect = self.aim_behind(rng), rng.choice((64, 1000, 1500)), rng.random() < 0.5
            profile = self._profiles[self.profile]
            ramp = profile.mark if profile.may_mark and is_ect else profile.drop
            average = profile.averaged(self._averages.get(0, 0), min(behind + size, MOST_BYTES))
            over, length = max(0, (average >> _FRACTION) - ramp.low), max(1, ramp.high - ramp.low)
            draw = beside(rng, -(-2 * ramp.probability * over // length), (1 << _WORD) - 1)
            tag = self.profile << _WORD | draw
            yield Head(now_ns, 1, size, tag, queue_bytes=behind, is_ect=is_ect, queued_ns=now_ns)

    @classmethod
    def lively(cls, rng: random.Random) -> dict[str, int]:
        """A legal set, since walks take it as it is."""
        while not cls.is_legal(cls.defaults() | (drawn := super().lively(rng))):
            pass
        return drawn
