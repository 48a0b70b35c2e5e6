# SPDX-License-Identifier: Apache-2.0
"""red: Random Early Detection, which in Linux counts bytes."""

from __future__ import annotations

from collections.abc import Sequence

from sluice.driver.tc import numbers, red_numbers
from sluice.driver.tc.cells import Cell, text_only
from sluice.driver.tc.kind import Kind
from sluice.driver.tc.reading import Reading
from sluice.support.errors import UserError

_BYTES = 64
"""Of the queue in the datapath's byte mode, one unit of its thresholds."""

_PACKETS = 1000
"""The limit in packets, which Linux' red has not; rings hold some more."""

_DEFAULT_RATE = numbers.rate("10Mbit")


def settings(words: Sequence[str]) -> dict[str, float]:
    """limit, min, max, avpkt in bytes, burst in packets, probability, bandwidth, ecn, harddrop."""
    readers = dict.fromkeys(("limit", "min", "max"), numbers.size) | red_numbers.READERS
    refused = ("adaptive", "adaptative", "nodrop", "qevent")
    given = numbers.settings(words, readers, ("ecn", "harddrop"), refused)
    limit, avpkt = int(given.get("limit", 0)), int(given.get("avpkt", 0))
    if not limit or not avpkt:
        raise UserError("RED: Required parameter (limit, avpkt) is missing")
    least, most = int(given.get("min", 0)), int(given.get("max", 0))
    most = most or (least * 3 if least else limit // 4)
    least = least or most // 3
    burst = int(given.get("burst", 0)) or (2 * least + most) // (3 * avpkt)
    return {
        "limit": _PACKETS,
        "limit_bytes": limit,
        "byte_mode": 1,
        "min": least / _BYTES,
        "max": most / _BYTES,
        "avpkt": avpkt,
        "weight_exponent": red_numbers.weight("RED", least, burst, avpkt),
        "probability": red_numbers.checked_probability(
            "RED", given.get("probability", red_numbers.PROBABILITY), most - least
        ),
        "idle_rate": red_numbers.idle_rate(int(given.get("bandwidth", 0)) or _DEFAULT_RATE, avpkt),
        "ecn": given.get("ecn", 0),
        "hard_drop": given.get("harddrop", 0),
        "gentle": 0,
        "wait": 0,
        "mark_most": 1,
    }


def options(reading: Reading, details: bool) -> list[Cell]:
    """Thresholds in bytes; those of a datapath that counts packets as so many typical ones."""
    its = reading.parameters
    unit = _BYTES if its["byte_mode"] else its["avpkt"]
    sizes = {"limit": int(its["limit_bytes"]), "min": int(its["min"] * unit), "max": int(its["max"] * unit)}
    return [
        *(Cell(name, size, f"{name} {numbers.size_text(size)} ") for name, size in sizes.items()),
        *red_numbers.flags(ecn=bool(its["ecn"]), harddrop=bool(its["hard_drop"])),
        *(red_numbers.details(reading) if details else []),
    ]


def statistics(reading: Reading) -> list[Cell]:
    """Those of all that descend from it."""
    return [*red_numbers.counts(reading), text_only(" ")]


KIND = Kind(
    name="red",
    settings=settings,
    options=options,
    drops=("unforced_drop", "forced_drop", "overlimit_drop"),
    overlimits=red_numbers.OVERLIMITS,
    statistics=statistics,
)
