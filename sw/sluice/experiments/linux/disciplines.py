# SPDX-License-Identifier: Apache-2.0
"""Queue disciplines that the kernel and the RTL both have: tc's words, and the tile's parameters that they mean."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from sluice.driver.tc.kinds import KINDS
from sluice.hardware import catalog
from sluice.support.errors import UserError


@dataclass(frozen=True)
class Discipline:
    """One of both.

    `words` are tc's for frames of a mean size in bytes on a link of a rate in bit/s. What they mean to the tile `config` says
    `sluice tc`, but for `settings`. `tick_ns`: both work between packets, so often.
    """

    name: str
    kind: str
    words: Callable[[int, int], str]
    config: str
    settings: Mapping[str, float] = field(default_factory=dict)
    tick_ns: int = 0

    @property
    def module(self) -> str:
        """The kernel's, below `kernel`."""
        return f"net/sched/sch_{self.kind}"

    def parameters(self, avpkt: int, rate_bps: int) -> dict[str, float]:
        """Of the tile, in their units."""
        return {**KINDS[self.kind].settings(self.words(avpkt, rate_bps).split()), **self.settings}


def _red(avpkt: int, rate_bps: int) -> str:
    sizes = f"limit {400 * avpkt} min {30 * avpkt} max {90 * avpkt} avpkt {avpkt}"
    return f"{sizes} burst 55 probability 0.02 bandwidth {rate_bps}bit"


def _choke(avpkt: int, rate_bps: int) -> str:
    return f"limit 400 min 30 max 90 avpkt {avpkt} burst 55 probability 0.02 bandwidth {rate_bps}bit"


# The kernel here counts time in steps of 10 ms, and a timer comes a step later than it was asked for: 30 ms for 20.
_PIE_WORDS = "limit 1000 target 15ms tupdate 20ms"
_PIE_NS = 30_000_000
_PIE = {"tupdate": _PIE_NS}

# A new salt every 10 s, so that a trace of 30 s has some; flows that do not respond are warmed up a second before.
_SFB_WORDS = "rehash 10000 db 1000 limit 400 max 25 target 20 increment 0.0005 decrement 0.00005 penalty_rate 10 penalty_burst 20"

DISCIPLINES = (
    Discipline("red", "red", _red, "red"),
    Discipline("red-ecn", "red", lambda avpkt, rate: f"{_red(avpkt, rate)} ecn", "red"),
    Discipline("codel", "codel", lambda *_: "limit 1000 target 5ms interval 100ms noecn", "codel"),
    Discipline("codel-ecn", "codel", lambda *_: "limit 1000 target 5ms interval 100ms ecn", "codel"),
    Discipline("pie", "pie", lambda *_: f"{_PIE_WORDS} noecn", "pie", _PIE, _PIE_NS),
    Discipline("pie-ecn", "pie", lambda *_: f"{_PIE_WORDS} ecn", "pie", _PIE, _PIE_NS),
    Discipline("choke", "choke", _choke, "choke"),
    Discipline("sfb", "sfb", lambda *_: _SFB_WORDS, "sfb"),
)


def named(names: tuple[str, ...]) -> list[Discipline]:
    """Those of these names, or all; a user error that names the nearest ones for any other."""
    known = {discipline.name: discipline for discipline in DISCIPLINES}
    for name in names:
        if name not in known:
            raise UserError(catalog.unknown("discipline", name, list(known)))
    return [known[name] for name in names] if names else list(DISCIPLINES)
