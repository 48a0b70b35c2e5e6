# SPDX-License-Identifier: Apache-2.0
"""The golden model of a bare core as its bench plays it: the model judges while the stimulus is made.

The inputs of a core do not depend on what it answers, so a test first plays its cycles here, and may look at the model to choose
the next. What was presented and what the model made of it is in `log`. A cycle that breaks a rule of the contract is an error of
the test.
"""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lib.core.cycle import CALM, FALLING, MOST_BYTES, NEVER, SETTLING, Cycle
from lib.core.recording import Judged, Log
from lib.witness import model_of
from sluice_golden import Departed, Settled

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sluice_golden import Arrival, CoreModel, Head

_FAR = 1 << 62


class GoldenPlay:
    """One core's model, cycle by cycle. `cycle` is the next one to be presented.

    :param registers: the core's entry of its register map
    :param deriving: cycles from `apply` to `applied` with no tick about
    """

    def __init__(self, config: str, registers: dict[str, Any], deriving: int) -> None:
        self.config = config
        self.model: type[CoreModel] = model_of(config)
        self.registers = registers
        self.needs: dict[str, Any] = registers["needs"]
        self.has_queue: bool = self.needs["settled"] or self.needs["departed"]
        """The core hears something of what becomes of packets, so the bench keeps those that are accepted."""
        self.latency: int = registers["core_latency_cycles"]
        self.head_latency: int = registers["core_head_latency_cycles"]
        self.tick_cycles: dict[str, int] = {kind["name"]: kind["cycles"] for kind in registers["ticks"]}
        self.deriving = deriving

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
            self.arrived + self.latency + SETTLING, self.headed + self.head_latency
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
        """Nothing comes for so long: cycles in which nothing falls due either are not gone through."""
        end = self.cycle + cycles
        while self.cycle < end:
            self.step(Cycle())
            if self.pending is None and not self.needs["rest"]:
                self.cycle = min(end, self._next_due())

    def _next_due(self) -> int:
        """The next cycle in which something falls due that is under way."""
        over = (ticked + self.tick_cycles[kind] for kind, ticked in self.ticked.items())
        told = (due[0][0] for due in (self._settling, self._falling) if due)
        return min((cycle for cycle in (*over, *told) if cycle >= self.cycle), default=_FAR)

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
            self._settling.append((self.cycle + self.latency + SETTLING, settled))
            if verdict.victim is not None:
                flow = arrival.samples[verdict.victim]
                assert flow is not None, "a victim is thrown out that no sample has found"
                self._falling.append((self.cycle + self.latency + SETTLING + FALLING, flow))

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

    @property
    def judged_last(self) -> int:
        """The latest cycle in which a verdict is due, of an arrival or a head that counts."""
        return max(self.arrived + self.latency, self.headed + self.head_latency)

    def finish(self) -> None:
        """Idles until all that is under way has come to its end."""
        headed = max(self.headed, self._void_until)
        busy = max(self.arrived + self.latency + SETTLING + FALLING, headed + self.head_latency, self._stable_until)
        if self.pending is not None or busy >= self.cycle:
            ticking = max(self.tick_cycles.values(), default=0)
            self.idle(self.deriving + ticking + 2 * self.latency + self.head_latency + SETTLING + FALLING)
