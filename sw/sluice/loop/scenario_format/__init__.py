# SPDX-License-Identifier: Apache-2.0
"""What may stand in a scenario file. Declared here once: the checks, the JSON schema and the page follow from it.

The docstring under a key is what editors and docs/simulate/scenarios.md show.
"""

from __future__ import annotations

from sluice.loop.scenario_format.file import ScenarioFile
from sluice.loop.scenario_format.flows import AnyFlowGroup, FlowGroup
from sluice.loop.scenario_format.links import Access, Hop, RateStep
from sluice.loop.scenario_format.switch import SwitchPort
from sluice.loop.scenario_format.values import Rtt, Settings

__all__ = ["Access", "AnyFlowGroup", "FlowGroup", "Hop", "RateStep", "Rtt", "ScenarioFile", "Settings", "SwitchPort"]
