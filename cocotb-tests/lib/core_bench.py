# SPDX-License-Identifier: Apache-2.0
"""Plays a stimulus on a bare core and holds every verdict, cycle by cycle, against its golden model.

All inputs change at the falling edge, all outputs are read just before they do: cycle c is the time around falling edge c. An
arrival presented in cycle c must have its verdict in cycle c + latency and no verdict may come that nothing asked for.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly

if TYPE_CHECKING:
    from collections import Counter

    from sluice_golden import Arrival, CoreModel, Verdict

ACTIONS = {"pass": 0, "mark": 1, "drop": 2}


@dataclass(slots=True)
class Cycle:
    """What is presented in one cycle. `reset` clears everything, `parameters` asks for a new set, `tick_ns` is a tick."""

    arrival: Arrival | None = None
    found_empty_ns: int | None = None
    tick_ns: int | None = None
    parameters: dict[str, int] | None = None
    reset: bool = False


@dataclass
class CoreBench:
    """One core with its model."""

    dut: Any
    model: type[CoreModel]
    registers: dict[str, Any]
    verdicts: Counter[str]
    checked: int = 0
    cycle: int = 0
    expected: deque[tuple[int, int]] = field(default_factory=deque)

    def __post_init__(self) -> None:
        self.latency: int = self.registers["core_latency_cycles"]
        self.tick_cycles: int = self.registers["core_tick_cycles"]
        self.tick_spacing = self.tick_cycles + self.latency + 2
        self.ticked = -self.tick_spacing
        self.codes = {reason["name"]: reason["code"] for reason in self.registers["reasons"]}
        own = {p["name"] for p in self.registers["parameters"]}
        self.parameter_names = [name for name in self.model.defaults() if name in own]
        self.golden = self.model()
        self.pending: dict[str, int] | None = None
        self.shown: dict[str, int] = {}
        self.words = [getattr(self.dut, f"arrival_random_{i}") for i in range(self.model.random_words)]
        self.status = {s["name"]: getattr(self.dut, f"status_{s['name']}") for s in self.registers["status"]}

    def code(self, verdict: Verdict) -> int:
        """Action and reason as one number, as the ports carry them."""
        return ACTIONS[verdict.action] << 4 | self.codes.get(verdict.reason, 0)

    async def start(self) -> None:
        """Clock and reset."""
        self.drive("apply", 0)
        self.drive("tick", 0)
        self.drive("arrival_valid", 0)
        self.drive("departure_departed", 0)
        self.drive("departure_found_empty", 0)
        self.stage(self.golden.parameters)
        cocotb.start_soon(Clock(self.dut.clk, 4, unit="ns").start())
        await self.reset()

    async def reset(self) -> None:
        """Holds reset for three cycles; whatever was in judgment is gone."""
        self.drive("rst", 1)
        self.drive("arrival_valid", 0)
        self.drive("apply", 0)
        for _ in range(3):
            await FallingEdge(self.dut.clk)
        self.drive("rst", 0)
        self.golden = self.model()
        self.pending = None
        self.ticked = -self.tick_spacing
        self.expected.clear()
        self.stage(self.golden.parameters)

    def drive(self, name: str, value: int) -> None:
        """Sets a port unless it has the value already."""
        if self.shown.get(name) != value:
            self.shown[name] = value
            getattr(self.dut, name).value = value

    def stage(self, parameters: dict[str, int]) -> None:
        for name in self.parameter_names:
            self.drive(f"parameters_{name}", parameters[name])

    async def play(self, cycles: Any) -> None:
        """Plays cycles, then empties the pipeline and lets a tick have its effect."""
        for cycle in cycles:
            await self.step(cycle)
        for _ in range(max(self.latency + 1, self.ticked + self.tick_spacing - self.cycle)):
            await self.step(Cycle())
        assert not self.expected, f"{len(self.expected)} verdicts never came"

    async def step(self, cycle: Cycle) -> None:
        await FallingEdge(self.dut.clk)
        self.cycle += 1
        self.check_verdict()
        if cycle.reset:
            await self.reset()
            return
        if self.shown["apply"]:
            self.drive("apply", 0)
        if cycle.parameters is not None:
            assert self.pending is None, "a set is applied while another is under way"
            self.pending = cycle.parameters
            self.stage(cycle.parameters)
            self.drive("apply", 1)
        self.present(cycle)
        if self.pending is not None:
            await ReadOnly()  # a tick of this cycle puts the set off
            if self.dut.applied.value:  # the arrival of this cycle was still judged by the old set
                self.golden.apply(self.pending)
                self.pending = None

    def present(self, cycle: Cycle) -> None:
        """Drives the events of a cycle and lets the model judge them."""
        if self.cycle == self.ticked + self.tick_cycles:
            self.golden.settle()
        self.drive("tick", int(cycle.tick_ns is not None))
        if cycle.tick_ns is not None:
            assert self.cycle >= self.ticked + self.tick_spacing, "a tick comes too soon after another"
            self.ticked = self.cycle
            self.golden.tick(cycle.tick_ns)
        arrival = cycle.arrival
        self.drive("arrival_valid", int(arrival is not None))
        if arrival is not None:
            self.drive("arrival_now_ns", arrival.now_ns)
            self.drive("arrival_packet_flow", arrival.flow)
            self.drive("arrival_packet_bytes", arrival.size)
            self.drive("arrival_packet_ect", int(arrival.ect))
            self.drive("arrival_queue_packets", arrival.queue_packets)
            self.drive("arrival_queue_bytes", arrival.queue_bytes)
            for port, word in zip(self.words, arrival.random, strict=True):
                port.value = word
            verdict = self.golden.arrive(arrival)
            self.verdicts[verdict.reason or verdict.action] += 1
            self.expected.append((self.cycle + self.latency, self.code(verdict)))
        self.drive("departure_found_empty", int(cycle.found_empty_ns is not None))
        if cycle.found_empty_ns is not None:
            self.drive("departure_now_ns", cycle.found_empty_ns)
            self.golden.found_empty(cycle.found_empty_ns)

    def check_verdict(self) -> None:
        is_due = bool(self.expected) and self.expected[0][0] == self.cycle
        is_there = bool(self.dut.verdict_valid.value)
        assert is_there == is_due, f"cycle {self.cycle}: a verdict is {'not ' if is_due else ''}there"
        if is_due:
            _, code = self.expected.popleft()
            seen = int(self.dut.verdict_action.value) << 4 | int(self.dut.verdict_reason.value)
            assert seen == code, f"verdict {self.checked}: core says {seen:#x}, model {code:#x}"
            self.checked += 1

    def check_status(self) -> None:
        """Compares the status values; only with nothing in judgment."""
        for name, value in self.golden.status().items():
            seen = int(self.status[name].value)
            assert seen == value, f"status {name}: core {seen}, model {value}"
