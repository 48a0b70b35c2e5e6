# SPDX-License-Identifier: Apache-2.0
"""What every golden model of a core offers: the contract of a core as Python."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Literal

from sluice_golden.blocks.state import State

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator, Mapping, Sequence

    from sluice_golden.blocks.table import Table

Action = Literal["pass", "mark", "drop"]
Fate = Literal["accepted", "refused", "over the limit", "pushed out"]

_RTT_BITS = 22
MOST_RTT_US = (1 << _RTT_BITS) - 1
"""A round-trip time of as many microseconds or more."""


@dataclass(frozen=True, slots=True)
class Packet:
    """A packet as the tile is offered it."""

    flow: int
    size: int
    ecn: int
    rtt_us: int = 0
    cookie: int = 0
    queue: int = 0
    dscp: int = 0


@dataclass(slots=True)
class Arrival:
    """A packet that asks to be queued, with all that a core may look at.

    ``now_ns``: 64 bits. ``ecn``: the packet's ECN field. ``queue_packets``, ``queue_bytes``: of its queue, accepted and neither
    departed nor thrown out, before this packet. ``rtt_us``: of its flow, 22 bits, 0 where it is not known and the highest where
    it is as long or longer. ``limit``: the tile's, in packets. ``random``: fresh 32-bit words in the order of drawing.
    ``samples``: flows of uniformly drawn queued packets, None where none was found. ``queue``: its number, where the core knows
    of several. ``profile``: the number of that of its colour in its queue, where there are some.
    """

    now_ns: int
    flow: int
    size: int
    ecn: int
    queue_packets: int
    queue_bytes: int
    random: tuple[int, ...] = field(default=())
    rtt_us: int = 0
    limit: int = 0
    samples: tuple[int | None, ...] = field(default=())
    queue: int = 0
    profile: int = 0

    @property
    def ect(self) -> bool:
        """Whether the packet is ECN-capable."""
        return self.ecn != 0


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is to become of a packet; ``reason`` is empty for a pass.

    On an arrival, ``victim`` is the number of the sample that is thrown out too, only with a drop, and ``tag`` travels with the
    packet. At the head, ``restart`` says that heads presented before this verdict was known come again.
    """

    action: Action
    reason: str = ""
    victim: int | None = None
    tag: int = 0
    restart: bool = False

    def __post_init__(self) -> None:
        assert self.victim is None or self.action == "drop", f"a victim comes only with a drop: {self}"


@dataclass(slots=True)
class Moment:
    """What happens to a packet after it was judged. ``queue_packets``, ``queue_bytes``: what an arrival right after it would
    find; at the head: how much is queued behind it."""

    now_ns: int
    flow: int
    size: int
    tag: int = 0
    is_ce: bool = False
    queue_packets: int = 0
    queue_bytes: int = 0
    queue: int = 0


@dataclass(slots=True)
class Settled(Moment):
    """What became of a packet that was judged, or that lay in the queue and was pushed out."""

    fate: Fate = "accepted"


@dataclass(slots=True)
class Departed(Moment):
    """A packet has left at the head: sent, or dropped there."""

    is_sent: bool = True


@dataclass(slots=True)
class Head(Moment):
    """The oldest packet, when the link asks for it. ``queued_ns``: the time of its arrival."""

    is_ect: bool = False
    queued_ns: int = 0


@dataclass(slots=True)
class Ticked:
    """A kind of tick is due: what a model leads to."""

    now_ns: int
    kind: str


class Reset:
    """A reset: what a model leads to, as the end of a walk."""


@dataclass(frozen=True, slots=True)
class NewSet:
    """Raw values that some parameters have for the rest of a walk: what a model leads to."""

    values: dict[str, int]


PASS = Verdict("pass")


