# SPDX-License-Identifier: Apache-2.0
"""What tc works out for RED and for what descends from it, before it asks the kernel."""

from __future__ import annotations

import math

from sluice.driver.tc import numbers
from sluice.driver.tc.cells import Cell, Real, cell, counted, flag
from sluice.driver.tc.reading import Reading
from sluice.support.errors import UserError

PROBABILITY = 0.02
"""Where none is given."""

READERS: dict[str, numbers.Reader] = {
    "burst": numbers.whole,
    "avpkt": numbers.size,
    "probability": numbers.real,
    "bandwidth": numbers.rate,
}
"""Words that all of them have."""

_TICKS_PER_US = 15.625
"""The kernel's clock of 64 ns, in which tc takes times."""
_CELLS = 512
_MOST_SHIFT = 31
_STEP_S = 16e-9
"""The datapath counts idle time in so much."""
_STEP_US_ERROR = 0.01
"""What the steps of `idle_rate` may take off a whole microsecond at 10 Mbit/s."""


def weight(name: str, least_bytes: int, burst: int, avpkt: int) -> int:
    """The exponent n of the averaging weight 2^-n: the least one with which a burst of so many packets stays below the threshold.

    burst + 1 - min / avpkt <= (1 - (1 - w)^burst) / w.
    """
    wanted = burst + 1 - least_bytes / avpkt
    if wanted < 1:
        raise UserError(f"{name}: burst {burst} is too small; try burst {1 + least_bytes // avpkt}")
    for exponent in range(1, 32):
        w = 2.0**-exponent
        if wanted <= (1 - (1 - w) ** burst) / w:
            return exponent
    raise UserError(f"{name}: failed to calculate EWMA constant.")


def checked_probability(name: str, probability: float, span: int) -> float:
    """The largest probability in the kernel's steps of 2^-32, if its slope over the span is one that tc takes."""
    steepness = probability / span if span else 1
    if not 0 <= probability <= 1 or steepness * 2.0**_MOST_SHIFT <= 1:
        raise UserError(f"{name}: failed to calculate probability.")
    return math.floor(probability * 2**32) / 2**32


def idle_rate(bytes_per_s: int, avpkt: int) -> float:
    """Packets that the link sends in 16 ns."""
    return bytes_per_s / avpkt * _STEP_S


def cell_log(exponent: int, packets_per_step: float) -> int:
    """The shift of times in the kernel's table of what the average loses while the link is idle, as iproute2 6.1 works it out:
    from the whole microseconds that a packet takes."""
    ticks = int(int(_STEP_S * 1e6 / packets_per_step + _STEP_US_ERROR) * _TICKS_PER_US)
    whole = _MOST_SHIFT * ticks / -math.log(1 - 2.0**-exponent)
    return next((shift for shift in range(32) if whole / 2**shift < _CELLS), 32)


def flags(*, ecn: bool, harddrop: bool) -> list[Cell]:
    """All of RED's; two that no datapath has."""
    has = {"ecn": ecn, "harddrop": harddrop, "adaptive": False, "nodrop": False}
    return [flag(name, is_set=is_set) for name, is_set in has.items()]


OVERLIMITS = ("unforced_drop", "forced_drop", "unforced_mark", "forced_mark")
"""What Linux counts so."""


def counts(reading: Reading) -> list[Cell]:
    """Marks, early drops, and those of a full queue."""
    return [
        counted("marked", reading.total("unforced_mark", "forced_mark"), "  marked {}"),
        counted("early", reading.total("unforced_drop", "forced_drop"), " early {}"),
        counted("pdrop", reading.total("overlimit_drop"), " pdrop {}"),
        cell("other", 0, " other {}"),
    ]


def details(reading: Reading) -> list[Cell]:
    """What -d shows."""
    exponent, rate = int(reading.parameters["weight_exponent"]), reading.parameters["idle_rate"]
    return [
        cell("ewma", exponent, "ewma {} "),
        cell("probability", Real(reading.parameters["probability"]), "probability {} "),
        cell("Scell_log", cell_log(exponent, rate) if exponent and rate else 0, "Scell_log {}"),
    ]
