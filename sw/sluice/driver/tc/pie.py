# SPDX-License-Identifier: Apache-2.0
"""pie: Proportional Integral controller Enhanced (RFC 8033), as Linux has it."""

from __future__ import annotations

from collections.abc import Sequence

from sluice.driver.tc import numbers
from sluice.driver.tc.cells import Cell, Real, cell, counted, text_only
from sluice.driver.tc.kind import Kind
from sluice.driver.tc.reading import Reading

_SHIFT = 6
"""Linux keeps the target in units of so many bits of a nanosecond."""

_STEP = 1 / 16
"""Of alpha and beta, per second."""

_MOST_STEPS = 32

_TWO_FRAMES = 2 * 1514
"""Of a device with an MTU of 1,500: with less queued, Linux leaves the queue alone."""

_LINUX = {"min_bytes": _TWO_FRAMES, "max_burst": 150e6, "max_step": 0.02, "late_delay": 250e6, "mark_most": 0.1}
_LINUX |= {"decay_empty": 1, "derandomise": 1}
"""What no word says: Linux' own constants, times in ns."""


def _steps(text: str) -> int:
    """A small whole number."""
    steps = numbers.whole(text)
    if steps > _MOST_STEPS:
        raise ValueError(text)
    return steps


def settings(words: Sequence[str]) -> dict[str, float]:
    """limit in packets; target, tupdate; alpha, beta in 1/16 a second; ecn or noecn. What is not given or 0 stays."""
    readers: dict[str, numbers.Reader] = {"limit": numbers.whole, "target": numbers.time_us, "tupdate": numbers.time_us}
    switches = ("ecn", "noecn")
    given = numbers.settings(
        words,
        readers | {"alpha": _steps, "beta": _steps},
        (*switches, "nobytemode", "no_dq_rate_estimator"),
        ("bytemode", "dq_rate_estimator"),
    )
    wanted = dict(_LINUX)
    wanted |= {"limit": given["limit"]} if given.get("limit") else {}
    wanted |= {"target": int(given["target"]) * 1000 >> _SHIFT << _SHIFT} if given.get("target") else {}
    wanted |= {"tupdate": given["tupdate"] * 1000} if given.get("tupdate") else {}
    wanted |= {name: given[name] * _STEP for name in ("alpha", "beta") if given.get(name)}
    said = [word for word in words if word in switches]
    return wanted | ({"ecn": float(said[-1] == "ecn")} if said else {})


def _time(key: str, time_ns: float, text: str) -> Cell:
    time_us = int(time_ns) // 1000
    return Cell(key, time_us, text.format(numbers.time_text(time_us)))


def options(reading: Reading, _details: bool) -> list[Cell]:
    """The flag only where it is set."""
    its = reading.parameters
    return [
        cell("limit", int(its["limit"]), "limit {}p "),
        _time("target", int(its["target"]) >> _SHIFT << _SHIFT, "target {} "),
        _time("tupdate", its["tupdate"], "tupdate {} "),
        *(cell(name, round(its[name] / _STEP), f"{name} {{}} ") for name in ("alpha", "beta")),
        *([Cell("ecn", value=True, text="ecn ")] if its["ecn"] else []),
    ]


def statistics(reading: Reading) -> list[Cell]:
    """The state of its control, and counts; `maxq`, which no datapath keeps, is 0."""
    dropped = reading.total("unforced_drop", "overlimit_drop")
    return [
        cell("prob", Real(reading.status["probability_now"]), "  prob {}"),
        _time("delay", reading.status["delay"], " delay {}"),
        text_only("\n"),
        counted("pkts_in", reading.counters["received_packets"] - dropped, "  pkts_in {}"),
        counted("overlimit", reading.total("overlimit_drop"), " overlimit {}"),
        counted("dropped", dropped, " dropped {}"),
        cell("maxq", 0, " maxq {}"),
        counted("ecn_mark", reading.total("unforced_mark"), " ecn_mark {}"),
    ]


KIND = Kind(
    name="pie",
    settings=settings,
    options=options,
    drops=("unforced_drop", "overlimit_drop"),
    overlimits=(),
    statistics=statistics,
)
