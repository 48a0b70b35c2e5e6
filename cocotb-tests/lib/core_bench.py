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

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lib.player import RESET_CYCLES, Player
from lib.recording import Mismatch, Recording
from lib.simulation import RTL, module_name, registers
from sluice_golden import models

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from lib.player import Port
    from sluice_golden import Arrival, CoreModel, Verdict

ACTIONS = {"pass": 0, "mark": 1, "drop": 2}
NEVER = -(1 << 40)
_MOST_DERIVING = 4096  # cycles within which a core takes a set

# Ports of an arrival, and how the model calls the same.
_ARRIVAL = {
    "arrival_packet_flow": "flow",
    "arrival_packet_bytes": "size",
    "arrival_packet_ect": "ect",
    "arrival_packet_rtt_us": "rtt_us",
    "arrival_queue_packets": "queue_packets",
    "arrival_queue_bytes": "queue_bytes",
}


def core_source(config: str) -> Path:
    """The bare core of a configuration."""
    return RTL / config / f"{module_name('core', config)}.sv"


@dataclass(slots=True)
class Cycle:
    """What is presented in one cycle. `reset` clears everything, `parameters` asks for a new set, `tick_ns` is a tick."""

    arrival: Arrival | None = None
    found_empty_ns: int | None = None
    tick_ns: int | None = None
    parameters: dict[str, int] | None = None
    reset: bool = False


@dataclass(slots=True)
class _Judged:
    """An arrival with what the model says of it."""

    cycle: int
    arrival: Arrival
    verdict: Verdict
    status: dict[str, int]
    view: dict[str, int]


