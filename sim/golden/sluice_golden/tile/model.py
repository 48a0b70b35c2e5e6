# SPDX-License-Identifier: Apache-2.0
"""The tile around a core, cycle by cycle: what an arrival sees, when a packet counts, the limits, the counters.

Time is counted in clock cycles. An arrival of cycle c sees the occupancy of cycle c, and where its core looks into the queue,
the queue of cycle c; its core judges it in cycle c + 1 + core latency, later by the time of that look, and if it is accepted it
counts from the next cycle on, in which its verdict is on the port. A packet that leaves in cycle d counts no more from d + 3 on;
in a tile whose core throws packets out, from d + 4 on, and in one of many queues from d + 11 on. A packet that is thrown out
counts no more seven cycles after the verdict that did it. A tick that the time of cycle c makes due acts before the arrivals of
cycle c + 1. What a core hears of its packets it hears in the cycle before the first arrival that finds the queue so changed.
Of several queues an arrival sees its own.

Time is the latest that was presented: where it steps back it stands still until it is as late again.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from sluice_golden.blocks.taus88 import DEFAULT_SEEDS, Taus88
from sluice_golden.core import Arrival, CoreModel, Fate, Packet, Verdict
from sluice_golden.tile.counters import Counters
from sluice_golden.tile.hearing import ARRIVAL, IDLE, SETTLED, THROWN, Hearing
from sluice_golden.tile.judgment import InJudgment, Judged, OfQueue
from sluice_golden.tile.many_queues.colours import colour_of, profile_of
from sluice_golden.tile.many_queues.fair_lists import FairLists
from sluice_golden.tile.many_queues.lists import LATER, LEVELS, LOOKING, Lists
from sluice_golden.tile.many_queues.queue_hash import hashed_queue
from sluice_golden.tile.queue import PUSHED_OUT, AskedQueue, Left, Limits, Queued
from sluice_golden.tile.queues import DeficitRoundRobin, Queues, Strict
from sluice_golden.tile.ring import Ring
from sluice_golden.tile.ticks import Ticks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

OVERLIMIT = Verdict("drop", "Overlimit drop")
MARGIN = 16
"""Places of the ring that stay free."""
MOST_RINGS = 8
"""Queues that may have a ring each; more are lists."""
SAMPLING = 7
"""Cycles by which a core that looks into the queue sees everything later."""
_FALLING = 3
"""Cycles from a verdict to the fall of its victim."""


class TileModel:
    """A tile around a core's model. Call the methods of one cycle in the order in which they stand here."""

    def __init__(
        self,
        core: CoreModel,
        core_latency: int,
        limit: int,
        limit_bytes: int,
        *,
        tick_cycles: Mapping[str, int] | None = None,
        head_latency: int = 0,
        ring_packets: int = 1024,
        queues: Sequence[Limits] = (),
        scheduler: str = "fifo",
        queue_secret: int | None = None,
        dscp_colours: int = 0,
    ) -> None:
        self.core = core
        self.core_latency = core_latency
        self._ticks = Ticks(core, tick_cycles or {}, core_latency)
        self.tickers = self._ticks.tickers
        self.is_held = False
        """A set of parameters waits to take effect, and no tick begins."""
        self.limit, self.limit_bytes = limit, limit_bytes
        self.limits_of_queues = list(queues)
        self.of_queues = [OfQueue() for _ in queues]
        self.queue_secret = queue_secret
        """That under which a flow's queue is chosen, if it is chosen so."""
        self.dscp_colours = dscp_colours
        """The table by which a packet has a colour, where its queue has a profile of each."""
        self.is_listed = len(queues) > MOST_RINGS
        levels = LEVELS if scheduler == "levels" else 1
        self.lists = Lists(len(queues), levels) if self.is_listed and not head_latency else None
        self.fair = FairLists(core, head_latency, len(queues)) if self.is_listed and head_latency else None
        if self.is_listed:
            self.places_of_queue = self.places = ring_packets - MARGIN
        else:
            self.places_of_queue = (ring_packets >> max(0, len(queues) - 1).bit_length()) - MARGIN
            self.places = self.places_of_queue * max(1, len(queues))
        self.rings = None
        if queues and not self.is_listed:
            disciplines = {"drr": lambda: DeficitRoundRobin(len(queues)), "strict": Strict}
            self.rings = Queues(len(queues), disciplines[scheduler](), picks_late=core.picks_late)
        self.scheduled = self.lists or self.rings
        self.generator = Taus88(DEFAULT_SEEDS)
        self.packets = self.bytes = self.taken = 0
        is_asked = head_latency or core.takes_victims
        self.asked = self.fair or (AskedQueue(core, head_latency) if is_asked else None)
        ring = Ring()
        self._drawn = self.asked if isinstance(self.asked, AskedQueue) else ring
        self._storage = self.asked or self.scheduled or ring
        self._entering = 0 if not self.asked else _FALLING if core.takes_victims else 1  # cycles
        self.counters = Counters(has_queues=bool(queues))
        self.thrown: Queued | None = None
        """The packet that is thrown out in this cycle."""
        self.now_ns = 0
        self._hearing = Hearing(core, SAMPLING if core.samples else LOOKING if self.is_listed else 0)
        self._offered, self._left, self._asks = 0, 0, False
        self._judging: deque[InJudgment] = deque()
        self._leaving: deque[tuple[int, Left]] = deque()  # with the last cycle in which it counts
        self._victims: deque[tuple[int, Queued]] = deque()  # with the cycle in which it falls
        self._falling: deque[tuple[int, Queued]] = deque()  # with the last cycle in which it counts

    def apply(
        self,
        limit: int,
        limit_bytes: int,
        seeds: tuple[int, int, int] | None,
        queues: Sequence[Limits] = (),
        queue_secret: int | None = None,
        dscp_colours: int = 0,
    ) -> None:
        """A new set of the tile's own parameters, for arrivals and turns from this cycle on. The core's is
        :meth:`apply_core`."""
        self.limit, self.limit_bytes = limit, limit_bytes
        self.limits_of_queues = list(queues)
        self.queue_secret, self.dscp_colours = queue_secret, dscp_colours
        if seeds is not None:
            self.generator = Taus88(seeds)

    def apply_core(self, parameters: Mapping[str, int]) -> None:
        """A new set of the core's parameters. A new period begins with it."""
        self._ticks.apply(parameters)

    def begin(self, cycle: int, now_ns: int) -> None:
        """Begins this cycle, with the time that is presented in it, which may step back: ticks, for a core that wants them."""
        before_ns = self.now_ns
        self.now_ns = max(self.now_ns, now_ns)
        self._hearing.begin(self.now_ns)
        self._ticks.begin(cycle, self._hearing.seen_ns, before_ns, is_held=self.is_held)
        self._left, self._asks = 0, False

    def is_idle(self) -> bool:
        """Nothing is queued and nothing in judgment, as of this cycle's start."""
        return self.packets == 0 and self._offered == 0

    @property
    def holds(self) -> int:
        """Packets that are accepted and have not left."""
        return self._storage.holds

    def found_empty(self, cycle: int, arriving: Packet | None) -> None:
        """The link wants a packet in a cycle in which this one arrives, or none: a core hears of it if nothing is there."""
        if self.core.queues == 1:
            if self.is_idle() and arriving is None:
                self._hearing.at(cycle + self._hearing.wait, IDLE, lambda: self.core.found_empty(self._hearing.seen_ns))
            return
        coming = None if arriving is None else self._queue_of(arriving)
        empty = [i for i, its in enumerate(self.of_queues) if its.packets == its.offered == 0 and i != coming]
        if empty:
            self._hearing.at(cycle, IDLE, lambda: self.core.found_queues_empty(self._hearing.seen_ns, empty))

    def arrive(self, cycle: int, packet: Packet) -> None:
        """A packet is offered in this cycle."""
        self._offered += 1
        queue = self._queue_of(packet)
        its = self._occupancy(queue)
        if self.of_queues:
            self.of_queues[queue].offered += 1
        words = tuple(self.generator.draw() for _ in range(self.core.random_words))
        looks = [self._drawn.draw(self.generator.draw, cycle) for _ in range(self.core.samples)]
        packets, queued, now_ns = its.packets, its.bytes, self.now_ns
        profile = 0
        if self.core.profiles:
            colour = colour_of(packet.dscp, self.dscp_colours)
            profile = profile_of(self.limits_of_queues[queue].profiles, colour, self.core.profiles)

        def judge() -> None:
            drawn = [look() for look in looks]
            arrival = Arrival(
                now_ns=now_ns,
                flow=packet.flow,
                size=packet.size,
                ecn=packet.ecn,
                queue_packets=packets,
                queue_bytes=queued,
                random=words,
                rtt_us=packet.rtt_us,
                limit=self.limit,
                samples=tuple(entry.flow if entry else None for entry in drawn),
                queue=queue,
                profile=profile,
            )
            verdict = self.core.arrive(arrival)
            victim = None if verdict.victim is None else drawn[verdict.victim]
            commit = cycle + 1 + self._hearing.wait + self.core_latency
            limits = self.limits_of_queues[queue] if self.limits_of_queues else None
            self._judging.append(
                InJudgment(packet, now_ns, verdict, victim, queue, commit, self.limit, self.limit_bytes, limits)
            )

        self._hearing.at(cycle + self._hearing.wait, ARRIVAL, judge)

    def _occupancy(self, queue: int) -> TileModel | OfQueue:
        """Who knows what is queued of a queue."""
        return self.of_queues[queue] if self.of_queues else self

    def _queue_of(self, packet: Packet) -> int:
        """The number of a packet's queue: the core's choice, its flow's hash, or what the arrival says, where one too high means
        the last."""
        if self.core.chooses_queue:
            return self.core.queue_of(packet)
        if self.queue_secret is not None:
            return hashed_queue(packet.flow, self.queue_secret, len(self.of_queues).bit_length() - 1)
        return min(packet.queue, max(0, len(self.of_queues) - 1))

    def ask(self) -> None:
        """The link asks for a packet in this cycle."""
        self._asks = True

    def leave(self, cycle: int) -> Left:
        """The oldest packet leaves in this cycle: to the link, or because it was dropped in the queue."""
        self._left = 1
        left = self._storage.leave()
        later = LATER if self.is_listed else self.core.takes_victims
        self._leaving.append((cycle + 2 + later, left))
        return left

    def finish(self, cycle: int) -> Judged | None:
        """Ends this cycle; the verdict on the port in the next one."""
        judged = self._commit(cycle)
        if self.asked:
            if self.fair:
                self.fair.limits = self.limits_of_queues
            else:
                self._throw_out(cycle)
            self.asked.fetch(cycle, self._left, asks=self._asks)
        if self.lists:
            self.lists.finish(cycle, self._left, self.limits_of_queues)
        if self.rings:
            given = self.core.quanta() if self.core.gives_quanta else None
            self.rings.finish(cycle, self._left, given or [limits.quantum for limits in self.limits_of_queues])
        self._subtract(cycle)
        self._hearing.finish(cycle)
        if self.asked:
            self.asked.finish(cycle, self._hearing.seen_ns)
        return judged

    def _commit(self, cycle: int) -> Judged | None:
        if not self._judging or self._judging[0].commit_cycle != cycle:
            return None
        judged = self._judging.popleft()
        self._offered -= 1
        packet, verdict = judged.packet, judged.verdict
        entry = Queued.of(packet, verdict, judged.offered_ns, judged.queue)
        if verdict.action != "drop" and not self._fits(judged):
            verdict = OVERLIMIT
        self.counters.judged(entry, verdict)
        if verdict.action != "drop":
            self._enter(cycle, entry)
        elif judged.victim is not None:
            self._victims.append((cycle + _FALLING, judged.victim))
        fate: Fate = "accepted"
        if verdict.action == "drop":
            fate = "over the limit" if verdict is OVERLIMIT else "refused"
        self._hearing.settled(cycle, SETTLED, entry, self._occupancy(entry.queue), fate)
        if self.of_queues:
            self.of_queues[entry.queue].offered -= 1
        return Judged(verdict, packet.cookie, entry.queue)

    def _fits(self, judged: InJudgment) -> bool:
        has_place = not self.core.takes_victims or self.taken < self.places
        return has_place and judged.fits(self, self._occupancy(judged.queue))

    def _enter(self, cycle: int, entry: Queued) -> None:
        self._recount(1, entry)
        self.taken += 1
        self._storage.push(cycle + self._entering, entry)

    def _throw_out(self, cycle: int) -> None:
        assert isinstance(self.asked, AskedQueue)
        self.thrown = None
        while self._victims and self._victims[0][0] == cycle:
            victim = self._victims.popleft()[1]
            if self.asked.throw_out(cycle, victim):
                self.thrown = victim
                self._falling.append((cycle + _FALLING, victim))

    def _subtract(self, cycle: int) -> None:
        """What counts no more from the next cycle on."""
        while self._leaving and self._leaving[0][0] == cycle:
            left = self._leaving.popleft()[1]
            self.taken -= 1
            if left.packet.thrown_at is None:
                self._recount(-1, left.packet)
                self.counters.left(left)
                self._hearing.departed(cycle, left, self._occupancy(left.packet.queue))
        while self._falling and self._falling[0][0] == cycle:
            victim = self._falling.popleft()[1]
            self._recount(-1, victim)
            self.counters.dropped_in_queue(victim, PUSHED_OUT)
            self._hearing.settled(cycle, THROWN, victim, self._occupancy(victim.queue), "pushed out")

    def _recount(self, change: int, packet: Queued) -> None:
        """One more packet counts as queued, or one less."""
        self.packets += change
        self.bytes += change * packet.size
        if self.of_queues:
            its = self.of_queues[packet.queue]
            its.packets += change
            its.bytes += change * packet.size
