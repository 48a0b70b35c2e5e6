# SPDX-License-Identifier: Apache-2.0
"""Under which conditions an experiment was run, in words: its network, how long, how often, and what its metrics are."""

from __future__ import annotations

import re

from sluice.experiments import Experiment
from sluice.experiments.plan import Plan
from sluice.loop.scenario import Scenario


def of(plan: Plan) -> dict[str, str]:
    """By name: what each metric is, what the paper left open, and how it was run."""
    experiment = plan.experiment
    own = "" if plan.duration_s == experiment.duration_s else f"; {experiment.duration_s:g} s are the experiment's own"
    return (
        _metrics(experiment)
        | experiment.settings
        | ({} if experiment.measure else _networks(plan))
        | {"simulated time": f"{plan.duration_s:g} s{own}", "seeds": f"1..{len(plan.seeds)}"}
    )


def _networks(plan: Plan) -> dict[str, str]:
    """The one that all points share, or that of the first."""
    found = list(dict.fromkeys(_network(cell.scenario) for cell in plan.cells))
    name = "network" if len(found) == 1 else f"network at {plan.cells[0].point}, one of {len(found)}"
    return {name: found[0]}


def _network(scenario: Scenario) -> str:
    links = ", ".join(f"{hop.rate_mbps:g} Mbit/s and {hop.delay_ms:g} ms one way" for hop in scenario.hops)
    tcp = ", ".join(f"{name.removeprefix('ns3::')} {value}" for name, value in scenario.tcp.items())
    return (
        f"{links} behind links of {scenario.access.rate_mbps:g} Mbit/s and {scenario.access.delay_ms:g} ms at either end"
        f" unless a flow has its own; packets of {scenario.packet_bytes} bytes, a buffer of {scenario.limit} packets;"
        f" TCP is ns-3's{f' with {tcp}' if tcp else ''}"
    )


def _metrics(experiment: Experiment) -> dict[str, str]:
    """What each is that says so of itself, in the first sentence of its docstring."""
    said = {name: " ".join((measure.__doc__ or "").split()) for name, measure in experiment.metrics.items()}
    return {name: re.split(r"\.(?: |$)", text, maxsplit=1)[0] for name, text in said.items() if text}
