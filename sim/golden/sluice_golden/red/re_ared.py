# SPDX-License-Identifier: Apache-2.0
"""Re-ARED (T.-H. Kim, K.-H. Lee 2006): both steps in proportion to the distance from the band."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice_golden.red.adaptive import proportional
from sluice_golden.red.adaptive_traffic import AdaptiveTraffic

if TYPE_CHECKING:
    from sluice_golden.red.adaptive import Step


class ReAred(AdaptiveTraffic):
    """The band is the middle twenty-fifth of min..max."""

    name = "re-ared"
    margin = 0.48

    def increase(self, level: int) -> Step:
        del level
        return proportional(0.25)

    def decrease(self, level: int) -> Step:
        del level
        return proportional(0.17)