class CoreBench:
    """One core with its model. `cycle` is the next one to be presented."""

    def __init__(self, config: str) -> None:
        self.config = config
        self.model: type[CoreModel] = models()[config]
        self.registers: dict[str, Any] = registers(config)
        self.player = Player(core_source(config))
        self.latency: int = self.registers["core_latency_cycles"]
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
        self.ticked = self.arrived = NEVER
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
        return self.cycle > self.arrived + self.latency

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
        self.golden = self.model()
        self.ticked = self.arrived = self._stable_until = NEVER

    def _events(self, cycle: Cycle) -> None:
        if self.cycle == self.ticked + self.tick_cycles:
            self.golden.settle()
        if cycle.tick_ns is not None:
            assert self.can_tick, "a tick comes too soon after another"
            self.ticked = self.cycle
            self._ticks.append(self.cycle)
            self._time(cycle.tick_ns)
            self.golden.tick(cycle.tick_ns)
        if cycle.found_empty_ns is not None:
            assert self.can_find_empty, "the queue is found empty while a packet is in judgment"
            assert cycle.arrival is None, "the queue is found empty while a packet arrives"
            self._empties.append(self.cycle)
            self._time(cycle.found_empty_ns)
            self.golden.found_empty(cycle.found_empty_ns)
        if cycle.arrival is not None:
            self.arrived = self.cycle
            self._time(cycle.arrival.now_ns)
            verdict = self.golden.arrive(cycle.arrival)
            self.verdicts[verdict.reason or "pass"] += 1
            self.judged.append(_Judged(self.cycle, cycle.arrival, verdict, self.golden.status(), self.golden.view()))

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
            self._stable_until = self.cycle + self.latency
            self._sets.append((self._asked, self.cycle, self._stable_until, self.pending))
            self.golden.apply(self.pending)  # the arrival of this cycle was still judged by the old set
            self.pending = None

    # --- arrays ---

    def recording(self) -> Recording:
        """All cycles so far, and enough at the end for the last verdict."""
        if self.pending is not None or self.arrived + self.latency >= self.cycle or self._stable_until >= self.cycle:
            self.idle(self.deriving + self.tick_spacing + self.latency)
        rng = np.random.default_rng(self.cycle)
        rows = RESET_CYCLES + self.cycle
        inputs = {port.name: np.zeros(rows, port.type) for port in self.player.inputs}
        self._record_parameters(inputs, rng)
        self._record_events(inputs, rng)
        recording = Recording(inputs)
        due = np.array([j.cycle for j in self.judged], dtype=np.int64) + RESET_CYCLES + self.latency
        for port in self.player.outputs:
            recording.outputs[port.name], recording.masks[port.name] = self._expected(port, rows, due)
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
        for name, cycles in (("rst", self._resets), ("departure_found_empty", self._empties), ("tick", self._ticks)):
            inputs[name][RESET_CYCLES + np.array(cycles, dtype=np.int64)] = 1

        # The time stands on both ports all the while, as a tile has it.
        marks = np.zeros(rows, dtype=np.int64)
        marks[RESET_CYCLES + np.array([c for c, _ in self._times], dtype=np.int64)] = np.arange(len(self._times))
        times = np.array([ns for _, ns in self._times] or [0], dtype=np.uint64)
        now = times[np.maximum.accumulate(marks)]
        inputs["arrival_now_ns"] = inputs["departure_now_ns"] = now

        at = RESET_CYCLES + np.array([j.cycle for j in self.judged], dtype=np.int64)
        given = {port: [getattr(j.arrival, name) for j in self.judged] for port, name in _ARRIVAL.items()}
        for i in range(self.model.random_words):
            given[f"arrival_random_{i}"] = [j.arrival.random[i] for j in self.judged]
        for port in self.player.inputs:
            if port.name in given:
                inputs[port.name] = _any(rng, port, rows)
                inputs[port.name][at] = given[port.name]
            elif port.name.startswith("departure_packet") or port.name == "departure_bytes":
                inputs[port.name] = _any(rng, port, rows)
        inputs["departure_packet_queue"][:] = 0
        inputs["arrival_valid"][at] = 1

    def _expected(self, port: Port, rows: int, due: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Values and mask of an output."""
        values, mask = np.zeros(rows, port.type), np.zeros(rows, dtype=bool)
        kind, _, name = port.name.partition("_")
        most = (1 << port.width) - 1
        if port.name == "verdict_valid":
            values[due] = 1
            mask[RESET_CYCLES:] = True
        elif port.name == "applied":
            values[RESET_CYCLES + np.array(self._applied, dtype=np.int64)] = 1
            mask[RESET_CYCLES:] = True
        elif port.name == "legal":
            for asked, _, until, _ in self._sets:
                mask[RESET_CYCLES + asked : RESET_CYCLES + until + 1] = True
            values[mask] = most
        elif kind == "view":
            shown = np.array([name in j.view for j in self.judged], dtype=bool)
            values[due] = np.array([j.view.get(name, 0) & most for j in self.judged], dtype=np.uint64)
            mask[due[shown]] = True
        else:
            of = {
                "verdict_action": lambda j: ACTIONS[j.verdict.action],
                "verdict_reason": lambda j: self.codes[j.verdict.reason] if j.verdict.reason else 0,
            }.get(port.name, lambda j: j.status[name])
            values[due] = [of(j) for j in self.judged]
            mask[due] = True
        mask[RESET_CYCLES + np.array(self._resets, dtype=np.int64)] = False
        return values, mask

    # --- comparing ---

    def check(self) -> Recording:
        """Plays everything on the RTL; fails at the first output that is not the model's."""
        recording = self.recording()
        views = {port.name.removeprefix("view_") for port in self.player.outputs if port.name.startswith("view_")}
        unknown = {name for judged in self.judged for name in judged.view} - views
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
        number = next((i for i, j in enumerate(self.judged) if j.cycle == at), None)
        if number is not None:
            lines += [f"arrival {number} of cycle {at}: {self.judged[number].arrival}", f"model: {self.judged[number]}"]
        for what, cycles in (("reset", self._resets), ("found empty", self._empties), ("tick", self._ticks)):
            before = [c for c in cycles if c <= at]
            lines += [f"last {what} in cycle {before[-1]}"] if before else []
        sets = [(entered, values) for _, entered, _, values in self._sets if entered in self._applied and entered < at]
        lines += [f"parameters applied in cycle {sets[-1][0]}: {sets[-1][1]}"] if sets else []
        return "\n".join(lines)


def _any(rng: np.random.Generator, port: Port, rows: int) -> np.ndarray:
    """Values that nothing may depend on."""
    return rng.integers(0, 1 << port.width, rows, dtype=np.uint64).astype(port.type)
