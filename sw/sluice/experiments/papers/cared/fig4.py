# SPDX-License-Identifier: Apache-2.0
"""CARED, Figure 4: the average queue after the load has risen at 25 s.

Two long flows; from 25 s on twenty more start, one each 0.1 s. RED's max_p is fixed, so its average stays away.
"""

from __future__ import annotations

from sluice.experiments.papers.cared import _step

NETWORK = _step.scenario("cared-fig4", "two flows, and twenty more from 25 s on", first_start_s=_step.STEP_S)

experiment = _step.experiment(NETWORK, "CARED, Figure 4: the average queue after the load has risen at 25 s")
