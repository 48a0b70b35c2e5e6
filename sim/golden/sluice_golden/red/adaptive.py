# SPDX-License-Identifier: Apache-2.0
"""The adaptive schemes' common body, exact integer model: RED whose max_p moves once in each interval.

Source: S. Floyd, R. Gummadi, S. Shenker, "Adaptive RED", 2001. Formats: max_p Q1.31, the average as the step sees it Q18.14,
coefficients and the band's margin Q0.18, the distance from the band Q2.16. Everything rounds down.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar

from sluice_golden.red.red import RedHalfWeights

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Step = Callable[[int, int], int]  # from max_p and the distance from the band to the size of the step

_ONE = 1 << 31


def scaled(coefficient: float) -> Step:
    """max_p * coefficient."""
    return lambda max_p, _: (max_p * round(coefficient * 2**18)) >> 18


def additive(coefficient: float, most: float) -> Step:
    """max_p * coefficient, but at most `most`."""
    return lambda max_p, _: min((max_p * round(coefficient * 2**18)) >> 18, round(most * 2**31))


def proportional(coefficient: float) -> Step:
    """max_p * coefficient * distance."""
    return lambda max_p, distance: (((max_p * round(coefficient * 2**18)) >> 18) * distance) >> 16


class Adaptive(RedHalfWeights):
    """What the five schemes share."""

    ticks = ("adaptation",)
    margin: ClassVar[float]
    """Distance of the target band from min and from max, as a part of max - min."""
    turn: ClassVar[float | None] = None
    """The max_p from which on it rises by a constant, if it does for any."""

    def __init__(self) -> None:
        super().__init__()
        self.max_p = self.parameters["probability"]
        self.level_before = 0
        self._stepped = self.max_p

    @abstractmethod
    def increase(self, level: int) -> Step | None:
        """The step up at an average above the band."""

    @abstractmethod
    def decrease(self, level: int) -> Step | None:
        """The step down at an average below the band."""

    @staticmethod
    def defaults() -> dict[str, int]:
        own = {
            "probability": round(0.1 * _ONE),
            "interval": 500_000_000,
            "top": _ONE // 2,
            "bottom": round(0.01 * _ONE),
        }
        return RedHalfWeights.defaults() | own

    @staticmethod
    def is_legal(parameters: Mapping[str, int]) -> bool:
        bounds = parameters["top"] <= _ONE and parameters["bottom"] <= _ONE
        return RedHalfWeights.is_legal(parameters) and bounds and parameters["interval"] >= 1

    def apply(self, parameters: Mapping[str, int]) -> None:
        """`probability` is where max_p begins: only a new value moves it."""
        if parameters["probability"] != self.parameters["probability"]:
            self.max_p = self._stepped = parameters["probability"]
        super().apply(parameters)

    @property
    def max_probability(self) -> int:
        return self.max_p

    def interval_ns(self, kind: str) -> int:
        del kind
        return self.parameters["interval"]

    def tick(self, kind: str, now_ns: int) -> None:
        del kind, now_ns
        level = self.average >> 4
        self._stepped = self._next(level)
        self.level_before = level

    def settle(self, kind: str) -> None:
        del kind
        self.max_p = self._stepped

    def _next(self, level: int) -> int:
        p = self.parameters
        lower, upper = self.band(p["max"])
        if level > upper and self.max_p <= p["top"]:
            step = self.increase(level)
            return min(_ONE, self.max_p + step(self.max_p, _ratio(level - upper, upper))) if step else self.max_p
        if level < lower and self.max_p >= p["bottom"]:
            step = self.decrease(level)
            return self.max_p - step(self.max_p, _ratio(lower - level, lower - p["min"])) if step else self.max_p
        return self.max_p

    def band(self, most: int) -> tuple[int, int]:
        """Where the average is meant to be with this `max`."""
        least = self.parameters["min"]
        space = ((most - least) * round(self.margin * 2**18)) >> 18
        return least + space, most - space

    def status(self) -> dict[str, int]:
        return super().status() | {"max_probability_now": self.max_p}


def _ratio(part: int, whole: int) -> int:
    """part / whole, Q2.16; 4 - 2^-16 for all that is beyond."""
    return (part << 16) // whole if part < 4 * whole else (1 << 18) - 1
