# SPDX-License-Identifier: Apache-2.0
"""Re-ARED-M2 (M. Tahiliani, K. Shet, T. Basavaraju 2012): steps too small to cross Re-ARED's band."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice_golden.red.adaptive import proportional
from sluice_golden.red.adaptive_traffic import AdaptiveTraffic

if TYPE_CHECKING:
    from sluice_golden.red.adaptive import Step


class ReAredM2(AdaptiveTraffic):
    """The band is the middle twenty-fifth of min..max."""

    name = "re-ared-m2"
    margin = 0.48

    def increase(self, level: int) -> Step:
        del level
        return proportional(0.0412)

    def decrease(self, level: int) -> Step:
        del level
        return proportional(0.0384)
