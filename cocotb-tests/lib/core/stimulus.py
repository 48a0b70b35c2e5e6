# SPDX-License-Identifier: Apache-2.0
"""Traffic for any core that reaches what a core can do: every clock of a burst, time over all its bits, silences, parameter sets,
ticks and resets in between, and draws that fall right beside the border at which the verdict changes.

It knows no core. Where a verdict depends on something, and which times make a difference, the model itself says (`aim`,
`pause_ns`). Where a draw turns the verdict it finds by trying the model on copies.
"""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING

from lib.core.border import Planned, put_beside
from lib.core.cycle import CALM, MOST_BYTES, Cycle
from lib.core.parameter_sets import ParameterSets
from sluice_golden import Arrival, CoreModel, Departed, Head
from sluice_golden.core import NewSet, Reset, Ticked
from sluice_golden.tile.model import MOST_RINGS

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence

    from lib.core.bench import CoreBench

_LAST_NS = (1 << 64) - 1
_LATE = 1 << 63  # time that is left behind by a reset: it never runs backwards without one
_MOST_PACKETS = (1 << 18) - 1
_WORDS = 1 << 32
_SIZES = (1, 40, 64, 500, 1000, 1500, 9600, 65535)
_LENGTHS = (1, 3, 10, 30, 100, 500)  # arrivals of a stretch
_BESIDE = 30  # one of so many draws, at most, is put beside a border
_LOOKAHEAD = 40  # arrivals within which a draw must come to matter
_REMEMBERED = 64  # flows that may come again, after a reset too
_IN_VAIN = 250  # walks in a row that read no entry that was still to be read: they lead to none
_PAUSE = 4  # clocks between the end of every other silence and the next arrival
_STEPS_BACK_NS = (1, 2, 4, 4_000, 1_000_000_000, 3_600_000_000_000)


def stepped_back(rng: random.Random, now_ns: int) -> int:
    """The time, or now and then one before it, by any amount."""
    if rng.random() < 0.9:
        return now_ns
    return max(0, now_ns - rng.choice((*_STEPS_BACK_NS, now_ns)))


