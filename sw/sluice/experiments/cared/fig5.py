# SPDX-License-Identifier: Apache-2.0
"""CARED, Figure 5: the average queue after the load has fallen at 25 s.

Two long flows and twenty others, started one each 0.1 s; the twenty end at 25 s.
"""

from __future__ import annotations

from sluice.experiments.cared import _cared_step

NETWORK = _cared_step.scenario(
    "cared-fig5", "two flows, and twenty more until 25 s", first_start_s=0, stop_s=_cared_step.STEP_S
)

experiment = _cared_step.experiment(NETWORK, "CARED, Figure 5: the average queue after the load has fallen at 25 s")
