# SPDX-License-Identifier: Apache-2.0
"""A row of WRED_PROFILE as sets of `wred`'s parameters, one for packets of each colour, and which packets have which colour.

A set is what the hardware calls a profile. Sets that are equal are one, whichever rows and colours they are of: the hardware
keeps nothing between packets but a queue's average, which is the queue's own. Without thresholds of its own marking has those of
the drops.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sluice.driver.sonic.table import Row, flag, number, one_of
from sluice.support.errors import UserError

COLOURS = ("green", "yellow", "red")
"""Each one's place is its code in the hardware's table."""
DSCPS = range(64)
_DSCPS_OF_WORD = 16
MOST_BYTES = (1 << 26) - 1
_UINT64 = (1 << 64) - 1
_ONE = 1 << 31
_MARKED = {"ecn_none": (), "ecn_all": COLOURS} | {
    "ecn_" + "_".join(colours): colours
    for colours in (("green",), ("yellow",), ("red",), ("green", "yellow"), ("green", "red"), ("yellow", "red"))
}


@dataclass(frozen=True, slots=True)
class Ramp:
    """Bytes, and the probability at the end in Q1.31."""

    low: int
    high: int
    probability: int


@dataclass(frozen=True, slots=True)
class OfColour:
    """What packets of one colour are judged by."""

    enable: bool
    drop: Ramp
    ecn: bool
    mark: Ramp

    def raw(self) -> dict[str, int]:
        """Values of the hardware's parameters."""
        return {
            "enable": int(self.enable),
            "min_threshold": self.drop.low,
            "max_threshold": self.drop.high,
            "drop_probability": self.drop.probability,
            "ecn": int(self.ecn),
            "ecn_min_threshold": self.mark.low,
            "ecn_max_threshold": self.mark.high,
            "ecn_mark_probability": self.mark.probability,
            "weight": 0,  # SONiC has no other
        }


Profile = Mapping[str, OfColour]
"""A row: what packets of each colour are judged by."""


@dataclass(frozen=True, slots=True)
class Colours:
    """Which DSCPs are yellow and which red; all others are green. SONiC's file does not say it."""

    yellow: frozenset[int] = frozenset()
    red: frozenset[int] = frozenset()

    def __post_init__(self) -> None:
        if unknown := sorted((self.yellow | self.red).difference(DSCPS)):
            raise UserError(f"there is no DSCP {unknown[0]}, only {DSCPS[0]} to {DSCPS[-1]}")
        if both := sorted(self.yellow & self.red):
            raise UserError(f"DSCP {both[0]} cannot be yellow and red")

    def __bool__(self) -> bool:
        """Whether any DSCP is not green."""
        return bool(self.yellow or self.red)

    def of(self, dscp: int) -> str:
        """The colour of packets with a DSCP."""
        return "yellow" if dscp in self.yellow else "red" if dscp in self.red else "green"

    def raw(self) -> dict[str, int]:
        """The table as the hardware's parameters, two bits for each DSCP."""
        words = dict[str, int]()
        for dscp in DSCPS:
            number, place = divmod(dscp, _DSCPS_OF_WORD)
            name = f"dscp_colours{number}"
            words[name] = words.get(name, 0) | COLOURS.index(self.of(dscp)) << 2 * place
        return words


def probability(per_cent: int) -> int:
    """Of a whole number of per cent, Q1.31, rounded to nearest."""
    return (per_cent * _ONE + 50) // 100


def read(row: Row) -> Profile:
    """What a row says, of all colours."""
    marked = _MARKED[row.take("ecn", one_of(*_MARKED), "ecn_none")]
    each = {name: _of(row, name, is_marked=name in marked) for name in COLOURS}
    row.finish()
    return each


def distinct(profiles: Mapping[str, Profile], names: Iterable[str]) -> dict[OfColour, str]:
    """The sets of these profiles, each once and in the order of the names, then of the colours, and whose each is."""
    users = dict[OfColour, dict[str, list[str]]]()
    for name in names:
        for colour in COLOURS:
            users.setdefault(profiles[name][colour], {}).setdefault(name, []).append(colour)
    return {
        its: "; ".join(
            name if len(colours) == len(COLOURS) else f"{name}, {' and '.join(colours)}"
            for name, colours in of_names.items()
        )
        for its, of_names in users.items()
    }


def _of(row: Row, colour: str, *, is_marked: bool) -> OfColour:
    enable = row.take(f"wred_{colour}_enable", flag, default=False)
    drop = _ramp(row, f"{colour}_", f"{colour}_drop_probability", Ramp(0, 0, _ONE))
    before = len(row.taken)
    mark = _ramp(row, f"ecn_{colour}_", f"ecn_{colour}_mark_probability", drop)
    if len(row.taken) > before and not is_marked:
        raise row.mistake(
            f"has thresholds or a probability of marks for {colour} packets, and `ecn` does not mark these"
        )
    return OfColour(enable, drop, is_marked, mark)


def _ramp(row: Row, prefix: str, probability_name: str, without: Ramp) -> Ramp:
    low = _threshold(row, f"{prefix}min_threshold", without.low)
    high = _threshold(row, f"{prefix}max_threshold", without.high)
    if (low or MOST_BYTES) > (high or MOST_BYTES):
        raise row.mistake(f"{prefix}min_threshold is above {prefix}max_threshold")
    per_cent = row.take(probability_name, number(0, 100), None)
    return Ramp(low, high, without.probability if per_cent is None else probability(per_cent))


def _threshold(row: Row, name: str, without: int) -> int:
    """In bytes; 0: the highest."""
    wanted = row.take(name, number(0, _UINT64), without)
    if wanted > MOST_BYTES:
        row.note(f"{name}={wanted} is more than the hardware counts, and becomes {MOST_BYTES}")
    return min(wanted, MOST_BYTES)
