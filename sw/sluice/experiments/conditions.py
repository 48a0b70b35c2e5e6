# SPDX-License-Identifier: Apache-2.0
"""Under which conditions an experiment was run, in words: its network, how long, how often, and what its metrics are."""

from __future__ import annotations

from sluice.experiments import Experiment
from sluice.experiments.plan import Plan
from sluice.loop.scenario import Scenario


def of(plan: Plan) -> dict[str, str]:
    """By name: what the paper left open, then what is so of each experiment."""
    experiment = plan.experiment
    own = "" if plan.duration_s == experiment.duration_s else f"; {experiment.duration_s:g} s are the experiment's own"
    network = {} if experiment.measure else {f"network at {plan.cells[0].point}": _network(plan.cells[0].scenario)}
    return (
        experiment.settings
        | network
        | _metrics(experiment)
        | {"simulated time": f"{plan.duration_s:g} s{own}", "seeds": f"1..{len(plan.seeds)}"}
    )


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
    said = {name: (measure.__doc__ or "").partition(".")[0].split() for name, measure in experiment.metrics.items()}
    return {name: " ".join(words) for name, words in said.items() if words}
