# SPDX-License-Identifier: Apache-2.0
"""CARED (M. Tahiliani, K. Shet, T. Basavaraju 2012): ARED's step or Re-ARED-M1's, by the way of the average."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice_golden.red.adaptive import additive, proportional, scaled
from sluice_golden.red.adaptive_traffic import AdaptiveTraffic
from sluice_golden.red.ared import MOST_RISE, RISE

if TYPE_CHECKING:
    from sluice_golden.red.adaptive import Step


class Cared(AdaptiveTraffic):
    """The band is the middle fifth of min..max."""

    name = "cared"
    margin = 0.40
    turn = MOST_RISE / RISE

    def increase(self, level: int) -> Step | None:
        if level > self.level_before:
            return proportional(0.25)
        return additive(RISE, MOST_RISE) if level < self.level_before else None

    def decrease(self, level: int) -> Step | None:
        if level > self.level_before:
            return scaled(0.1)
        return proportional(0.17) if level < self.level_before else None
