# SPDX-License-Identifier: Apache-2.0
"""Adaptive RED (S. Floyd, R. Gummadi, S. Shenker 2001): max_p rises by min(0.01, max_p / 4) and falls to 0.9 max_p."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice_golden.red.adaptive import additive, scaled
from sluice_golden.red.adaptive_traffic import AdaptiveTraffic

if TYPE_CHECKING:
    from sluice_golden.red.adaptive import Step

RISE, MOST_RISE = 0.25, 0.01


class Ared(AdaptiveTraffic):
    """The band is the middle fifth of min..max."""

    name = "ared"
    margin = 0.40
    turn = MOST_RISE / RISE

    def increase(self, level: int) -> Step:
        del level
        return additive(RISE, MOST_RISE)

    def decrease(self, level: int) -> Step:
        del level
        return scaled(0.1)
