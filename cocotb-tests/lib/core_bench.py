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

import functools
from collections import Counter, deque
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from lib import waves
from lib.core_recording import CoreRecording, Judged, Log
from lib.failure_report import FailureReport
from lib.player import RESET_CYCLES, Player
from lib.simulation import RTL, module_name, registers
from lib.witness import model_of
from sluice_golden import Departed, Settled

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from lib.recording import Recording
    from sluice_golden import Arrival, CoreModel, Head

NEVER = -(1 << 40)
MOST_BYTES = (1 << 26) - 1  # that may be queued
_MOST_DERIVING = 4096  # cycles within which a core takes a set

_SETTLING = 1  # cycles from a verdict to the settled fate
_FALLING = 2  # cycles from there to the fall of a victim
CALM = 64  # cycles in which nothing comes, goes or waits before a core may hear of it


def core_source(config: str) -> Path:
    """The bare core of a configuration."""
    return RTL / config / f"{module_name('core', config)}.sv"


# A test may make many benches of one core.


@functools.cache
def _player(config: str) -> Player:
    return Player(core_source(config))


@functools.cache
def _deriving(config: str) -> int:
    """Cycles from `apply` to `applied` with no tick about."""
    apply = (np.arange(_MOST_DERIVING) == 0).astype(np.uint8)
    defaults = {f"parameters_{name}": np.full(len(apply), raw) for name, raw in model_of(config).defaults().items()}
    applied = np.flatnonzero(_player(config).play({"apply": apply} | defaults)["applied"])
    assert applied.size == 1, f"{config}: a set was applied {applied.size} times in {_MOST_DERIVING} cycles"
    return int(applied[0])


@dataclass(slots=True)
class Cycle:
    """What is presented in one cycle. `reset` clears everything, `parameters` asks for a new set, `ticks` are kinds that tick,
    with the time. A packet whose arrival `is_over` finds no room, if its core keeps it."""

    arrival: Arrival | None = None
    is_over: bool = False
    departed: Departed | None = None
    head: Head | None = None
    found_empty_ns: int | None = None
    empty_queues: Sequence[int] = (0,)
    ticks: dict[str, int] = field(default_factory=dict)
    parameters: dict[str, int] | None = None
    reset: bool = False


