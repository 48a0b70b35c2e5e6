# SPDX-License-Identifier: Apache-2.0
"""What GREEN makes of a window that is over: the link's utilisation, gamma and the reach K.

A window has so many flows N, departed bytes, and a time from its first arrival to the next one's. U = bytes / (L time); gamma
goes down by a twentieth if the buffer overflowed, else up by (1 + U) / (2 U) if U is below what is wanted, and doubled if all
packets were refused and none left: the paper's rule has no value there, and it would last for as long as they come. And
K = N MSS c / (gamma L), the round-trip time up to which every packet is dropped. Three divisions, each rounded down, and no
more than its width holds; one by 0 gives the most of all.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sluice_golden.blocks.state import State

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sluice_golden.core import Fate

GAMMA_FRACTION = 20
UTILISATION_FRACTION = 20
REACH_FRACTION = 16
ELAPSED_BITS = 36
_CAPACITY_FRACTION = 28
_UTILISATION_BITS, _REACH_BITS = 22, 38
_GAMMA_BITS = 27
_SHARE_DROPPED_BITS = 12  # of gamma L
_BYTES_STOP = 1 << 39


@dataclass
class Window(State):
    """A window so far: bytes that have left, until they are too many, whether a packet found no room, whether packets were
    refused by GREEN, or let in, and when it began."""

    departed: int = 0
    is_overflowed: bool = False
    has_refused: bool = False
    has_let_in: bool = False
    begin_ns: int = 0

    @property
    def is_closed(self) -> bool:
        """Packets came, and all were refused."""
        return self.has_refused and not self.has_let_in

    def view(self) -> dict[str, int]:
        """By the names of the core's views."""
        return {name: int(value) for name, value in vars(self).items()}

    def settle(self, fate: Fate) -> None:
        """What became of a packet that came."""
        self.is_overflowed |= fate == "over the limit"
        self.has_refused |= fate == "refused"
        self.has_let_in |= fate != "refused"

    def depart(self, size: int) -> None:
        """A packet has left."""
        if self.departed < _BYTES_STOP:
            self.departed += size


@dataclass(frozen=True, slots=True)
class Rate:
    """What holds until the next window is over: N Q14.8, U Q2.20, gamma Q7.20, K in microseconds Q22.16. ``windows``: how many
    had departed bytes, up to as many as a start can be frozen. ``view``: what the last window held, and what was made of it
    before it was rounded or chosen from, by the names of the core's views; nothing before a window was over."""

    flows: int = 0
    utilisation: int = 0
    gamma: int = 1 << GAMMA_FRACTION
    reach: int = 0
    windows: int = 0
    view: dict[str, int] = field(default_factory=dict)

    MOST_FLOWS = (1 << 22) - 1
    MOST_WINDOWS = (1 << 12) - 1

    def after(self, window: Window, elapsed_ns: int, flows: int, parameters: Mapping[str, int]) -> Rate:
        """The next one."""
        p = parameters
        could_leave = min(elapsed_ns, (1 << ELAPSED_BITS) - 1) * p["capacity"]
        use = window.departed << UTILISATION_FRACTION, could_leave >> _CAPACITY_FRACTION
        used = divide(*use, _UTILISATION_BITS)
        raising = self.gamma * ((1 << UTILISATION_FRACTION) + used), 2 * used
        raised, lowered = divide(*raising, _GAMMA_BITS), self.gamma * p["decrease"]
        is_starved = used == 0 and window.is_closed
        moved = gamma = self.gamma
        if is_starved:
            moved = min(2 * gamma, (1 << _GAMMA_BITS) - 1)
        elif window.is_overflowed:
            moved = lowered >> 16
        elif 0 < used < p["wanted"] << 4:
            moved = raised
        if is_starved or self.windows >= p["freeze"]:
            gamma = min(max(moved, p["gamma_min"]), p["gamma_max"])
        share = gamma * p["capacity"]
        reaching = flows * p["segment"] << 30, share >> _SHARE_DROPPED_BITS
        view = {
            **window.view(),
            "elapsed_ns": elapsed_ns,
            "could_leave": could_leave,
            **rest("utilisation", use),
            "raised": raised,
            **rest("raised", raising),
            "lowered": lowered,
            "moved": moved,
            "share": share,
            **rest("reach", reaching),
        }
        windows = min(self.windows + (used > 0), self.MOST_WINDOWS)
        return Rate(flows, used, gamma, divide(*reaching, _REACH_BITS), windows, view)


def divide(dividend: int, divisor: int, bits: int) -> int:
    """A quotient, rounded down, and no more than its width holds; one by 0 is the most of all."""
    most = (1 << bits) - 1
    return min(dividend // divisor, most) if divisor else most


def rest(name: str, division: tuple[int, int]) -> dict[str, int]:
    """What a division leaves, as a view; one by 0 does not matter."""
    dividend, divisor = division
    return {f"{name}_rest": dividend % divisor} if divisor else {}
