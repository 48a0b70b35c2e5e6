# SPDX-License-Identifier: Apache-2.0
"""What a bench of a core has presented, and what its model says of it, as a recording: a row for each clock."""

from __future__ import annotations

import functools
from collections import defaultdict
from dataclasses import dataclass, field
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from lib.player import RESET_CYCLES
from lib.recording import Recording

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lib.player import Player, Port
    from sluice_golden import Arrival, CoreModel, Head, Verdict
    from sluice_golden.core import Moment

ACTIONS = {"pass": 0, "mark": 1, "drop": 2}

# Ports of an arrival, and how the model calls the same.
_ARRIVAL = {
    "arrival_packet_flow": "flow",
    "arrival_packet_bytes": "size",
    "arrival_packet_ecn": "ecn",
    "arrival_packet_rtt_us": "rtt_us",
    "arrival_queue_packets": "queue_packets",
    "arrival_queue_bytes": "queue_bytes",
    "arrival_limit": "limit",
    "arrival_packet_queue": "queue",
    "arrival_profile": "profile",
}
# ... and those of the other moments.
_MOMENT = {
    "packet_flow": "flow",
    "packet_bytes": "size",
    "packet_is_ce": "is_ce",
    "packet_tag": "tag",
    "packet_is_ect": "is_ect",
    "packet_queued_ns": "queued_ns",
    "packet_queue": "queue",
    "queue_packets": "queue_packets",
    "queue_bytes": "queue_bytes",
    "is_sent": "is_sent",
    "fate": "fate",
}
_FATES = {"accepted": 0, "refused": 1, "over the limit": 2, "pushed out": 3}


@dataclass(slots=True)
class Judged:
    """An arrival or a head with what the model says of it."""

    cycle: int
    arrival: Arrival | Head
    verdict: Verdict
    status: dict[str, int]
    view: dict[str, int]


@dataclass
class Log:
    """What has happened, each with its cycle."""

    judged: list[Judged] = field(default_factory=list)
    heads: list[Judged] = field(default_factory=list)
    forgotten: list[Judged] = field(default_factory=list)
    """Arrivals that a reset found in judgment: presented like others, and no verdict is due."""
    forgotten_heads: list[Judged] = field(default_factory=list)
    void: list[tuple[int, Head]] = field(default_factory=list)
    moments: dict[str, list[tuple[int, Moment]]] = field(
        default_factory=lambda: {"settled": [], "pushed_out": [], "departed": []}
    )
    resets: list[int] = field(default_factory=list)
    empties: list[int] = field(default_factory=list)
    empty_queues: list[int] = field(default_factory=list)
    """Which queues are meant, one bit each, by a core that knows of several."""
    rests: list[int] = field(default_factory=list)
    ticks: list[tuple[int, str]] = field(default_factory=list)
    intervals: list[tuple[int, str, int]] = field(default_factory=list)
    """Cycles in which the work of a kind of tick is over, and the time from it to the next one."""
    quanta: list[tuple[int, tuple[int, ...]]] = field(default_factory=list)
    """The same cycles, and the quanta of a core that gives them."""
    times: list[tuple[int, int]] = field(default_factory=list)
    sets: list[tuple[int, int, int, dict[str, int]]] = field(default_factory=list)
    """Cycles in which a set was asked for, was applied or broken off, and until which it stood; its values."""
    applied: list[int] = field(default_factory=list)


class Presented(Protocol):
    """A bench of a core as far as it has presented: what a recording and a report of a mismatch are made of."""

    config: str
    model: type[CoreModel]
    registers: dict[str, Any]
    player: Player
    latency: int
    head_latency: int
    has_queue: bool
    codes: dict[str, int]
    widths: dict[str, int]
    cycle: int
    log: Log
    judged: list[Judged]
    heads: list[Judged]


