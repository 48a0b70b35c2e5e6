# SPDX-License-Identifier: Apache-2.0
"""Rates and times as people write them on a command line: 10M, 10Mbps, 2.5Gbit, 5ms, 100us."""

from __future__ import annotations

import re
from collections.abc import Mapping

import rich_click as click

_PREFIXES = {"": 1, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12}
_RATES = {prefix + name: factor for prefix, factor in _PREFIXES.items() for name in ("", "bps", "bit", "bit/s")}
_TIMES = {"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}


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
        if not found or found[2] not in self._units or not float(found[1]):
            self.fail(f"'{value}' is no {self.name}; write it like {self._example}", param, ctx)
        return float(found[1]) * self._units[found[2]]


RATE_BPS = _Quantity("rate", _RATES, "10Mbps")
"""A link's rate, as bit/s."""

TIME_S = _Quantity("time", _TIMES, "5ms")
"""A time, as seconds."""
