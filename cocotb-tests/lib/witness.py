# SPDX-License-Identifier: Apache-2.0
"""The model of the witnesses: cores for tests alone that stir all that they are told into one word."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sluice_golden import CoreModel, Verdict, models
from sluice_golden.core import PASS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Self

    from sluice_golden import Arrival, Departed, Head, Settled
    from sluice_golden.core import Moment

_WORD = (1 << 32) - 1
_FATES = ("accepted", "refused", "over the limit", "pushed out")
ARRIVAL_DROP, ARRIVAL_MARK = Verdict("drop", "Arrival drop"), Verdict("mark", "Arrival mark")
HEAD_DROP, HEAD_MARK = Verdict("drop", "Head drop"), Verdict("mark", "Head mark")


def _turned(word: int, by: int) -> int:
    by %= 32
    return (word << by | word >> (32 - by)) & _WORD


def _fold(*fields: tuple[int, int]) -> int:
    """Fields with their widths, lowest first, as words that are turned and added without carry."""
    value = at = 0
    for field, width in fields:
        value |= field << at
        at += width
    folded = 0
    for i in range(-(-at // 32)):
        folded ^= _turned(value >> (32 * i) & _WORD, i)
    return folded


class Witness(CoreModel):
    """Any of them."""

    tag_bits: ClassVar[int] = 0
    counts: ClassVar[bool] = True
    """It hears of both ends of a packet's stay, and counts its packets for itself."""

    def __init__(self) -> None:
        super().__init__()
        self.word = self.own = 0
        self.noted = dict.fromkeys(self.ticks, 0)
        self.disagreed = self.is_idle = False

    @staticmethod
    def is_legal(parameters: Mapping[str, int]) -> bool:
        return parameters.get("period", 1) >= 1

    def tick(self, kind: str, now_ns: int) -> None:
        self.noted[kind] = _fold((self.word, 32), (now_ns, 64))

    def settle(self, kind: str) -> None:
        self._stir((self.noted[kind], 32))

    def fork(self) -> Self:
        ahead = super().fork()
        ahead.noted = dict(self.noted)
        return ahead

    def _stir(self, *fields: tuple[int, int]) -> None:
        self.is_idle = False
        self.word = (_turned(self.word, 3) + _fold(*fields)) & _WORD

    def _packet(self, moment: Moment) -> list[tuple[int, int]]:
        return [(moment.flow, 32), (moment.size, 16), (moment.is_ce, 1), (moment.tag, self.tag_bits)]

    def arrive(self, arrival: Arrival) -> Verdict:
        self.disagreed |= self.own != arrival.queue_packets
        found = [field for flow in arrival.samples for field in ((flow is not None, 1), (flow or 0, 32))]
        self._stir(
            (arrival.flow, 32),
            (arrival.size, 16),
            (arrival.ecn, 2),
            *([(arrival.rtt_us, 22)] if self.has_rtt else []),
            (arrival.now_ns, 64),
            (arrival.queue_packets, 18),
            (arrival.queue_bytes, 26),
            (arrival.limit, 18),
            *found,
            *((word, 32) for word in arrival.random),
        )
        kind, tag = self.word & 7, self.word >> (32 - self.tag_bits)
        if kind == 0:
            number = self.word >> 3 & 1
            is_there = self.takes_victims and arrival.samples[number] is not None
            return Verdict("drop", ARRIVAL_DROP.reason, number if is_there else None, tag)
        if kind == 1 and arrival.ect:
            return Verdict("mark", ARRIVAL_MARK.reason, None, tag)
        return Verdict("pass", "", None, tag)

    def found_empty(self, now_ns: int) -> None:
        if not self.is_idle:
            self._stir((now_ns, 64))
        self.is_idle = True

    def settled(self, settled: Settled) -> None:
        fate = _FATES.index(settled.fate)
        self._stir(
            *self._packet(settled),
            (fate, 2),
            (settled.now_ns, 64),
            (settled.queue_packets, 18),
            (settled.queue_bytes, 26),
        )
        self.own += {"accepted": 1, "pushed out": -1}.get(settled.fate, 0)

    def departed(self, departed: Departed) -> None:
        self._stir(
            *self._packet(departed),
            (departed.is_sent, 1),
            (departed.now_ns, 64),
            (departed.queue_packets, 18),
            (departed.queue_bytes, 26),
        )
        self.own -= 1

    def status(self) -> dict[str, int]:
        return {"word": self.word} | ({"disagreed": int(self.disagreed)} if self.counts else {})


class HeadWitness(Witness):
    """The one that judges heads."""

    name = "head-witness"
    reasons = (ARRIVAL_DROP, ARRIVAL_MARK)
    head_reasons = (HEAD_DROP, HEAD_MARK)
    tag_bits = 9
    ticks = ("short", "long")

    @staticmethod
    def defaults() -> dict[str, int]:
        return {"period": 5000}

    def interval_ns(self, kind: str) -> int:
        return self.parameters["period"] if kind == "short" else (1 << 24) + (self.noted[kind] & 0xFFFFFF)

    def head(self, head: Head) -> Verdict:
        self._stir(
            *self._packet(head),
            (head.is_ect, 1),
            (head.queued_ns, 64),
            (head.now_ns, 64),
            (head.queue_packets, 18),
            (head.queue_bytes, 26),
        )
        kind = self.word & 7
        verdict = HEAD_DROP if kind == 0 else HEAD_MARK if kind == 1 and head.is_ect else PASS
        return Verdict(verdict.action, verdict.reason, restart=self.word & 63 == 0)


class LookWitness(Witness):
    """The one that looks at queued packets and leaves them there."""

    name = "look-witness"
    reasons = (ARRIVAL_DROP, ARRIVAL_MARK)
    random_words = 1
    has_rtt = True
    samples = 2
    tag_bits = 5
    ticks = ("slow",)

    @staticmethod
    def defaults() -> dict[str, int]:
        return {"period": 7}

    def interval_ns(self, kind: str) -> int:
        del kind
        return 1000 * self.parameters["period"]


class OutWitness(LookWitness):
    """The one that throws packets out."""

    name = "out-witness"
    takes_victims = True


class LeftWitness(Witness):
    """The one that hears of departures alone."""

    name = "left-witness"
    reasons = (ARRIVAL_DROP, ARRIVAL_MARK)
    counts = False

    @staticmethod
    def defaults() -> dict[str, int]:
        return {}

    def settled(self, settled: Settled) -> None:
        """Does not ask to hear it."""

    def found_empty(self, now_ns: int) -> None:
        """Does not ask to hear it."""


class ListWitness(LookWitness):
    """The one of many queues, which knows of none."""

    name = "list-witness"
    samples = 0
    tag_bits = 0
    counts = False

    def settled(self, settled: Settled) -> None:
        """Does not ask to hear it."""

    def departed(self, departed: Departed) -> None:
        """Does not ask to hear it."""


def model_of(config: str) -> type[CoreModel]:
    """The golden model of a configuration, or of a witness."""
    witnesses: dict[str, type[CoreModel]] = {
        w.name: w for w in (HeadWitness, OutWitness, LookWitness, LeftWitness, ListWitness)
    }
    return witnesses.get(config) or models()[config]
