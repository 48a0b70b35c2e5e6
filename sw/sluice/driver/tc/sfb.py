# SPDX-License-Identifier: Apache-2.0
"""sfb: Stochastic Fair Blue."""

from __future__ import annotations

from collections.abc import Sequence

from sluice.driver.tc import numbers
from sluice.driver.tc.cells import Cell, Real, cell, counted, text_only
from sluice.driver.tc.kind import Kind
from sluice.driver.tc.reading import Reading
from sluice.support.errors import UserError

_ONE = 65535
"""Linux' probability of 1."""

_UNIT = 65536
"""The datapath's, in the same steps."""

_LIMIT = 1000
"""Where none is given: the queue length of a device."""

_DEFAULTS = {
    "rehash": 600_000,
    "db": 60_000,
    "penalty_rate": 10,
    "penalty_burst": 20,
    "increment": 1 / 2000,
    "decrement": 1 / 20000,
}


def settings(words: Sequence[str]) -> dict[str, float]:
    """rehash, db in ms; limit, max, target in packets; increment, decrement from 0 to 1; penalty_rate in packets a second and
    penalty_burst."""
    names = ("rehash", "db", "limit", "max", "target", "penalty_rate", "penalty_burst")
    readers: dict[str, numbers.Reader] = dict.fromkeys(names, numbers.whole)
    given = _DEFAULTS | numbers.settings(words, readers | dict.fromkeys(("increment", "decrement"), numbers.share))
    most, target = int(given.get("max", 0)), int(given.get("target", 0))
    most = most or ((target * 5 + 1) // 4 if target else 25)
    rehash_ms, warmup_ms = int(given["rehash"]), int(given["db"])
    if not warmup_ms or rehash_ms % warmup_ms:
        raise UserError(f"a datapath's rehash is a multiple of db, and {rehash_ms} is none of {warmup_ms}")
    return {
        "warmup": warmup_ms * 1000,
        "rehash": rehash_ms // warmup_ms,
        "limit": given.get("limit") or _LIMIT,
        "bin_max": most,
        "bin_size": target or (most * 4 + 3) // 5,
        "increment": _steps(given["increment"]),
        "decrement": _steps(given["decrement"]),
        "penalty_rate": given["penalty_rate"],
        "penalty_burst": given["penalty_burst"],
        "ecn": 1,
    }


def _steps(probability: float) -> float:
    return int(probability * _ONE + 0.5) / _UNIT


def _probability(value: float) -> Real:
    return Real(round(value * _UNIT) / _ONE)


def _time(key: str, time_us: int) -> Cell:
    return Cell(key, time_us % 2**32, f"{key} {numbers.time_text(time_us % 2**32)} ")


def options(reading: Reading, _details: bool) -> list[Cell]:
    """Times of the salts, thresholds, steps of the probability, and what those get who do not respond."""
    its = reading.parameters
    warmup_us = int(its["warmup"]) // 1000 * 1000
    return [
        _time("rehash", warmup_us * int(its["rehash"])),
        _time("db", warmup_us),
        cell("limit", int(its["limit"]), "limit {}p "),
        cell("max", int(its["bin_max"]), "max {}p "),
        cell("target", int(its["bin_size"]), "target {}p "),
        cell("increment", _probability(its["increment"]), "increment {} "),
        cell("decrement", _probability(its["decrement"]), "decrement {} "),
        cell("penalty_rate", int(its["penalty_rate"]), "penalty_rate {}pps "),
        cell("penalty_burst", int(its["penalty_burst"]), "penalty_burst {}p "),
    ]


def statistics(reading: Reading) -> list[Cell]:
    """Drops by reason. What no datapath keeps is 0: maxqlen, maxprob, avgprob."""
    return [
        counted("earlydrop", reading.total("unforced_drop"), "  earlydrop {}"),
        counted("penaltydrop", reading.total("penalty_drop"), " penaltydrop {}"),
        counted("bucketdrop", reading.total("bucket_drop"), " bucketdrop {}"),
        counted("queuedrop", reading.total("overlimit_drop"), " queuedrop {}"),
        cell("childdrop", 0, " childdrop {}"),
        counted("marked", reading.total("unforced_mark"), " marked {}"),
        text_only("\n"),
        cell("maxqlen", 0, "  maxqlen {}"),
        cell("maxprob", Real(0), " maxprob {}"),
        cell("avgprob", Real(0), " avgprob {}"),
    ]


KIND = Kind(
    name="sfb",
    settings=settings,
    options=options,
    drops=("unforced_drop", "penalty_drop", "bucket_drop", "overlimit_drop"),
    overlimits=("overlimit_drop", "bucket_drop", "penalty_drop"),
    statistics=statistics,
)
