# SPDX-License-Identifier: Apache-2.0
"""CARED (M. Tahiliani, K. Shet, T. Basavaraju 2012): ARED's step or Re-ARED-M1's, by the way of the average."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice_golden.red.adaptive import additive, proportional, scaled
from sluice_golden.red.adaptive_traffic import AdaptiveTraffic

if TYPE_CHECKING:
    from sluice_golden.red.adaptive import Step

_RISE, _MOST_RISE = 0.25, 0.01  # of ARED's step


class Cared(AdaptiveTraffic):
    """The band is the middle fifth of min..max."""

    name = "cared"
    margin = 0.40
    turn = _MOST_RISE / _RISE

    def increase(self, level: int) -> Step | None:
        if level > self.level_before:
            return proportional(0.25)
        return additive(_RISE, _MOST_RISE) if level < self.level_before else None

    def decrease(self, level: int) -> Step | None:
        if level > self.level_before:
            return scaled(0.1)
        return proportional(0.17) if level < self.level_before else None
