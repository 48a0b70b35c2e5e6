# SPDX-License-Identifier: Apache-2.0
"""Re-ARED-M1 (M. Tahiliani, K. Shet, T. Basavaraju 2012): Re-ARED's steps with ARED's band."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice_golden.adaptive import Adaptive, proportional

if TYPE_CHECKING:
    from sluice_golden.adaptive import Step


class ReAredM1(Adaptive):
    """The band is the middle fifth of min..max."""

    name = "re-ared-m1"
    margin = 0.40

    def increase(self, level: int) -> Step:
        del level
        return proportional(0.25)

    def decrease(self, level: int) -> Step:
        del level
        return proportional(0.17)