class Traffic:
    """Plays random traffic on a bench. `beside` counts the draws that were put beside a border."""

    def __init__(self, bench: CoreBench, rng: random.Random) -> None:
        self.bench, self.rng = bench, rng
        self.sets = ParameterSets(rng, bench.model, bench.widths)
        self.before = bench.model.defaults()
        self.beside = 0
        self._now = rng.getrandbits(40)
        self._hears_departures = bench.needs["departed"]
        self._flows: deque[int] = deque(maxlen=_REMEMBERED)
        self._level = 0  # packets queued, as the stretch has it
        self._silences = 0
        self._over = self._link = 0.0  # shares of arrivals that find no room, and of cycles in which the link asks
        self._meeting = 0.0  # share of samples that are of the arrival's own flow

    def play(self, arrivals: int) -> None:
        """Until that many arrivals are judged."""
        bench, rng = self.bench, self.rng
        set_again = 0
        while len(bench.judged) < arrivals:
            if len(bench.judged) >= set_again and bench.can_apply:
                self._apply(self.sets.next(self.before, bench.golden.beside(rng)))
                set_again = len(bench.judged) + rng.choice((50, 500, 1500))
            # A set that was asked for takes effect first: what it toggles counts as toggled.
            if bench.pending is None and (rng.random() < 0.02 or self._now >= _LATE):
                bench.step(Cycle(reset=True))
                self.before, self._now = bench.model.defaults(), rng.getrandbits(40)
            self._stretch(rng.choice(_LENGTHS))

    def toggle_the_rest(self) -> None:
        """Sets that toggle every bit of every parameter that was not toggled so far, with some arrivals each."""
        for values in self.sets.last(self.before):
            while not self.bench.can_apply:
                self.bench.step(Cycle())
            self._apply(values)
            self._stretch(40)

    def walk(self, sets: int, most: int) -> None:
        """Where the model leads with walks of its own, if it knows any, from a reset on: with so many sets, and with more, up to
        the most, while an entry of a table is still to be read and walks lead to such ones."""
        bench, rng = self.bench, self.rng
        if type(bench.golden).walk is CoreModel.walk:
            return
        self._begin_anew()
        unread, read_at = len(bench.golden.unread()), 0
        for number in range(most):
            if (left := len(bench.golden.unread())) < unread:
                unread, read_at = left, number
            if number >= sets and (not unread or number - read_at >= _IN_VAIN):
                break
            over = rng.choice((0.0, 0.001, 0.02)) if self.bench.has_queue else 0.0
            leads_ticks = None  # a walk that begins with a tick leads all of them
            for moment in bench.golden.walk(rng, self._now):
                if leads_ticks is None:
                    leads_ticks = isinstance(moment, Ticked)
                if isinstance(moment, Reset):
                    self._begin_anew()
                    break
                if isinstance(moment, NewSet):
                    in_force = {name: bench.golden.parameters[name] for name in bench.widths}
                    bench.apply(in_force | moment.values)
                    continue
                arrival, leaving = moment if isinstance(moment, tuple) else (moment, None)
                self._now = arrival.now_ns
                if isinstance(arrival, Arrival):  # a walk leads by queues of any length, and ports end somewhere
                    arrival.queue_packets = min(arrival.queue_packets, _MOST_PACKETS)
                    arrival.queue_bytes = min(arrival.queue_bytes, MOST_BYTES)
                    cycle = Cycle(arrival=arrival, is_over=over > 0 and rng.random() < over)
                    if leaving is not None and bench.queued:
                        cycle.departed = self._leaving(leaving)
                    bench.step(cycle if leads_ticks else self._ticking(cycle))
                    continue
                if isinstance(moment, Departed):
                    self._depart(moment)
                    continue
                if isinstance(moment, Ticked):
                    self._tick(moment)
                    continue
                bench.step(Cycle(head=moment))
                bench.idle(bench.head_latency * bench.heads[-1].verdict.restart + rng.choice((0, 0, 1, 2, 3)))
            self.before = self.before | bench.model.lively(rng)
            bench.apply(self.before)

    def _begin_anew(self) -> None:
        """A reset, and any time."""
        self.bench.step(Cycle(reset=True))
        self.before, self._now = self.bench.model.defaults(), self.rng.getrandbits(60)

    def be_reset(self, times: int) -> None:
        """So many resets, each amid what the one before has let come: packets in judgment, ticks at work, sets on their way."""
        bench, rng = self.bench, self.rng
        for _ in range(times):
            bench.step(Cycle(reset=True))
            self.before, self._now = bench.model.defaults(), rng.getrandbits(40)
            livelier = self.before | bench.model.lively(rng)
            if rng.random() < 0.3 and bench.widths and bench.model.is_legal(livelier):
                self._apply(livelier)
                if rng.random() < 0.5:  # the next reset comes about when the set takes effect
                    bench.idle(bench.deriving - rng.randint(0, 4))
                    continue
            self._stretch(rng.choice((1, 5, 30, 60)))

    def _depart(self, wanted: Departed) -> None:
        """A departure of a walk, which says its time and what is left behind: of the oldest packet, as soon as there is one."""
        bench = self.bench
        while not bench.queued and bench.is_settling:
            bench.step(Cycle())
        if bench.queued:
            bench.step(self._ticking(Cycle(departed=self._leaving(wanted))))

    def _leaving(self, wanted: Departed) -> Departed:
        """The oldest packet, as a departure of a walk has it."""
        oldest = self.bench.oldest(wanted.now_ns, is_sent=wanted.is_sent)
        return replace(oldest, queue_packets=wanted.queue_packets, queue_bytes=wanted.queue_bytes)

    def _tick(self, due: Ticked) -> None:
        """A tick of a walk, as soon as the fates of packets are told and it may come; and its work."""
        bench = self.bench
        while bench.is_settling or not bench.can_tick(due.kind):
            bench.step(Cycle())
        bench.step(Cycle(ticks={due.kind: due.now_ns}))
        bench.idle(bench.tick_cycles[due.kind])

    def _apply(self, values: dict[str, int]) -> None:
        self.bench.step(Cycle(parameters=values))
        self.before = values

    def _stretch(self, arrivals: int) -> None:
        """Arrivals of one kind: as dense, as far apart, from as many flows, with as many silences."""
        rng = self.rng
        density = rng.choice((1.0, 1.0, 0.9, 0.3))
        if self.bench.has_queue:
            self._over = rng.choice((0.0, 0.02, 0.3, 1.0))
        if self.bench.head_latency:
            self._link = rng.choice((1.0, 0.9, 0.3))
        if self._hears_departures:
            self._link = rng.choice((1.0, 0.3, 0.1, 0.02))
        if self.bench.model.samples:
            self._meeting = rng.choice((0.0, 0.0, 0.2, 0.9))
        plan = self._plan(arrivals)
        for i, planned in enumerate(plan):
            while rng.random() >= density:
                self._step(Cycle())
            if planned.empty_ns is not None:
                self._silence(planned, planned.empty_ns)
            arrival = planned.arrival
            if arrival.random and self.beside * _BESIDE < len(self.bench.judged) + 300:
                self.beside += put_beside(rng, self.bench.golden, plan[i : i + _LOOKAHEAD])
            self._now = arrival.now_ns
            self._step(Cycle(arrival=arrival, is_over=self.bench.has_queue and rng.random() < self._over))

    def _step(self, cycle: Cycle, *, with_head: bool = True) -> None:
        """A cycle, with ticks, and with a head or a departure for a core that judges or hears them."""
        self._ticking(cycle)
        if self._hears_departures and self.bench.queued and self.rng.random() < self._link:
            # What a core drops at the head departs too, and is not sent.
            is_sent = not self.bench.head_latency or self.rng.random() < 0.9
            cycle.departed = self.bench.oldest(self._now, self._level, is_sent=is_sent)
        if self.bench.head_latency and with_head and self.rng.random() < self._link:
            cycle.head = self._head()
        self.bench.step(cycle)

    def _ticking(self, cycle: Cycle) -> Cycle:
        """The cycle, in one of twenty with a tick of each kind that the core wants."""
        for kind in self.bench.model.ticks:
            if self.bench.can_tick(kind) and self.rng.random() < 0.05:
                cycle.ticks[kind] = self._now
        return cycle

    def _head(self) -> Head:
        """A packet at the head, after a wait and before as many bytes as make a difference."""
        rng, model = self.rng, self.bench.golden
        behind = min(model.aim_behind(rng), MOST_BYTES)
        return Head(
            self._now,
            rng.getrandbits(32),
            rng.choice(_SIZES),
            model.tag(rng, self.bench.needs["tag_bits"]),
            rng.random() < 0.1,
            queue_packets=min(behind, _MOST_PACKETS),
            queue_bytes=behind,
            is_ect=rng.random() < 0.5,
            queued_ns=max(0, self._now - model.wait_ns(rng)),
        )

    def _silence(self, planned: Planned, empty_ns: int) -> None:
        """Until nothing is in judgment or queued; then the link asks in vain, once or a few times."""
        while not self.bench.can_find_empty:
            self._step(Cycle(), with_head=False)
        self._now = empty_ns
        while self._hears_departures and self.bench.queued:
            left = len(self.bench.queued) - 1
            self.bench.step(Cycle(departed=self.bench.oldest(self._now, left and self._level)))
        for number in range(self.rng.choice((1, 1, 2, 3))):
            if number and self.bench.head_latency and self._silences % 2:  # a link that does not ask all the time
                self.bench.idle(1)
            self._step(Cycle(found_empty_ns=self._now, empty_queues=planned.empty_queues), with_head=False)
            self._now = self.rng.randint(self._now, planned.arrival.now_ns)
        self._silences += 1
        if self._silences % 2:  # so that it has to be remembered
            self.bench.idle(_PAUSE)
        if self.bench.needs["rest"] and self._silences % 20 == 0:
            self.bench.idle(CALM + 5)

    def _plan(self, arrivals: int) -> list[Planned]:
        rng, model = self.rng, self.bench.golden
        once, level = model.aim(rng)
        self._level = level
        wander = rng.choice((0.0, 0.0, 1.0, 3.0, level / 8))
        step_bits = model.step_bits(rng)
        silences = rng.choice((0.0, 0.0, 0.05, 0.3))
        is_silent_first = rng.random() < 0.5
        if self._hears_departures:
            silences = rng.choice((0.0, 0.0, 0.3))  # seldom few: before each the queue must become empty
        bytes_each = rng.choice((64, 64, 64, 64, 500, 1500))
        flows = [rng.getrandbits(32) for _ in range(rng.choice((1, 2, 5, 30, 300)))]
        again = min(rng.choice((0, 0, len(flows), len(flows) // 2)), len(self._flows))
        flows[:again] = rng.sample(self._flows, again)
        self._flows.extend(flows[again:])
        flows += [flows[0]] * rng.choice((0, 0, len(flows)))  # one flow that sends more
        # The queue that the model has looked at last, and aims at; any other; or all of them.
        queues = rng.choice(([model.queue], [model.queue], [rng.randrange(model.queues)], range(model.queues)))
        profiles: Sequence[int] = [0]
        if model.profiles:
            profiles = rng.choice(([model.profile], [model.profile], range(model.profiles)))
        idle_queues = range(model.queues if self.bench.needs["idle"] or model.queues <= MOST_RINGS else 0)
        plan, packets, now = [], once, self._now
        for i in range(arrivals):
            if i:
                packets = min(max(0, round(level + rng.gauss(0, wander))), _MOST_PACKETS)
            empty_ns = None
            if rng.random() < silences or (i == 0 and is_silent_first):
                empty_ns = now
                now += model.pause_ns(rng)
                if rng.random() < 0.5:
                    packets = model.aim(rng)[0]
            elif rng.random() < 0.3:
                now += rng.getrandbits(rng.randint(0, step_bits))
            now = min(now, _LAST_NS)
            flow = rng.choice(flows) if rng.random() < 0.9 else rng.getrandbits(32)
            queue = rng.choice(queues)
            empty_queues = [other for other in idle_queues if other == queue or rng.random() < 0.3]
            arrival = Arrival(
                now_ns=now,
                flow=flow,
                size=rng.choice(_SIZES) if rng.random() < 0.7 else rng.randint(1, 65535),
                ecn=rng.choice((0, 0, 0, 1, 2, 3)),
                queue_packets=min(packets, _MOST_PACKETS),
                queue_bytes=min(packets * bytes_each + rng.getrandbits(6), MOST_BYTES) if packets else 0,
                random=tuple(rng.randrange(_WORDS) for _ in range(model.random_words)),
                rtt_us=model.rtt_us(rng),
                limit=rng.getrandbits(18),
                samples=tuple(self._sample(flow, flows) for _ in range(model.samples)),
                queue=queue,
                profile=rng.choice(profiles) if model.profiles else 0,
            )
            plan.append(Planned(arrival, empty_ns, empty_queues))
        return plan

    def _sample(self, flow: int, flows: list[int]) -> int | None:
        """The flow of a queued packet: the arrival's own, or one bit beside it, or any; or none."""
        rng = self.rng
        if rng.random() < self._meeting:
            return flow
        return rng.choice((flow ^ 1 << rng.randrange(32), rng.choice(flows), None))