class CoreBench:
    """One core with its model. `cycle` is the next one to be presented."""

    def __init__(self, config: str) -> None:
        self.config = config
        self.model: type[CoreModel] = model_of(config)
        self.registers: dict[str, Any] = registers(config)
        self.player = _player(config)
        self.needs: dict[str, Any] = self.registers["needs"]
        self.has_queue: bool = self.needs["settled"] or self.needs["departed"]
        """The core hears something of what becomes of packets, so the bench keeps those that are accepted."""
        self.latency: int = self.registers["core_latency_cycles"]
        self.head_latency: int = self.registers["core_head_latency_cycles"]
        self.tick_cycles: dict[str, int] = {kind["name"]: kind["cycles"] for kind in self.registers["ticks"]}
        self.codes = {reason["name"]: reason["code"] for reason in self.registers["reasons"]}
        self._check_declarations()
        self.widths = {
            p["name"]: p["width"] for p in self.registers["parameters"] if p["name"] in self.model.defaults()
        }
        self.deriving = _deriving(config)

        self.golden = self.model()
        self.verdicts: Counter[str] = Counter()
        self.cycle = 0
        self.log = Log()
        self.judged, self.heads = self.log.judged, self.log.heads
        self.ticked: dict[str, int] = {}
        self.arrived = self.headed = NEVER
        self._void_until = NEVER  # heads up to this cycle are not presented
        self._settling: deque[tuple[int, Settled]] = deque()
        self._falling: deque[tuple[int, int]] = deque()  # with the victim's flow
        self.queued: deque[Settled] = deque()
        """Packets that were accepted and have not departed."""
        self.calm = 0
        """Cycles since anything came or went or was queued."""
        self.pending: dict[str, int] | None = None
        self._asked = self._stable_until = NEVER

    def _check_declarations(self) -> None:
        """Model and hardware speak of the same parameters and reasons; one of them may be unfinished."""
        parameters = self.model.defaults().keys() - {p["name"] for p in self.registers["parameters"]}
        assert not parameters, (
            f"{self.config}'s model has the parameters {sorted(parameters)}, and the hardware has not"
        )
        reasons = {r.reason for r in (*self.model.reasons, *self.model.head_reasons)} - self.codes.keys()
        assert not reasons, f"{self.config}'s model gives the reasons {sorted(reasons)}, and the hardware does not"

    # --- making the stimulus ---

    @property
    def can_apply(self) -> bool:
        """Whether the contract allows a new set now."""
        return self.pending is None and self.cycle > self._stable_until

    def can_tick(self, kind: str) -> bool:
        """Whether it allows a tick of a kind."""
        is_held = self.pending is not None and self.cycle > self._asked + 1
        spacing = self.tick_cycles[kind] + self.latency + 2
        return not is_held and self.cycle >= self.ticked.get(kind, NEVER) + spacing

    def tick(self, kind: str, now_ns: int) -> None:
        """A tick of a kind as soon as it may come, and its work, so that what comes next finds what it has changed."""
        while not self.can_tick(kind):
            self.idle(1)
        self.step(Cycle(ticks={kind: now_ns}))
        self.idle(self.tick_cycles[kind] + 1)

    @property
    def can_find_empty(self) -> bool:
        """Whether nothing is in judgment, and nothing is being thrown out."""
        return not self._falling and self.cycle > max(
            self.arrived + self.latency + _SETTLING, self.headed + self.head_latency
        )

    @property
    def is_void(self) -> bool:
        """Whether a head that is presented now does not count."""
        return self.cycle <= self._void_until

    @property
    def is_settling(self) -> bool:
        """Whether the fate of a packet is still to be told."""
        return bool(self._settling or self._falling)

    def oldest(self, now_ns: int, left: int = 0, *, is_sent: bool = True) -> Departed:
        """The oldest of the accepted packets, as it departs and leaves so many behind."""
        packet = self.queued[0]
        behind = min(left * packet.size, MOST_BYTES)
        return Departed(
            now_ns, packet.flow, packet.size, packet.tag, packet.is_ce, left, behind, packet.queue, is_sent=is_sent
        )

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
            self._rest(cycle)
            self._events(cycle)
            self._parameters(cycle)
        self.cycle += 1

    def _rest(self, cycle: Cycle) -> None:
        """A core that asks for it hears that all is at rest, in each cycle in which that may be said."""
        if not self.needs["rest"]:
            return
        if cycle.arrival is not None and self.log.rests[-1:] == [self.cycle - 1]:
            self.log.rests.pop()  # not a cycle before anything comes
        is_under_way = self.queued or self.is_settling or cycle.departed is not None or cycle.arrival is not None
        self.calm = 0 if is_under_way else self.calm + 1
        if self.calm > CALM:
            self.log.rests.append(self.cycle)

    def _reset(self) -> None:
        self.log.resets.append(self.cycle)
        while self.judged and self.judged[-1].cycle + self.latency >= self.cycle:
            self.verdicts[self.judged[-1].verdict.reason or "pass"] -= 1
            self.log.forgotten.append(self.judged.pop())
        if self.pending is not None:
            self.log.sets.append((self._asked, self.cycle, self.cycle, self.pending))
            self.pending = None
        while self.heads and self.heads[-1].cycle + self.head_latency >= self.cycle:
            self.verdicts[self.heads[-1].verdict.reason or "head pass"] -= 1
            self.log.forgotten_heads.append(self.heads.pop())
        self.calm = 0
        self._settling.clear()
        self._falling.clear()
        self.queued.clear()
        self.golden = self.model()
        self.ticked = {}
        self.arrived = self.headed = self._stable_until = self._void_until = NEVER

    def _events(self, cycle: Cycle) -> None:
        if self.ticked:
            self._settle()
        if cycle.ticks:
            self._tick(cycle.ticks)
        if cycle.arrival is not None:
            self._arrive(cycle.arrival, cycle.is_over)
        if cycle.departed is not None:
            self.log.moments["departed"].append((self.cycle, cycle.departed))
            self._time(cycle.departed.now_ns)
            if self.queued:
                self.queued.popleft()
            self.golden.departed(cycle.departed)
        while self._settling and self._settling[0][0] == self.cycle:
            settled = self._settling.popleft()[1]
            settled.now_ns = self.now_ns
            if self.needs["settled"]:
                self.log.moments["settled"].append((self.cycle, settled))
                self.golden.settled(settled)
            if settled.fate == "accepted":
                self.queued.append(settled)
        while self._falling and self._falling[0][0] == self.cycle:
            self._push_out(self._falling.popleft()[1])
        if cycle.head is not None:
            self._head(cycle.head)
        if cycle.found_empty_ns is not None:
            assert self.can_find_empty, "the queue is found empty while a packet is in judgment"
            assert cycle.arrival is None, "the queue is found empty while a packet arrives"
            self.log.empties.append(self.cycle)
            self._time(cycle.found_empty_ns)
            self.log.empty_queues.append(sum(1 << queue for queue in cycle.empty_queues))
            if self.needs["idle"]:
                self.golden.found_queues_empty(cycle.found_empty_ns, cycle.empty_queues)

    def _settle(self) -> None:
        """The work of ticks may be over."""
        for kind in self.model.ticks:
            if self.cycle == self.ticked.get(kind, NEVER) + self.tick_cycles[kind]:
                self.golden.settle(kind)
                self.log.intervals.append((self.cycle, kind, self.golden.interval_ns(kind)))
                if self.model.gives_quanta:
                    self.log.quanta.append((self.cycle, self.golden.quanta()))

    def _tick(self, ticks: dict[str, int]) -> None:
        for kind in self.model.ticks:
            if kind in ticks:
                assert self.can_tick(kind), f"a tick {kind} comes too soon after another, or while a set waits"
                self.ticked[kind] = self.cycle
                self.log.ticks.append((self.cycle, kind))
                self._time(ticks[kind])
                self.golden.tick(kind, ticks[kind])

    def _arrive(self, arrival: Arrival, is_over: bool) -> None:
        self.arrived = self.cycle
        self._time(arrival.now_ns)
        verdict = self.golden.arrive(arrival)
        self.verdicts[verdict.reason or "pass"] += 1
        self.judged.append(Judged(self.cycle, arrival, verdict, self.golden.status(), self.golden.view()))
        if self.has_queue:
            fate = "refused" if verdict.action == "drop" else "over the limit" if is_over else "accepted"
            settled = Settled(
                0,
                arrival.flow,
                arrival.size,
                verdict.tag,
                verdict.action == "mark",
                queue_packets=arrival.queue_packets,
                queue_bytes=arrival.queue_bytes,
                queue=arrival.queue,
                fate=fate,
            )
            self._settling.append((self.cycle + self.latency + _SETTLING, settled))
            if verdict.victim is not None:
                flow = arrival.samples[verdict.victim]
                assert flow is not None, "a victim is thrown out that no sample has found"
                self._falling.append((self.cycle + self.latency + _SETTLING + _FALLING, flow))

    def _push_out(self, flow: int) -> None:
        """The first accepted packet of a flow falls, or any, as samples here are not of the queue; none if nothing is queued."""
        if not self.queued:
            return
        packet = next((packet for packet in self.queued if packet.flow == flow), self.queued[0])
        self.queued.remove(packet)
        if self.needs["settled"]:
            pushed_out = replace(packet, now_ns=self.now_ns, fate="pushed out")
            self.log.moments["pushed_out"].append((self.cycle, pushed_out))
            self.golden.settled(pushed_out)

    def _head(self, head: Head) -> None:
        self._time(head.now_ns)
        if self.is_void:
            self.log.void.append((self.cycle, head))
            return
        self.headed = self.cycle
        verdict = self.golden.head(head)
        self.verdicts[verdict.reason or "head pass"] += 1
        self.heads.append(Judged(self.cycle, head, verdict, self.golden.status(), self.golden.head_view()))
        if verdict.restart:
            self._void_until = self.cycle + self.head_latency

    @property
    def now_ns(self) -> int:
        """The latest time that was presented."""
        return self.log.times[-1][1] if self.log.times else 0

    def _time(self, now_ns: int) -> None:
        is_first = not self.log.times or self.log.times[-1][0] != self.cycle
        assert is_first or self.log.times[-1][1] == now_ns, "two times in one cycle"
        self.log.times.append((self.cycle, now_ns))

    def _parameters(self, cycle: Cycle) -> None:
        """A set enters a fixed number of cycles after it was asked for, or as soon as a tick lets it."""
        if cycle.parameters is not None:
            assert self.can_apply, "a set is applied while another is under way"
            names, known = cycle.parameters.keys(), self.model.defaults().keys()
            assert names == known, f"a test sets {sorted(names)}, and {self.config} has the parameters {sorted(known)}"
            assert self.model.is_legal(cycle.parameters), f"not legal: {cycle.parameters}"
            self.pending, self._asked = dict(cycle.parameters), self.cycle
        if self.pending is None or self.cycle < self._asked + self.deriving:
            return
        if all(self.cycle >= ticked + self.tick_cycles[kind] + self.latency for kind, ticked in self.ticked.items()):
            self.log.applied.append(self.cycle)
            self._stable_until = self.cycle + max(self.latency, self.head_latency)
            self.log.sets.append((self._asked, self.cycle, self._stable_until, self.pending))
            self.golden.apply(self.pending)  # the arrival of this cycle was still judged by the old set
            self.pending = None

    # --- arrays ---

    def recording(self) -> Recording:
        """All cycles so far, and enough at the end for the last verdict."""
        headed = max(self.headed, self._void_until)
        busy = max(self.arrived + self.latency + _SETTLING + _FALLING, headed + self.head_latency, self._stable_until)
        if self.pending is not None or busy >= self.cycle:
            ticking = max(self.tick_cycles.values(), default=0)
            self.idle(self.deriving + ticking + 2 * self.latency + self.head_latency + _SETTLING + _FALLING)
        return CoreRecording(self).made

    # --- comparing ---

    def check(self) -> Recording:
        """Plays everything on the RTL; fails at the first output that is not the model's."""
        recording = self.recording()
        views = {port.name.removeprefix("view_") for port in self.player.outputs if port.name.startswith("view_")}
        unknown = {name for judged in self.judged for name in judged.view} - views
        unknown |= {name for judged in self.heads for name in judged.view} - {v.removeprefix("head_") for v in views}
        assert not unknown, f"the model is judged by {unknown}, and the core does not show it"
        seen = self.player.run(recording.inputs)
        mismatch = recording.first_mismatch(seen)
        row = (
            mismatch.row
            if mismatch
            else RESET_CYCLES + max(self.arrived + self.latency, self.headed + self.head_latency)
        )
        waveform = self.player.trace(recording.inputs, row) if waves.are_asked_for() else None
        assert mismatch is None, FailureReport(self, recording, seen, mismatch).text(waveform)
        return recording

    def counted(self) -> dict[str, int | str]:
        """What has been presented, and how often each verdict was given: of the model, and of an RTL that equals it."""
        verdicts = sorted(((count, name) for name, count in self.verdicts.items() if count), reverse=True)
        return {
            "clocks": self.cycle,
            "arrivals": len(self.judged),
            "heads": len(self.heads),
            "fates": len(self.log.moments["settled"]),
            "departures": len(self.log.moments["departed"]),
            "idle": len(self.log.empties),
            "ticks": len(self.log.ticks),
            "sets": len(self.log.applied),
            "resets": len(self.log.resets),
            "victims": sum(judged.verdict.victim is not None for judged in self.judged),
            "verdicts": "; ".join(f"{name} {count}" for count, name in verdicts),
        }
