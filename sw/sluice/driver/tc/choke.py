# SPDX-License-Identifier: Apache-2.0
"""choke: RED over packets, and an arrival that finds one of its own flow in the queue is dropped with it."""

from __future__ import annotations

from collections.abc import Sequence

from sluice.driver.tc import numbers, red_numbers
from sluice.driver.tc.cells import Cell, cell, counted
from sluice.driver.tc.kind import Kind
from sluice.driver.tc.reading import Reading
from sluice.support.errors import UserError

_AVPKT = 1000


def settings(words: Sequence[str]) -> dict[str, float]:
    """limit, min, max, burst in packets, avpkt in bytes, probability, bandwidth, ecn."""
    readers = dict.fromkeys(("limit", "min", "max"), numbers.whole) | red_numbers.READERS
    given = numbers.settings(words, readers, ("ecn",))
    limit, rate = int(given.get("limit", 0)), int(given.get("bandwidth", 0))
    if not limit or not rate:
        raise UserError("Required parameter (bandwidth, limit) is missing")
    most = int(given.get("max", 0)) or limit // 4
    least = int(given.get("min", 0)) or most // 3
    burst = int(given.get("burst", 0)) or (2 * least + most) // 3
    if most > limit:
        raise UserError('"max" is larger than "limit"')
    if least >= most:
        raise UserError('"min" is not smaller than "max"')
    avpkt = int(given.get("avpkt", _AVPKT))
    if not avpkt:
        raise UserError('Illegal "avpkt"')
    return {
        "limit": limit,
        "min": least,
        "max": most,
        "weight_exponent": red_numbers.weight("CHOKE", least * avpkt, burst, avpkt),
        "probability": red_numbers.checked_probability(
            "CHOKE", given.get("probability", red_numbers.PROBABILITY), (most - least) * avpkt
        ),
        "idle_rate": red_numbers.idle_rate(rate, avpkt),
        "ecn": given.get("ecn", 0),
        "hard_drop": 0,
    }


def options(reading: Reading, details: bool) -> list[Cell]:
    """Thresholds in whole packets."""
    its = reading.parameters
    return [
        *(cell(name, int(its[name]), f"{name} {{}}p ") for name in ("limit", "min", "max")),
        *red_numbers.flags(ecn=bool(its["ecn"]), harddrop=bool(its["hard_drop"])),
        *(red_numbers.details(reading) if details else []),
    ]


def statistics(reading: Reading) -> list[Cell]:
    """As red, and arrivals that met one of their flow."""
    return [
        *red_numbers.counts(reading),
        counted("matched", reading.total("matched_drop"), " matched {}"),
    ]


KIND = Kind(
    name="choke",
    settings=settings,
    options=options,
    drops=("unforced_drop", "forced_drop", "matched_drop", "pushed_out_drop", "overlimit_drop"),
    overlimits=red_numbers.OVERLIMITS,
    statistics=statistics,
)
