# SPDX-License-Identifier: Apache-2.0
"""What is measured of a run, each thing defined here once, with its unit in its name.

All are of the time after the warm-up and of the flows that go forth. *TCP flows* are those of every kind over TCP; *bulk flows*
always have data; *deaf* and *call* are what the cells call a sender that does not listen, and one of a person who does, *ecn* and
*plain* those with ECN and without.
Nothing stands where a cell has no such flows, and infinity where something never came about.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Any

import numpy as np

from sluice.experiments.atlas import rule
from sluice.loop import metrics
from sluice.loop.scenario import Scenario

Result = dict[str, Any]
Flow = dict[str, Any]

HELD_S = 1.0
"""A queue is short again when it has been so for this long."""

SHORT = 2
"""It is short while the mean delay of a sample is at most so many targets."""


@dataclass(frozen=True)
class Measure:
    """One number of a run."""

    name: str
    """Column of the table, with the unit."""
    meaning: str
    value: Callable[[Scenario, Result], float | None]


def _forth(result: Result) -> list[Flow]:
    return [flow for flow in result["flows"] if flow["direction"] == "forth"]


def _tcp(result: Result) -> list[Flow]:
    return [flow for flow in _forth(result) if not flow["kind"].startswith("udp")]


def _bulk(result: Result) -> list[Flow]:
    return [flow for flow in _forth(result) if flow["kind"] == "tcp"]


def _group(flow: Flow) -> str:
    return str(flow["id"].rpartition("-")[0])


def _called(result: Result, name: str) -> list[Flow]:
    return [flow for flow in _forth(result) if _group(flow) == name]


def _goodput(flows: Sequence[Flow]) -> float:
    return float(sum(flow["goodput_mbps"] for flow in flows))


def _jain(_: Scenario, result: Result) -> float | None:
    rates = [flow["goodput_mbps"] for flow in _bulk(result)]
    return metrics.jain(rates) if len(rates) > 1 else None


def _ratio(_: Scenario, result: Result) -> float | None:
    """Where nothing is left to one of them it is infinite."""
    groups = defaultdict(list)
    for flow in _bulk(result):
        groups[_group(flow)].append(flow["goodput_mbps"])
    if len(groups) < 2:
        return None
    first, *others = (mean(rates) for rates in groups.values())
    least, most = min(first, *others), max(first, *others)
    return most / least if least else math.inf


def _deaf_shares(scenario: Scenario, result: Result) -> float | None:
    """Of the flows that always have data, as the fair share counts them."""
    deaf, bulk = _called(result, "deaf"), _bulk(result)
    if not (deaf and bulk):
        return None
    fair_mbps = scenario.capacity_mbps / (len(deaf) + len(bulk))
    return float(sum(flow["throughput_mbps"] for flow in deaf) / fair_mbps)


def _transfers(measure: Callable[[np.ndarray], Any]) -> Callable[[Scenario, Result], float | None]:
    def value(_: Scenario, result: Result) -> float | None:
        seconds = np.concatenate([flow["transfers"]["seconds"] for flow in _tcp(result) if "transfers" in flow] or [[]])
        return 1000 * float(measure(seconds)) if len(seconds) else None

    return value


def _open_percent(_: Scenario, result: Result) -> float | None:
    found = [flow["transfers"] for flow in _tcp(result) if "transfers" in flow]
    begun = sum(transfers["begun"] for transfers in found)
    return 100 * (1 - sum(len(transfers["seconds"]) for transfers in found) / begun) if begun else None


def _ledbat_percent(_: Scenario, result: Result) -> float | None:
    own = _called(result, "ledbat")
    return 100 * _goodput(own) / max(_goodput(_bulk(result)), 1e-9) if own else None


def _call_p99_ms(_: Scenario, result: Result) -> float | None:
    calls = _called(result, "call")
    return max(flow["delay_ms"]["p99"] for flow in calls) if calls else None


def _loss_of(flows: Callable[[Result], list[Flow]]) -> Callable[[Scenario, Result], float | None]:
    return lambda _, result: metrics.loss_percent(flows(result)) if flows(result) else None


def burdens(scenario: Scenario) -> list[tuple[float, float]]:
    """The changes that lengthen the queue, each as the time of it and of the next change: falls of the rate, starts of flows.

    Nothing where they come more often than a queue could be held for.
    """
    hop, end_s = scenario.hops[0], scenario.duration_s
    steps = hop.steps_until(end_s)
    rates = [hop.rate_mbps, *(step.rate_mbps for step in steps)]
    falls = {
        step.at_s for (before, after), step in zip(itertools.pairwise(rates), steps, strict=True) if after < before
    }
    starts = {group.start_s + group.start_spread_s for group in scenario.flows}
    stops = {group.stop_s for group in scenario.flows if group.stop_s}
    times = sorted(
        time for time in falls | starts | stops | {step.at_s for step in steps} if scenario.warmup_s < time < end_s
    )
    stretches = list(itertools.pairwise([*times, end_s]))
    if any(after - before <= HELD_S for before, after in stretches):
        return []
    return [(before, after) for before, after in stretches if before in falls | starts]


def _recovery_s(scenario: Scenario, result: Result) -> float | None:
    stretches = burdens(scenario)
    return max(_short_after_s(scenario, result, *stretch) for stretch in stretches) if stretches else None


def _short_after_s(scenario: Scenario, result: Result, begin_s: float, end_s: float) -> float:
    most_ms = 1000 * SHORT * rule.target_s(scenario)
    series = result["series"]
    since: float | None = None
    for time_s, delay_ms in zip(series["time_s"], series["delay_ms"], strict=True):
        if begin_s < time_s <= end_s:
            since = (time_s if since is None else since) if delay_ms <= most_ms else None
            if since is not None and time_s - since >= HELD_S:
                return since - begin_s
    return math.inf


MEASURES = (
    Measure("link_percent", "bytes that left, of what the link could carry", lambda _, r: 100 * r["utilisation"]),
    Measure("goodput_mbps", "what applications read, of all flows", lambda _, r: _goodput(_forth(r))),
    Measure("tcp_mbps", "the same of TCP flows", lambda _, r: _goodput(_tcp(r)) if _tcp(r) else None),
    Measure("delay_mean_ms", "mean time in the queue", lambda _, r: r["queue_delay_ms"]["mean"]),
    Measure("delay_p99_ms", "its 99th percentile over packets", lambda _, r: r["queue_delay_ms"]["p99"]),
    Measure("delay_p999_ms", "its 99.9th percentile", lambda _, r: r["queue_delay_ms"]["p999"]),
    Measure("jain", "Jain's index of the bulk flows' goodputs; 1 is equal", _jain),
    Measure("ratio", "of groups of bulk flows the best one's goodput of a flow over the worst one's", _ratio),
    Measure("ledbat_percent", "what LEDBAT takes of the bulk flows' goodput", _ledbat_percent),
    Measure("deaf_shares", "what a sender that does not listen carries away, in fair shares", _deaf_shares),
    Measure("loss_percent", "packets dropped, of arrivals", lambda _, r: metrics.drop_percent(r)),
    Measure("tcp_loss_percent", "the same of TCP flows", _loss_of(_tcp)),
    Measure("ecn_loss_percent", "the same of flows with ECN", _loss_of(lambda result: _called(result, "ecn"))),
    Measure(
        "plain_loss_percent", "the same of those beside them without", _loss_of(lambda result: _called(result, "plain"))
    ),
    Measure("mark_percent", "packets marked CE, of arrivals", lambda _, r: metrics.mark_percent(r)),
    Measure("transfer_p50_ms", "median time of a transfer, of those that ended", _transfers(np.median)),
    Measure("transfer_p99_ms", "its 99th percentile", _transfers(lambda seconds: np.percentile(seconds, 99))),
    Measure("open_percent", "transfers that had not ended when the run did", _open_percent),
    Measure("call_p99_ms", "99th percentile of a call's time in the queue", _call_p99_ms),
    Measure("call_loss_percent", "its packets dropped", _loss_of(lambda result: _called(result, "call"))),
    Measure(
        "recovery_s", "after the worst step: time until the delay stays below two targets for a second", _recovery_s
    ),
)


def of(scenario: Scenario, result: Result) -> dict[str, float | None]:
    """All measures of a run."""
    return {measure.name: measure.value(scenario, result) for measure in MEASURES}


def find(name: str) -> Measure:
    """The measure of that name."""
    return next(measure for measure in MEASURES if measure.name == name)
