# SPDX-License-Identifier: Apache-2.0
"""codel: Controlled Delay."""

from __future__ import annotations

from collections.abc import Sequence

from sluice.driver.tc import numbers
from sluice.driver.tc.cells import Cell, cell, counted, text_only
from sluice.driver.tc.kind import Kind
from sluice.driver.tc.reading import Reading

_SHIFT = 10
"""Linux keeps times in units of so many bits of a nanosecond."""

_NEVER_NS = 2**32 - 1
"""The threshold for CE that is none."""

_LONGEST_FRAME = 1514
"""Of a device with an MTU of 1,500: with less than one queued, Linux leaves the queue alone."""

_ALWAYS = 255
"""Linux marks whatever the delay."""


def settings(words: Sequence[str]) -> dict[str, float]:
    """limit in packets; target, interval, ce_threshold; ecn or noecn. What is not given stays as it is."""
    times = ("target", "interval", "ce_threshold")
    given = numbers.settings(words, {"limit": numbers.whole} | dict.fromkeys(times, numbers.time_us), ("ecn", "noecn"))
    wanted = {"min_bytes": float(_LONGEST_FRAME), "mark_most": float(_ALWAYS)}
    wanted |= {"limit": given["limit"]} if given.get("limit") else {}
    wanted |= {name: _kept(int(given[name])) for name in times if given.get(name) or name == "ce_threshold" in given}
    switches = [word for word in words if word in ("ecn", "noecn")]
    return wanted | ({"ecn": float(switches[-1] == "ecn")} if switches else {})


def _kept(time_us: int) -> int:
    """Nanoseconds, as far as Linux keeps them."""
    return time_us * 1000 >> _SHIFT << _SHIFT


def _time(key: str, time_ns: float, text: str) -> Cell:
    time_us = (int(time_ns) >> _SHIFT << _SHIFT) // 1000
    return Cell(key, time_us, text.format(numbers.time_text(time_us)))


def options(reading: Reading, _details: bool) -> list[Cell]:
    """Flags and thresholds only where there are any."""
    its = reading.parameters
    return [
        cell("limit", int(its["limit"]), "limit {}p "),
        _time("target", its["target"], "target {} "),
        *([_time("ce_threshold", its["ce_threshold"], "ce_threshold {} ")] if its["ce_threshold"] < _NEVER_NS else []),
        _time("interval", its["interval"], "interval {} "),
        *([Cell("ecn", value=True, text="ecn ")] if its["ecn"] else []),
    ]


def statistics(reading: Reading) -> list[Cell]:
    """The state of its control, and counts. What no datapath keeps is 0: lastcount, drop_next, maxpacket."""
    is_dropping = bool(reading.status["dropping"])
    ce_marks = reading.total("ce_threshold_exceeded_mark")
    return [
        cell("count", int(reading.status["count"]), "  count {}"),
        cell("lastcount", 0, " lastcount {}"),
        _time("ldelay", reading.status["delay"], " ldelay {}"),
        *([Cell("dropping", value=True, text=" dropping")] if is_dropping else []),
        _time("drop_next", 0, " drop_next {}"),
        text_only("\n"),
        cell("maxpacket", 0, "  maxpacket {}"),
        counted("ecn_mark", reading.total("target_exceeded_mark"), " ecn_mark {}"),
        counted("drop_overlimit", reading.total("overlimit_drop"), " drop_overlimit {}"),
        *([counted("ce_mark", ce_marks, " ce_mark {}")] if ce_marks else []),
    ]


KIND = Kind(
    name="codel",
    settings=settings,
    options=options,
    drops=("target_exceeded_drop", "overlimit_drop"),
    overlimits=(),
    statistics=statistics,
)
