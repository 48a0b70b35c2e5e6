# SPDX-License-Identifier: Apache-2.0
"""A bare core held, clock by clock, against its golden model: the model judges while the stimulus is made, then the RTL plays it.

The inputs of a core do not depend on what it answers, so a test first plays its cycles on the model, which it may look at to
choose the next; :meth:`CoreBench.check` then plays all of them on the RTL at the simulator's speed and compares. Compared are:
that a verdict is there exactly when one is due, action and reason, every status value as the arrival has left it, everything in
the model's `view` (the probability and whatever else the arrival was judged by), and the clock in which a set of parameters
takes effect. What the contract does not promise to a core is random: payloads that are not valid, parameters while none is
being applied.

An arrival presented in cycle c has its verdict in cycle c + latency; a core that stands alone shows with it what belongs to it.
"""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from lib.player import RESET_CYCLES, Player
from lib.recording import Mismatch, Recording
from lib.simulation import RTL, module_name, registers
from lib.witness import model_of
from sluice_golden import Settled

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from lib.player import Port
    from sluice_golden import Arrival, CoreModel, Departed, Head, Verdict
    from sluice_golden.core import Moment

ACTIONS = {"pass": 0, "mark": 1, "drop": 2}
NEVER = -(1 << 40)
_MOST_DERIVING = 4096  # cycles within which a core takes a set

# Ports of an arrival, and how the model calls the same.
_ARRIVAL = {
    "arrival_packet_flow": "flow",
    "arrival_packet_bytes": "size",
    "arrival_packet_ecn": "ecn",
    "arrival_packet_rtt_us": "rtt_us",
    "arrival_queue_packets": "queue_packets",
    "arrival_queue_bytes": "queue_bytes",
    "arrival_limit": "limit",
}
# ... and those of the other moments.
_MOMENT = {
    "packet_flow": "flow",
    "packet_bytes": "size",
    "packet_is_ce": "is_ce",
    "packet_tag": "tag",
    "packet_is_ect": "is_ect",
    "packet_queued_ns": "queued_ns",
    "queue_packets": "queue_packets",
    "queue_bytes": "queue_bytes",
    "is_sent": "is_sent",
    "fate": "fate",
}
_FATES = {"accepted": 0, "refused": 1, "over the limit": 2, "pushed out": 3}
_SETTLING = 1  # cycles from a verdict to the settled fate


def core_source(config: str) -> Path:
    """The bare core of a configuration."""
    return RTL / config / f"{module_name('core', config)}.sv"


@dataclass(slots=True)
class Cycle:
    """What is presented in one cycle. `reset` clears everything, `parameters` asks for a new set, `tick_ns` is a tick. A packet
    whose arrival `is_over` finds no room, if its core keeps it."""

    arrival: Arrival | None = None
    is_over: bool = False
    departed: Departed | None = None
    head: Head | None = None
    found_empty_ns: int | None = None
    tick_ns: int | None = None
    parameters: dict[str, int] | None = None
    reset: bool = False


@dataclass(slots=True)
class _Judged:
    """An arrival or a head with what the model says of it."""

    cycle: int
    arrival: Arrival | Head
    verdict: Verdict
    status: dict[str, int]
    view: dict[str, int]