class CoreModel(State, ABC):
    """Exact integer model of one core. Parameters are raw register values."""

    name: ClassVar[str]
    reasons: ClassVar[tuple[Verdict, ...]] = ()
    """Every verdict but a pass, in the order of the reasons' codes."""
    head_reasons: ClassVar[tuple[Verdict, ...]] = ()
    """Every verdict at the head but a pass; their reasons' codes follow on those of `reasons`."""
    head_status: ClassVar[frozenset[str]] = frozenset()
    """Status values that belong to the heads: as the last head has left them, where others are as the last arrival has."""
    random_words: ClassVar[int] = 0
    has_rtt: ClassVar[bool] = False
    """It asks for the round-trip time of each arrival's flow; no other may look at that."""
    queues: ClassVar[int] = 1
    """For how many queues it keeps state of its own; 1: it does not know of them."""
    queue: int = 0
    """The one whose state it shows and aims at: the last arrival's."""
    profiles: ClassVar[int] = 0
    """Profiles by which packets are judged, of which each queue has one."""
    profile: int = 0
    """The one that it aims at: that of the last set of parameters."""
    chooses_queue: ClassVar[bool] = False
    """It says itself to which queue a packet goes, by the packet alone."""
    gives_quanta: ClassVar[bool] = False
    """It gives the scheduler each queue's quantum."""
    picks_late: ClassVar[bool] = False
    """The scheduler picks a packet when the link has taken the one before, and no sooner."""
    samples: ClassVar[int] = 0
    """Queued packets to look at with each arrival."""
    takes_victims: ClassVar[bool] = False
    """A drop may throw a sampled packet out of the queue too."""
    ticks: ClassVar[tuple[str, ...]] = ()
    """Kinds of ticks; of those that come in one cycle the first is first."""
    tables: ClassVar[tuple[Table, ...]] = ()
    """Tables of which a test of the core must read every entry."""

    def __init__(self) -> None:
        self.parameters: dict[str, int] = self.defaults()
        self.derive()

    @staticmethod
    @abstractmethod
    def defaults() -> dict[str, int]:
        """Raw values after reset."""

    @staticmethod
    def is_legal(parameters: Mapping[str, int]) -> bool:
        """Whether a set of raw values is accepted."""
        del parameters
        return True

    def derive(self) -> None:
        """Recomputes what follows from the parameters."""

    def apply(self, parameters: Mapping[str, int]) -> None:
        """A new set takes effect, between two arrivals. State stays."""
        self.parameters = dict(parameters)
        self.derive()

    @abstractmethod
    def arrive(self, arrival: Arrival) -> Verdict:
        """Judges one packet."""

    def queue_of(self, packet: Packet) -> int:
        """The queue of a packet, of a core that chooses it."""
        raise NotImplementedError(f"{self.name} chooses the queue of {packet} and does not say which")

    def quanta(self) -> tuple[int, ...]:
        """Bytes that each queue may send on its turn, from now on, of a core that gives them."""
        raise NotImplementedError(f"{self.name} gives quanta and does not say how many bytes")

    def found_empty(self, now_ns: int) -> None:
        """The link asked for a packet while nothing was queued or in judgment."""

    def found_queues_empty(self, now_ns: int, queues: Sequence[int]) -> None:
        """The same of these queues, for a core that keeps state by queue. Here of the only one."""
        assert list(queues) == [0], f"{self.name} knows of one queue, not of {queues}"
        self.found_empty(now_ns)

    def settled(self, settled: Settled) -> None:
        """The fate of a judged packet, or of one that was pushed out of the queue."""

    def departed(self, departed: Departed) -> None:
        """A packet has left the queue at its head."""

    def head(self, head: Head) -> Verdict:
        """Judges the packet that the link asked for."""
        del head
        return PASS

    def interval_ns(self, kind: str) -> int:
        """From the time when a tick of a kind is due to when the next one is."""
        raise NotImplementedError(f"{self.name} has a tick {kind} and does not say how often")

    def tick(self, kind: str, now_ns: int) -> None:
        """An interval has passed: works out what changes, from the state that all before has left."""

    def settle(self, kind: str) -> None:
        """What the last tick of a kind has worked out takes effect, from now on."""

    def status(self) -> dict[str, int]:
        """Raw status values after the last arrival."""
        return {}

    def head_view(self) -> dict[str, int]:
        """What the last head was judged by, raw, by the names of the core's views of heads."""
        return {}

    def view(self) -> dict[str, int]:
        """What the last arrival was judged by, raw, by the names of the core's views. What did not matter to it is left out."""
        return {}

    # --- for tests, which want traffic at which something happens ---

    def unread(self) -> list[tuple[str, int]]:
        """Entries that nothing has read of the tables of which a test must read every one: name of the table, and index."""
        return [(table.name, index) for table in self.tables for index, reads in enumerate(table.reads) if not reads]

    def aim(self, rng: random.Random) -> tuple[int, int]:
        """Two numbers of queued packets: the first, seen by one arrival, brings the model from its present state to where its
        verdict depends on something, the second, seen by those after it, keeps it there. Here any."""
        return tuple(rng.getrandbits(rng.randint(0, 18)) for _ in range(2))  # type: ignore[return-value]

    def beside(self, rng: random.Random) -> dict[str, int]:
        """Parameters right beside what they are compared with now. Here none."""
        del rng
        return {}

    @classmethod
    def lively(cls, rng: random.Random) -> dict[str, int]:
        """Parameters with which a draw often changes the verdict, where the defaults are calm; any that are not here may be."""
        del rng
        return {}

    def rtt_us(self, rng: random.Random) -> int:
        """A round-trip time that makes a difference. Here any, short or long, and often none or the longest."""
        kind, any_us = divmod(rng.getrandbits(_RTT_BITS + 2), MOST_RTT_US + 1)
        return (0, MOST_RTT_US, any_us >> any_us % _RTT_BITS, any_us)[kind]

    def wait_ns(self, rng: random.Random) -> int:
        """A time in the queue that makes a difference to a head. Here any, short or long."""
        return rng.getrandbits(rng.randint(0, 40))

    def tag(self, rng: random.Random, bits: int) -> int:
        """What a core that gave a packet so many bits finds them to be at the head, if they make a difference. Here any."""
        return rng.getrandbits(bits)

    def aim_behind(self, rng: random.Random) -> int:
        """Bytes behind a head that make a difference. Here any."""
        return rng.getrandbits(rng.randint(0, 26))

    def walk(
        self, rng: random.Random, now_ns: int
    ) -> Iterator[Arrival | Head | Departed | tuple[Arrival, Departed] | Ticked | NewSet | Reset]:
        """Arrivals, heads, departures, an arrival and a departure of one clock, ticks, parameters or at last a reset, from a time
        on, that lead where random ones seldom do; the next one is drawn when the one before has happened. Of a departure counts
        when it is, whether the packet is sent and what is left behind; the packet is the oldest accepted one. A walk that begins
        with a tick leads all of them, in others some come by chance. Here none."""
        del rng, now_ns
        return iter(())

    def step_bits(self, rng: random.Random) -> int:
        """Bits of the time between two arrivals; heads take part in the same time. Here any, from none to all."""
        return rng.choice((0, 3, 10, 20, 34, 64))

    def pause_ns(self, rng: random.Random) -> int:
        """A time between two events that makes a difference. Here any of 64 bits, short or long, or just one of the bits."""
        return rng.choice((rng.getrandbits(rng.randint(0, 64)), 1 << rng.randrange(64)))
