# SPDX-License-Identifier: Apache-2.0
"""CARED, Figure 5: the average queue after the load has fallen at 25 s.

Two long flows and twenty others, started one each 0.1 s; the twenty end at 25 s.
"""

from __future__ import annotations

from sluice.experiments.papers.cared import _step

NETWORK = _step.scenario("cared-fig5", "two flows, and twenty more until 25 s", first_start_s=0, stop_s=_step.STEP_S)

experiment = _step.experiment(NETWORK, "CARED, Figure 5: the average queue after the load has fallen at 25 s")