class CoreBench:
    """One core with its model. `cycle` is the next one to be presented."""

    def __init__(self, config: str) -> None:
        self.config = config
        self.model: type[CoreModel] = model_of(config)
        self.registers: dict[str, Any] = registers(config)
        self.player = Player(core_source(config))
        self.needs: dict[str, Any] = self.registers["needs"]
        self.latency: int = self.registers["core_latency_cycles"]
        self.head_latency: int = self.registers["core_head_latency_cycles"]
        self.tick_cycles: int = self.registers["core_tick_cycles"]
        self.tick_spacing = self.tick_cycles + self.latency + 2
        self.codes = {reason["name"]: reason["code"] for reason in self.registers["reasons"]}
        self.widths = {
            p["name"]: p["width"] for p in self.registers["parameters"] if p["name"] in self.model.defaults()
        }
        self.deriving = self._measure_deriving()

        self.golden = self.model()
        self.verdicts: Counter[str] = Counter()
        self.cycle = 0
        self.judged: list[_Judged] = []
        self.heads: list[_Judged] = []
        self.ticked = self.arrived = self.headed = NEVER
        self._void_until = NEVER  # heads up to this cycle are not presented
        self._void: list[tuple[int, Head]] = []
        self._settling: deque[tuple[int, Settled]] = deque()
        self._moments: dict[str, list[tuple[int, Moment]]] = {"settled": [], "departed": []}
        self.pending: dict[str, int] | None = None
        self._asked = self._stable_until = NEVER
        self._resets: list[int] = []
        self._empties: list[int] = []
        self._ticks: list[int] = []
        self._times: list[tuple[int, int]] = []  # cycle, ns
        self._sets: list[
            tuple[int, int, int, dict[str, int]]
        ] = []  # asked, applied or broken off, stable until, values
        self._applied: list[int] = []

    def _measure_deriving(self) -> int:
        """Cycles from `apply` to `applied` with no tick about."""
        apply = (np.arange(_MOST_DERIVING) == 0).astype(np.uint8)
        defaults = {f"parameters_{name}": np.full(len(apply), raw) for name, raw in self.model.defaults().items()}
        applied = np.flatnonzero(self.player.play({"apply": apply} | defaults)["applied"])
        assert applied.size == 1, f"{self.config}: a set was applied {applied.size} times in {_MOST_DERIVING} cycles"
        return int(applied[0])

    # --- making the stimulus ---

    @property
    def can_apply(self) -> bool:
        """Whether the contract allows a new set now."""
        return self.pending is None and self.cycle > self._stable_until

    @property
    def can_tick(self) -> bool:
        """Whether it allows a tick."""
        return bool(self.tick_cycles) and self.cycle >= self.ticked + self.tick_spacing

    @property
    def can_find_empty(self) -> bool:
        """Whether nothing is in judgment."""
        return self.cycle > max(self.arrived + self.latency + _SETTLING, self.headed + self.head_latency)

    @property
    def is_void(self) -> bool:
        """Whether a head that is presented now does not count."""
        return self.cycle <= self._void_until

    def play(self, cycles: Iterable[Cycle]) -> None:
        for cycle in cycles:
            self.step(cycle)

    def idle(self, cycles: int) -> None:
        """Nothing happens for so long."""
        for _ in range(cycles):
            self.step(Cycle())

    def apply(self, parameters: dict[str, int]) -> None:
        """Applies a set and waits until it is in force."""
        self.step(Cycle(parameters=parameters))
        while not self.can_apply:
            self.step(Cycle())

    def step(self, cycle: Cycle) -> None:
        """Presents a cycle to the model."""
        if cycle.reset:
            self._reset()
        else:
            self._events(cycle)
            self._parameters(cycle)
        self.cycle += 1

    def _reset(self) -> None:
        self._resets.append(self.cycle)
        while self.judged and self.judged[-1].cycle + self.latency >= self.cycle:
            self.verdicts[self.judged[-1].verdict.reason or "pass"] -= 1
            self.judged.pop()
        if self.pending is not None:
            self._sets.append((self._asked, self.cycle, self.cycle, self.pending))
            self.pending = None
        while self.heads and self.heads[-1].cycle + self.head_latency >= self.cycle:
            self.verdicts[self.heads[-1].verdict.reason or "head pass"] -= 1
            self.heads.pop()
        self._settling.clear()
        self.golden = self.model()
        self.ticked = self.arrived = self.headed = self._stable_until = self._void_until = NEVER

    def _events(self, cycle: Cycle) -> None:
        if self.cycle == self.ticked + self.tick_cycles:
            self.golden.settle()
        if cycle.tick_ns is not None:
            assert self.can_tick, "a tick comes too soon after another"
            self.ticked = self.cycle
            self._ticks.append(self.cycle)
            self._time(cycle.tick_ns)
            self.golden.tick(cycle.tick_ns)
        if cycle.arrival is not None:
            self._arrive(cycle.arrival, cycle.is_over)
        if cycle.departed is not None:
            self._moments["departed"].append((self.cycle, cycle.departed))
            self._time(cycle.departed.now_ns)
            self.golden.departed(cycle.departed)
        while self._settling and self._settling[0][0] == self.cycle:
            settled = replace(self._settling.popleft()[1], now_ns=self.now_ns)
            self._moments["settled"].append((self.cycle, settled))
            self.golden.settled(settled)
        if cycle.head is not None:
            self._head(cycle.head)
        if cycle.found_empty_ns is not None:
            assert self.can_find_empty, "the queue is found empty while a packet is in judgment"
            assert cycle.arrival is None, "the queue is found empty while a packet arrives"
            self._empties.append(self.cycle)
            self._time(cycle.found_empty_ns)
            self.golden.found_empty(cycle.found_empty_ns)

    def _arrive(self, arrival: Arrival, is_over: bool) -> None:
        self.arrived = self.cycle
        self._time(arrival.now_ns)
        verdict = self.golden.arrive(arrival)
        self.verdicts[verdict.reason or "pass"] += 1
        self.judged.append(_Judged(self.cycle, arrival, verdict, self.golden.status(), self.golden.view()))
        if self.needs["settled"]:
            fate = "refused" if verdict.action == "drop" else "over the limit" if is_over else "accepted"
            settled = Settled(
                0,
                arrival.flow,
                arrival.size,
                verdict.tag,
                verdict.action == "mark",
                queue_packets=arrival.queue_packets,
                queue_bytes=arrival.queue_bytes,
                fate=fate,
            )
            self._settling.append((self.cycle + self.latency + _SETTLING, settled))

    def _head(self, head: Head) -> None:
        self._time(head.now_ns)
        if self.is_void:
            self._void.append((self.cycle, head))
            return
        self.headed = self.cycle
        verdict = self.golden.head(head)
        self.verdicts[verdict.reason or "head pass"] += 1
        self.heads.append(_Judged(self.cycle, head, verdict, self.golden.status(), self.golden.head_view()))
        if verdict.restart:
            self._void_until = self.cycle + self.head_latency

    @property
    def now_ns(self) -> int:
        """The latest time that was presented."""
        return self._times[-1][1] if self._times else 0

    def _time(self, now_ns: int) -> None:
        is_first = not self._times or self._times[-1][0] != self.cycle
        assert is_first or self._times[-1][1] == now_ns, "two times in one cycle"
        self._times.append((self.cycle, now_ns))

    def _parameters(self, cycle: Cycle) -> None:
        """A set enters a fixed number of cycles after it was asked for, or as soon as a tick lets it."""
        if cycle.parameters is not None:
            assert self.can_apply, "a set is applied while another is under way"
            assert self.model.is_legal(cycle.parameters), f"not legal: {cycle.parameters}"
            self.pending, self._asked = dict(cycle.parameters), self.cycle
        tick_is_over = cycle.tick_ns is None and self.cycle >= self.ticked + self.tick_cycles + self.latency
        if self.pending is not None and self.cycle >= self._asked + self.deriving and tick_is_over:
            self._applied.append(self.cycle)
            self._stable_until = self.cycle + max(self.latency, self.head_latency)
            self._sets.append((self._asked, self.cycle, self._stable_until, self.pending))
            self.golden.apply(self.pending)  # the arrival of this cycle was still judged by the old set
            self.pending = None

    # --- arrays ---

    def recording(self) -> Recording:
        """All cycles so far, and enough at the end for the last verdict."""
        headed = max(self.headed, self._void_until)
        busy = max(self.arrived + self.latency + _SETTLING, headed + self.head_latency, self._stable_until)
        if self.pending is not None or busy >= self.cycle:
            self.idle(self.deriving + self.tick_spacing + self.latency + self.head_latency + _SETTLING)
        rng = np.random.default_rng(self.cycle)
        rows = RESET_CYCLES + self.cycle
        inputs = {port.name: np.zeros(rows, port.type) for port in self.player.inputs}
        self._record_parameters(inputs, rng)
        self._record_events(inputs, rng)
        recording = Recording(inputs)
        for port in self.player.outputs:
            recording.outputs[port.name], recording.masks[port.name] = self._expected(port, rows)
        return recording

    def _record_parameters(self, inputs: dict[str, np.ndarray], rng: np.random.Generator) -> None:
        ports = {port.name: port for port in self.player.inputs}
        for name in self.widths:
            port = ports[f"parameters_{name}"]
            inputs[port.name] = _any(rng, port, len(inputs["rst"]))
        for asked, _, until, values in self._sets:
            inputs["apply"][RESET_CYCLES + asked] = 1
            for name in self.widths:
                inputs[f"parameters_{name}"][RESET_CYCLES + asked : RESET_CYCLES + until + 1] = values[name]

    def _record_events(self, inputs: dict[str, np.ndarray], rng: np.random.Generator) -> None:
        rows = len(inputs["rst"])
        inputs["rst"][:RESET_CYCLES] = 1
        for name, cycles in (("rst", self._resets), ("idle_valid", self._empties), ("tick", self._ticks)):
            if name in inputs:
                inputs[name][_rows(cycles)] = 1

        # The time stands on all ports all the while, as a tile has it.
        marks = np.zeros(rows, dtype=np.int64)
        marks[_rows(c for c, _ in self._times)] = np.arange(len(self._times))
        times = np.array([ns for _, ns in self._times] or [0], dtype=np.uint64)
        now = times[np.maximum.accumulate(marks)]
        for name in inputs:
            if name.endswith("_now_ns"):
                inputs[name] = now

        given = {port: [getattr(j.arrival, name) for j in self.judged] for port, name in _ARRIVAL.items()}
        for i in range(self.model.random_words):
            given[f"arrival_random_{i}"] = [j.arrival.random[i] for j in self.judged]
        for i in range(self.model.samples):
            flows = [j.arrival.samples[i] for j in self.judged]
            given[f"arrival_samples_{i}_valid"] = [flow is not None for flow in flows]
            given[f"arrival_samples_{i}_payload_flow"] = [flow or 0 for flow in flows]
        self._present(inputs, rng, "arrival", [j.cycle for j in self.judged], given)
        moments = self._moments | {
            "head": sorted([(j.cycle, j.arrival) for j in self.heads] + self._void, key=itemgetter(0))
        }
        for kind, events in moments.items():
            if f"{kind}_valid" in inputs:
                given = {f"{kind}_{port}": _field([e for _, e in events], name) for port, name in _MOMENT.items()}
                self._present(inputs, rng, kind, [cycle for cycle, _ in events], given)

    def _present(
        self,
        inputs: dict[str, np.ndarray],
        rng: np.random.Generator,
        kind: str,
        cycles: list[int],
        given: dict[str, list],
    ) -> None:
        """What is given of a kind of event in its cycles; anything in the others."""
        at = _rows(cycles)
        for port in self.player.inputs:
            if port.name in given:
                inputs[port.name] = _any(rng, port, len(inputs["rst"]))
                inputs[port.name][at] = given[port.name]
        inputs[f"{kind}_valid"][at] = 1

    def _expected(self, port: Port, rows: int) -> tuple[np.ndarray, np.ndarray]:
        """Values and mask of an output."""
        values, mask = np.zeros(rows, port.type), np.zeros(rows, dtype=bool)
        name = port.name.removeprefix("head_").removeprefix("view_head_").removeprefix("view_").removeprefix("status_")
        is_status_of_head = port.name.startswith("status_") and name in self.model.head_status
        is_of_head = port.name.startswith(("head_", "view_head_")) or is_status_of_head
        judged, latency = (self.heads, self.head_latency) if is_of_head else (self.judged, self.latency)
        due = _rows(j.cycle for j in judged) + latency
        most = (1 << port.width) - 1
        if name == "verdict_valid":
            values[due] = 1
            mask[RESET_CYCLES:] = True
            if is_of_head:
                mask[_rows(cycle for cycle, _ in self._void) + latency] = False
        elif port.name == "applied":
            values[_rows(self._applied)] = 1
            mask[RESET_CYCLES:] = True
        elif port.name == "legal":
            for asked, _, until, _ in self._sets:
                mask[RESET_CYCLES + asked : RESET_CYCLES + until + 1] = True
            values[mask] = most
        elif port.name.startswith("view_"):
            shown = np.array([name in j.view for j in judged], dtype=bool)
            values[due] = np.array([j.view.get(name, 0) & most for j in judged], dtype=np.uint64)
            mask[due[shown]] = True
        elif name == "verdict_victim_payload":
            due = due[[j.verdict.victim is not None for j in judged]]
            values[due] = [j.verdict.victim for j in judged if j.verdict.victim is not None]
            mask[due] = True
        else:
            of = {
                "verdict_action": lambda j: ACTIONS[j.verdict.action],
                "verdict_reason": lambda j: self.codes[j.verdict.reason] if j.verdict.reason else 0,
                "verdict_restart": lambda j: j.verdict.restart,
                "verdict_tag": lambda j: j.verdict.tag,
                "verdict_victim_valid": lambda j: j.verdict.victim is not None,
            }.get(name, lambda j: j.status[name])
            values[due] = [of(j) for j in judged]
            mask[due] = True
        mask[_rows(self._resets)] = False
        return values, mask

    # --- comparing ---

    def check(self) -> Recording:
        """Plays everything on the RTL; fails at the first output that is not the model's."""
        recording = self.recording()
        views = {port.name.removeprefix("view_") for port in self.player.outputs if port.name.startswith("view_")}
        unknown = {name for judged in self.judged for name in judged.view} - views
        unknown |= {name for judged in self.heads for name in judged.view} - {v.removeprefix("head_") for v in views}
        assert not unknown, f"the model is judged by {unknown}, and the core does not show it"
        mismatch = recording.first_mismatch(self.player.run(recording.inputs))
        assert mismatch is None, self._described(mismatch)
        return recording

    def arrivals_until(self, mismatch: Mismatch) -> int:
        """How many arrivals it took to come to a difference."""
        return sum(j.cycle + RESET_CYCLES + self.latency <= mismatch.row for j in self.judged) or 1

    def _described(self, mismatch: Mismatch) -> str:
        cycle = mismatch.row - RESET_CYCLES
        lines = [
            f"{self.config}, cycle {cycle}: {mismatch.port} is {mismatch.seen:#x}, the model has {mismatch.expected:#x}"
        ]
        at = cycle - self.latency
        for kind, judged, latency in (("arrival", self.judged, self.latency), ("head", self.heads, self.head_latency)):
            number = next((i for i, j in enumerate(judged) if j.cycle == cycle - latency), None)
            lines += [] if number is None else [f"{kind} {number} of cycle {cycle - latency}: {judged[number]}"]
        for what, cycles in (("reset", self._resets), ("found empty", self._empties), ("tick", self._ticks)):
            before = [c for c in cycles if c <= at]
            lines += [f"last {what} in cycle {before[-1]}"] if before else []
        sets = [(entered, values) for _, entered, _, values in self._sets if entered in self._applied and entered < at]
        lines += [f"parameters applied in cycle {sets[-1][0]}: {sets[-1][1]}"] if sets else []
        return "\n".join(lines)


def _rows(cycles: Iterable[int]) -> np.ndarray:
    """Where cycles stand in a recording."""
    return RESET_CYCLES + np.array(list(cycles), dtype=np.int64)


def _field(events: list[Moment], name: str) -> list[int]:
    """One field of each, where they have it."""
    values = [getattr(event, name) for event in events if hasattr(event, name)]
    return [_FATES[value] if isinstance(value, str) else int(value) for value in values]


def _any(rng: np.random.Generator, port: Port, rows: int) -> np.ndarray:
    """Values that nothing may depend on."""
    return rng.integers(0, 1 << port.width, rows, dtype=np.uint64).astype(port.type)
