# SPDX-License-Identifier: Apache-2.0
"""A row of WRED_PROFILE as the parameters of a profile of `wred`.

A switch has a set of thresholds for each colour; the hardware has one, so one colour is carried and what others would do
differently is said. Without thresholds of its own marking has those of the drops.
"""

from __future__ import annotations

from dataclasses import dataclass

from sluice.driver.sonic.table import Row, flag, number, one_of

COLOURS = ("green", "yellow", "red")
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


def probability(per_cent: int) -> int:
    """Of a whole number of per cent, Q1.31, rounded to nearest."""
    return (per_cent * _ONE + 50) // 100


def read(row: Row, colour: str) -> dict[str, int]:
    """Raw values of the hardware's parameters for packets of a colour."""
    marked = _MARKED[row.take("ecn", one_of(*_MARKED), "ecn_none")]
    each = {name: _of(row, name, is_marked=name in marked) for name in COLOURS}
    row.finish()
    for name, other in each.items():
        if other != each[colour]:
            row.note(f"{name} packets are judged as {colour} ones, by other numbers than their own")
    chosen = each[colour]
    return {
        "enable": int(chosen.enable),
        "min_threshold": chosen.drop.low,
        "max_threshold": chosen.drop.high,
        "drop_probability": chosen.drop.probability,
        "ecn": int(chosen.ecn),
        "ecn_min_threshold": chosen.mark.low,
        "ecn_max_threshold": chosen.mark.high,
        "ecn_mark_probability": chosen.mark.probability,
        "weight": 0,  # SONiC has no other
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
