# SPDX-License-Identifier: Apache-2.0
"""Numbers as people write them on a command line, plain ones and rates and times: 10M, 10Mbps, 2.5Gbit, 5ms, 100us."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

import rich_click as click

from sluice.support.errors import UserError

_PREFIXES = {"": 1, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12}
_RATES = {prefix + name: factor for prefix, factor in _PREFIXES.items() for name in ("", "bps", "bit", "bit/s")}
_TIMES = {"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}


def finite(name: str, value: float) -> float:
    """The value, which bears that name, unless it is none that a register or a simulator could hold."""
    try:
        is_finite = math.isfinite(value)
    except OverflowError:  # an integer beyond all floating-point numbers
        is_finite = False
    if not is_finite:
        raise UserError(f"{name}={value} is not a finite number")
    return value


def number_or_text(name: str, text: str) -> float | str:
    """The value of that name that a user wrote: a finite number, a truth value as 1 or 0, or text."""
    if text in {"true", "false"}:
        return 1 if text == "true" else 0
    try:
        return finite(name, int(text) if text.lstrip("+-").isdigit() else float(text))
    except ValueError:
        return text


class SimulatedSeconds(click.FloatRange):
    """An option's number of seconds: finite, and no less than `min`."""

    name = "seconds"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number: float = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is not a finite number", param, ctx)
        return number


class _Quantity(click.ParamType[float]):
    """A positive number with its unit."""

    def __init__(self, name: str, units: Mapping[str, float], example: str) -> None:
        self.name = name
        self._units = units
        self._example = example

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number in the unit whose factor is one."""
        if isinstance(value, float):
            return value
        found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([a-z/]+)", str(value).lower())
        if not found or found[2] not in self._units or not 0 < float(found[1]) < math.inf:
            self.fail(f"'{value}' is no {self.name}; write it like {self._example}", param, ctx)
        return float(found[1]) * self._units[found[2]]


RATE_BPS = _Quantity("rate", _RATES, "10Mbps")
"""A link's rate, as bit/s."""

TIME_S = _Quantity("time", _TIMES, "5ms")
"""A time, as seconds."""