class CoreRecording:
    """Makes the recording of all cycles that a bench has presented; what the contract does not promise to a core is random."""

    def __init__(self, bench: Presented) -> None:
        self.bench, self.log = bench, bench.log
        rng = np.random.default_rng(bench.cycle)
        rows = RESET_CYCLES + bench.cycle
        self._arrivals_due = _rows(j.cycle for j in self.log.judged) + bench.latency
        self._heads_due = _rows(j.cycle for j in self.log.heads) + bench.head_latency
        inputs = {port.name: np.zeros(rows, port.type) for port in bench.player.inputs}
        self._record_parameters(inputs, rng)
        self._record_events(inputs, rng)
        self.made = Recording(inputs)
        for port in bench.player.outputs:
            self.made.outputs[port.name], self.made.masks[port.name] = self._expected(port, rows)

    def _record_parameters(self, inputs: dict[str, np.ndarray], rng: np.random.Generator) -> None:
        ports = {port.name: port for port in self.bench.player.inputs}
        for name in self.bench.widths:
            port = ports[f"parameters_{name}"]
            inputs[port.name] = _any(rng, port, len(inputs["rst"]))
        for asked, _, until, values in self.log.sets:
            inputs["apply"][RESET_CYCLES + asked] = 1
            for name in self.bench.widths:
                inputs[f"parameters_{name}"][RESET_CYCLES + asked : RESET_CYCLES + until + 1] = values[name]

    def _record_events(self, inputs: dict[str, np.ndarray], rng: np.random.Generator) -> None:
        rows = len(inputs["rst"])
        inputs["rst"][:RESET_CYCLES] = 1
        for name, cycles in (("rst", self.log.resets), ("idle_valid", self.log.empties), ("rest", self.log.rests)):
            if name in inputs:
                inputs[name][_rows(cycles)] = 1
        if "idle_queues" in inputs:
            port = next(port for port in self.bench.player.inputs if port.name == "idle_queues")
            inputs["idle_queues"] = _any(rng, port, rows)
            inputs["idle_queues"][_rows(self.log.empties)] = self.log.empty_queues
        for kind in self.bench.model.ticks:
            inputs[f"tick_{kind}_valid"][_rows(cycle for cycle, ticked in self.log.ticks if ticked == kind)] = 1

        # The time stands on all ports all the while, as a tile has it.
        marks = np.zeros(rows, dtype=np.int64)
        marks[_rows(c for c, _ in self.log.times)] = np.arange(len(self.log.times))
        times = np.array([ns for _, ns in self.log.times] or [0], dtype=np.uint64)
        now = times[np.maximum.accumulate(marks)]
        for name in inputs:
            if name.endswith("_now_ns"):
                inputs[name] = now

        presented = sorted(self.log.judged + self.log.forgotten, key=attrgetter("cycle"))
        arrivals = [j.arrival for j in presented]
        given = {port: list(map(attrgetter(name), arrivals)) for port, name in _ARRIVAL.items() if port in inputs}
        for i in range(self.bench.model.random_words):
            given[f"arrival_random_{i}"] = [arrival.random[i] for arrival in arrivals]
        for i in range(self.bench.model.samples):
            flows = [arrival.samples[i] for arrival in arrivals]
            given[f"arrival_samples_{i}_valid"] = [flow is not None for flow in flows]
            given[f"arrival_samples_{i}_payload_flow"] = [flow or 0 for flow in flows]
        self._present(inputs, rng, "arrival", [j.cycle for j in presented], given)
        heads = [(j.cycle, j.arrival) for j in self.log.heads + self.log.forgotten_heads]
        moments = self.log.moments | {"head": sorted(heads + self.log.void, key=itemgetter(0))}
        for kind, events in moments.items():
            if f"{kind}_valid" in inputs:
                cycles, all_of_kind = [cycle for cycle, _ in events], [moment for _, moment in events]
                ports = {f"{kind}_{port}": name for port, name in _MOMENT.items()}
                given = {port: _field(all_of_kind, name) for port, name in ports.items() if port in inputs}
                self._present(inputs, rng, kind, cycles, given)

    def _present(
        self,
        inputs: dict[str, np.ndarray],
        rng: np.random.Generator,
        kind: str,
        cycles: list[int],
        given: dict[str, list],
    ) -> None:
        """What is given of a kind of event in its cycles. In the others it stands as it was or is anything, all of it: whoever
        overlooks that an event is none takes one for two, or one that nobody has ever seen for one."""
        at, rows = _rows(cycles), len(inputs["rst"])
        latest = np.zeros(rows, dtype=np.int64)
        latest[at] = np.arange(1, 1 + len(at))
        latest = np.maximum.accumulate(latest)
        stands = (latest > 0) & (rng.random(rows) < 0.5)
        stands[at] = True
        for port in self.bench.player.inputs:
            if port.name in given:
                assert not max(given[port.name], default=0) >> port.width, f"more than {port.name} has bits for"
                inputs[port.name] = _any(rng, port, rows)
                inputs[port.name][stands] = np.array(given[port.name], dtype=port.type)[latest[stands] - 1]
        inputs[f"{kind}_valid"][at] = 1

    @functools.cached_property
    def _views(self) -> dict[str, tuple[list[int], list[int]]]:
        return _columns(self.log.judged)

    @functools.cached_property
    def _head_views(self) -> dict[str, tuple[list[int], list[int]]]:
        return _columns(self.log.heads)

    @property
    def _changes_between_arrivals(self) -> bool:
        """Whether a core hears of anything else that may change what it shows."""
        return bool(self.bench.model.ticks or self.bench.has_queue or self.bench.head_latency)

    def _hold(self, values: np.ndarray, mask: np.ndarray) -> None:
        """What is shown with an arrival stands until the next one, or until a reset."""
        rows = np.arange(len(mask))
        last = np.maximum.accumulate(np.where(mask, rows, 0))
        reset = np.zeros(len(mask), dtype=np.int64)
        at = _rows(self.log.resets)
        reset[at] = at
        values[:] = values[last]
        mask[:] = last > np.maximum(np.maximum.accumulate(reset), RESET_CYCLES - 1)

    def _expected(self, port: Port, rows: int) -> tuple[np.ndarray, np.ndarray]:
        """Values and mask of an output."""
        values, mask = np.zeros(rows, port.type), np.zeros(rows, dtype=bool)
        name = port.name.removeprefix("head_").removeprefix("view_head_").removeprefix("view_").removeprefix("status_")
        is_status_of_head = port.name.startswith("status_") and name in self.bench.model.head_status
        is_of_head = port.name.startswith(("head_", "view_head_")) or is_status_of_head
        judged, due = (self.log.heads, self._heads_due) if is_of_head else (self.log.judged, self._arrivals_due)
        most = (1 << port.width) - 1
        if name == "verdict_valid":
            values[due] = 1
            mask[RESET_CYCLES:] = True
            if is_of_head:
                mask[_rows(cycle for cycle, _ in self.log.void) + self.bench.head_latency] = False
        elif port.name == "applied":
            values[_rows(self.log.applied)] = 1
            mask[RESET_CYCLES:] = True
        elif port.name == "legal":
            for asked, _, until, _ in self.log.sets:
                mask[RESET_CYCLES + asked : RESET_CYCLES + until + 1] = True
            values[mask] = most
        elif port.name.startswith("tick_"):
            for cycle, kind, interval_ns in self.log.intervals:
                if port.name == f"tick_{kind}_interval_ns":
                    values[RESET_CYCLES + cycle] = interval_ns
                    mask[RESET_CYCLES + cycle] = True
        elif port.name.startswith("quanta_"):
            at = _rows(cycle for cycle, _ in self.log.quanta)
            values[at] = [quanta[int(port.name.removeprefix("quanta_"))] for _, quanta in self.log.quanta]
            mask[at] = True
        elif port.name.startswith("view_"):
            at, shown = (self._head_views if is_of_head else self._views).get(name, ([], []))
            due = due[at]
            values[due] = np.array([value & most for value in shown], dtype=port.type)
            mask[due] = True
        elif name == "verdict_victim_payload":
            victims = [j.verdict.victim for j in judged]
            due = due[[victim is not None for victim in victims]]
            values[due] = [victim for victim in victims if victim is not None]
            mask[due] = True
        else:
            of_verdict = {
                "verdict_action": lambda verdict: ACTIONS[verdict.action],
                "verdict_reason": lambda verdict: self.bench.codes[verdict.reason] if verdict.reason else 0,
                "verdict_restart": attrgetter("restart"),
                "verdict_tag": attrgetter("tag"),
                "verdict_victim_valid": lambda verdict: verdict.victim is not None,
            }.get(name)
            column = [of_verdict(j.verdict) for j in judged] if of_verdict else [j.status[name] for j in judged]
            values[due] = np.array(column, dtype=port.type)
            mask[due] = True
            if not of_verdict and not self._changes_between_arrivals:
                self._hold(values, mask)
        mask[_rows(self.log.resets)] = False
        return values, mask


def _rows(cycles: Iterable[int]) -> np.ndarray:
    """Where cycles stand in a recording."""
    return RESET_CYCLES + np.array(list(cycles), dtype=np.int64)


def _columns(judged: list[Judged]) -> dict[str, tuple[list[int], list[int]]]:
    """By the name of each view, whom it was shown with and its values: gone through once, as no cache holds them all."""
    columns: dict[str, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for number, one in enumerate(judged):
        for name, value in one.view.items():
            numbers, values = columns[name]
            numbers.append(number)
            values.append(value)
    return columns


def _field(events: list[Moment], name: str) -> list[int]:
    """One field of each."""
    values = list(map(attrgetter(name), events))
    return [_FATES[fate] for fate in values] if name == "fate" else values


def _any(rng: np.random.Generator, port: Port, rows: int) -> np.ndarray:
    """Values that nothing may depend on."""
    return rng.integers(0, 1 << port.width, rows, dtype=np.uint64).astype(port.type)
