# SPDX-License-Identifier: Apache-2.0
"""What every golden model of a core offers: the contract of a core as Python."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Literal

if TYPE_CHECKING:
    import random
    from collections.abc import Mapping
    from typing import Self

    from sluice_golden.table import Table

Action = Literal["pass", "mark", "drop"]


@dataclass(frozen=True, slots=True)
class Arrival:
    """A packet that asks to be queued, with all that a core may look at.

    ``now_ns``: 64 bits. ``queue_packets``, ``queue_bytes``: accepted and not departed, before this packet. ``random``: fresh
    32-bit words in the order of drawing. ``sample_flow``: flow of one uniformly drawn queued packet, None if none is queued.
    """

    now_ns: int
    flow: int
    size: int
    ect: bool
    queue_packets: int
    queue_bytes: int
    random: tuple[int, ...] = field(default=())
    rtt_us: int = 0
    sample_flow: int | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is to become of a packet; ``reason`` is empty for a pass."""

    action: Action
    reason: str = ""


PASS = Verdict("pass")


class CoreModel(ABC):
    """Exact integer model of one core. Parameters are raw register values."""

    name: ClassVar[str]
    reasons: ClassVar[tuple[Verdict, ...]] = ()
    """Every verdict but a pass, in the order of the reasons' codes."""
    random_words: ClassVar[int] = 0
    tick_period: ClassVar[str] = ""
    """The parameter that holds the period of ticks in ns; empty for a core without ticks."""
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

    def found_empty(self, now_ns: int) -> None:
        """The link asked for a packet while nothing was queued or in judgment."""

    def tick(self, now_ns: int) -> None:
        """The declared period has passed: works out what changes, from the state that all arrivals before have left."""

    def settle(self) -> None:
        """What the last tick has worked out takes effect, for the arrivals from now on."""

    def status(self) -> dict[str, int]:
        """Raw status values after the last arrival."""
        return {}

    def view(self) -> dict[str, int]:
        """What the last arrival was judged by, raw, by the names of the core's views. What did not matter to it is left out."""
        return {}

    # --- for tests, which look ahead with copies and want traffic at which something happens ---

    def fork(self) -> Self:
        """A copy that goes its own way. A model whose state has containers copies these too."""
        return copy.copy(self)

    def aim(self, rng: random.Random) -> tuple[int, int]:
        """Two numbers of queued packets: the first, seen by one arrival, brings the model from its present state to where its
        verdict depends on something, the second, seen by those after it, keeps it there. Here any."""
        return tuple(rng.getrandbits(rng.randint(0, 18)) for _ in range(2))  # type: ignore[return-value]

    @classmethod
    def lively(cls, rng: random.Random) -> dict[str, int]:
        """Parameters with which a draw often changes the verdict, where the defaults are calm; any that are not here may be."""
        del rng
        return {}

    def pause_ns(self, rng: random.Random) -> int:
        """A time between two events that makes a difference. Here any of 64 bits, short or long, or just one of the bits."""
        return rng.choice((rng.getrandbits(rng.randint(0, 64)), 1 << rng.randrange(64)))
