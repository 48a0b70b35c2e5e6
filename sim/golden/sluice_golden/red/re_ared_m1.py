# SPDX-License-Identifier: Apache-2.0
"""Re-ARED-M1 (M. Tahiliani, K. Shet, T. Basavaraju 2012): Re-ARED's steps with ARED's band."""

from __future__ import annotations

from sluice_golden.red.re_ared import ReAred


class ReAredM1(ReAred):
    """The band is the middle fifth of min..max."""

    name = "re-ared-m1"
    margin = 0.40
