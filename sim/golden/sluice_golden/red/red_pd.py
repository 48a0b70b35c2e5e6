# SPDX-License-Identifier: Apache-2.0
"""RED-PD, exact integer model (R. Mahajan, S. Floyd, D. Wetherall 2001): RED behind a filter that drops of monitored flows.

Which flows these are, and their probabilities, :mod:`sluice_golden.red.red_pd_lists` says at the end of each list. At the filter
a probability is Q0.18, rounded down, and so is the draw.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from sluice_golden.core import Arrival, Verdict
from sluice_golden.red.red import Red
from sluice_golden.red.red_pd_lists import AGE_SHIFT, LEAST_HOLD, NEWCOMERS, Counted, Known, ListController, Record
from sluice_golden.red.red_pd_walk import lists

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator, Mapping
    from typing import Self

    from sluice_golden.core import Settled, Ticked

_FILTERED = Verdict("drop", "Filtered drop")
_MOST_COUNT = (1 << 16) - 1
_TOTAL = (1 << 40) - 1
_CAUGHT, _KNOWN = 1, 2  # bits of a packet's tag; above them its flow's place


class RedPd(Red):
    """`counts`: packets of a monitored flow since the filter has dropped one, by the flow's place. `is_led_far`: a walk has led
    counts far."""

    name = "red-pd"
    random_words = 2
    ticks = ("list",)
    reasons: ClassVar[tuple[Verdict, ...]] = (*Red.reasons, _FILTERED)

    def __init__(self) -> None:
        super().__init__()
        self.controller = ListController(10 * self.parameters["rtt"])
        self.record: Record | None = None
        self.known: dict[int, Known] = {}
        self.counts: dict[int, int] = {}
        self._next: dict[int, Known] = {}
        self._list_view: dict[str, int] = {}
        self.is_led_far = False
        self._shown = self._shown_next = {"drop_rate": 0, "monitored": 0}

    @staticmethod
    def defaults() -> dict[str, int]:
        return Red.defaults() | {"rtt": 40_000_000, "test_unresponsive": 1}

    @staticmethod
    def is_legal(parameters: Mapping[str, int]) -> bool:
        return Red.is_legal(parameters) and parameters["rtt"] >= 1

    # --- the filter ---

    def arrive(self, arrival: Arrival) -> Verdict:
        """What the filter drops does not reach RED: neither average nor spacing knows of it."""
        flow = self.known.get(arrival.flow)
        self._end_idle(arrival.now_ns)
        if flow is None:
            return super().arrive(arrival)
        tag = flow.place << 2 | _KNOWN
        count = self.counts.get(flow.place, 0)
        is_standing = self.average >> 4 >= self.parameters["min"] and self._queue(arrival) > 1
        draw = arrival.random[1] >> 14
        is_hit = is_drawn(draw, flow.probability, count)
        if is_hit and (is_standing or flow.is_unresponsive):
            verdict = replace(_FILTERED, tag=tag | _CAUGHT)
            self._view = {"average": self.average}
            self.counts[flow.place] = 0
        else:
            verdict = replace(super().arrive(arrival), tag=tag)
            self.counts[flow.place] = min(count + 1, _MOST_COUNT) if flow.probability else 0
        if flow.probability:
            rise = count * draw * flow.probability >> 18
            self._view |= {"filter_probability": flow.probability, "filter_count": count, "filter_rise": rise}
        return verdict

    # --- the lists ---

    def settled(self, settled: Settled) -> None:
        record = self.record
        if record is None:
            return
        is_filtered = bool(settled.tag & _CAUGHT)
        is_dropped = settled.fate != "accepted"
        is_lost = not is_filtered and (is_dropped or settled.is_ce)
        record.arrived = (record.arrived + settled.size) & _TOTAL
        record.filtered = (record.filtered + settled.size * is_filtered) & _TOTAL
        record.lost = (record.lost + settled.size * is_lost) & _TOTAL
        if settled.tag & _KNOWN:
            counted = record.counted.setdefault(settled.tag >> 2, Counted())
            counted.add(settled.size, is_dropped=is_dropped or is_lost, is_lost=is_lost)
        elif is_lost and len(record.newcomers) < NEWCOMERS:
            record.newcomers.append((settled.flow, settled.size))

    def interval_ns(self, kind: str) -> int:
        del kind
        return self.controller.interval_ns

    def tick(self, kind: str, now_ns: int) -> None:
        """The first one only begins a list, with its settling."""
        del kind
        p, controller = self.parameters, self.controller
        if self.record is None:
            controller.begin(now_ns)
            return
        record, self.record = self.record, Record()
        controller.end_of_list(now_ns, record, p["rtt"], tests_unresponsive=bool(p["test_unresponsive"]))
        flows = controller.flows
        self._next = {f.flow: Known(place, f.probability >> 6, f.is_unresponsive) for place, f in flows.items()}
        monitored = sum(f.probability > 0 for f in flows.values())
        self._shown_next = {"drop_rate": controller.average_rate, "monitored": monitored}

    def settle(self, kind: str) -> None:
        del kind
        if self.record is None:
            self.record = Record()
        self.known, self._shown, self._list_view = self._next, self._shown_next, self.controller.view

    def status(self) -> dict[str, int]:
        return super().status() | self._shown

    def view(self) -> dict[str, int]:
        return super().view() | self._list_view

    # --- for tests ---

    def _shows_power(self, halvings: int) -> bool:
        """All but the lowest bits: not of a short average, nor with a weight of 1, which forgets it."""
        return self.exponents[0] > 0 and self.average >> 12 + halvings > 0

    def fork(self) -> Self:
        ahead = super().fork()
        ahead.counts = dict(self.counts)
        return ahead

    @classmethod
    def lively(cls, rng: random.Random) -> dict[str, int]:
        """A weight of 1 lets the queue say of each packet whether it is lost. Thresholds are so low that with other weights a
        queue brings the average to them at once, with this one `min` is often right beside a number of packets. Many lists are
        long; now and then some of the shortest of a round-trip time last just about the least hold time."""
        exponent = rng.choice((0, 0, rng.randint(5, 12)))
        least, range_packets = (1 + rng.getrandbits(rng.randint(1, 16 - exponent)) for _ in range(2))
        held = (LEAST_HOLD + rng.randint(-8, 8) << AGE_SHIFT) // (2 * rng.randint(3, 5))
        beside = rng.getrandbits(14) if exponent else rng.choice((0, 1, -1, rng.randint(-8, 8), 1 << rng.randrange(14)))
        return super().lively(rng) | {
            "min": (least << 14) + beside,
            "max": least + range_packets << 14,
            "rtt": rng.choice(
                (1, held, 40_000_000, 1 << 26 | rng.getrandbits(28), 1 + rng.getrandbits(rng.randint(1, 27)))
            ),
            "test_unresponsive": int(rng.random() < 0.8),
            "mark_most": rng.choice((1 << 31, rng.getrandbits(31))),
            "weight_exponent": exponent,
            "ecn": rng.getrandbits(1),
        }

    def walk(self, rng: random.Random, now_ns: int) -> Iterator[Arrival | Ticked]:
        """Some lists; in most sets none, because lists are long."""
        return lists(self, rng, now_ns) if rng.random() < 0.28 else iter(())


def is_drawn(draw: int, probability: int, count: int) -> bool:
    """Whether u < P / (1 - count P): the gap between two of the filter's drops is uniform on 1..1/P."""
    return draw < probability + (count * draw * probability >> 18)
