# SPDX-License-Identifier: Apache-2.0
"""Queue disciplines that the kernel and the RTL both have: in tc's words, and as the tile's parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sluice.errors import UserError


@dataclass(frozen=True)
class Discipline:
    """One of both.

    `words` are tc's, where `{avpkt}` is the mean frame in bytes and a number with `*avpkt` so many of them. `settings` are of the
    tile `config`, beside `idle_rate` where it has that, and all else at its default. `shown` is what tc must show of the
    kernel's arithmetic for the two to be the same. `tick_ns`: both work between packets, so often.
    """

    name: str
    kind: str
    words: str
    config: str
    settings: Mapping[str, float]
    shown: Mapping[str, float] = field(default_factory=dict)
    tick_ns: int = 0

    @property
    def module(self) -> str:
        """The kernel's, below `kernel`."""
        return f"net/sched/sch_{self.kind}"

    def tc(self, avpkt: int, rate: str) -> str:
        """tc's words for a link of this rate that carries frames of this mean size."""
        words = self.words.format(avpkt=avpkt, rate=rate).split()
        return " ".join([self.kind, *(_product(word) for word in words)])


def _product(word: str) -> str:
    """A number with its factor, multiplied."""
    number, star, factor = word.partition("*")
    return str(int(number) * int(factor)) if star else word


# Linux's RED drops all above its greatest threshold and marks instead, if it may, at any probability; it has no second slope. An
# average of 2^-5 is tc's from `burst`: it says so as `ewma`.
_RED = {"min": 30, "max": 90, "probability": 0.02, "weight_exponent": 5, "limit": 400}
_CODEL = {"limit": 1000, "ecn": 1, "mark_most": 255, "min_bytes": 1514}
_PIE = {"limit": 1000, "tupdate": 30_000_000, "decay_empty": 1, "late_delay": 250_000_000}

DISCIPLINES = (
    Discipline(
        "red",
        "red",
        "limit 400*{avpkt} min 30*{avpkt} max 90*{avpkt} avpkt {avpkt} burst 55 probability 0.02 bandwidth {rate}",
        "red",
        {**_RED, "gentle": 0, "wait": 0},
        {"ewma": 5},
    ),
    Discipline(
        "red-ecn",
        "red",
        "limit 400*{avpkt} min 30*{avpkt} max 90*{avpkt} avpkt {avpkt} burst 55 probability 0.02 bandwidth {rate} ecn",
        "red",
        {**_RED, "gentle": 0, "wait": 0, "ecn": 1, "mark_most": 1, "hard_drop": 0},
        {"ewma": 5},
    ),
    Discipline("codel", "codel", "limit 1000 target 5ms interval 100ms", "codel", {**_CODEL, "ecn": 0}),
    Discipline("codel-ecn", "codel", "limit 1000 target 5ms interval 100ms ecn", "codel", _CODEL),
    # The kernel here counts time in steps of 10 ms, and a timer comes a step later than it was asked for: 30 ms for 20.
    Discipline("pie", "pie", "limit 1000 target 15ms tupdate 20ms noecn", "pie", _PIE, tick_ns=30_000_000),
    Discipline(
        "pie-ecn", "pie", "limit 1000 target 15ms tupdate 20ms ecn", "pie", {**_PIE, "ecn": 1}, tick_ns=30_000_000
    ),
    Discipline(
        "choke",
        "choke",
        "limit 400 min 30 max 90 avpkt {avpkt} burst 55 probability 0.02 bandwidth {rate}",
        "choke",
        _RED,
        {"ewma": 5},
    ),
)


def named(names: tuple[str, ...]) -> list[Discipline]:
    """Those of these names, or all."""
    known = {discipline.name: discipline for discipline in DISCIPLINES}
    for name in names:
        if name not in known:
            raise UserError(f"no discipline '{name}' that both have; known: {', '.join(known)}")
    return [known[name] for name in names] if names else list(DISCIPLINES)
