# SPDX-License-Identifier: Apache-2.0
"""COBALT and a sender that does not back off: how soon BLUE beside CoDel takes the queue away, and CoDel alone."""

from __future__ import annotations

from typing import Any

from sluice.experiments import Experiment
from sluice.experiments.papers import hostile
from sluice.experiments.papers.hostile import Column
from sluice.loop.scenario import Scenario, flow_groups
from sluice.loop.scenario_format import Access, Hop

COLUMNS = {"cobalt": Column("cobalt"), "codel": Column("codel"), "ns3-cobalt": Column("ns3-cobalt")}

DURATION_S = 30
TARGET_MS = 5.0
_WINDOW_S = 1.0


def scenario(load: float) -> Scenario:
    """One UDP flow of so many times a link of 10 Mbit/s."""
    return Scenario(
        name="cobalt-unresponsive",
        summary=f"one UDP flow of {load:g} times the link",
        duration_s=DURATION_S,
        warmup_s=DURATION_S / 3,
        limit=100,
        packet_bytes=1000,
        hops=[Hop(rate_mbps=10, delay_ms=10)],
        access=Access(rate_mbps=1000, delay_ms=5),
        flows=flow_groups([{"name": "udp", "kind": "udp_cbr", "rate_mbps": 10 * load, "start_spread_s": 0.1}]),
    )


def below_s(result: dict[str, Any]) -> float:
    """When the mean delay of a second is below twice the target for the first time; the end of that second."""
    series = result["series"]
    samples = list(zip(series["time_s"], series["delay_ms"], strict=True))
    per_window = round(_WINDOW_S / (samples[1][0] - samples[0][0]))
    for last in range(per_window, len(samples) + 1):
        own = [delay for _, delay in samples[last - per_window : last]]
        if sum(own) / per_window < 2 * TARGET_MS:
            return float(samples[last - 1][0])
    return float("inf")


experiment = Experiment(
    name="cobalt-unresponsive",
    summary="COBALT and CoDel alone before one UDP flow of 1.2 to 4 times the link: the queue's delay, and when it is gone",
    duration_s=DURATION_S,
    seeds=hostile.SEEDS,
    settings={
        "network": "10 Mbit/s, 100 packets of 1,000 bytes, one UDP flow; target 5 ms, interval 100 ms",
        "below_s": "end of the first second whose mean delay is below twice the target",
        "delay_ms": "after the first third",
        "duration": f"{DURATION_S} s",
    },
    cells=lambda: hostile.cells({f"{load:g} times the link": scenario(load) for load in (1.2, 2, 4)}, COLUMNS),
    metrics={
        "below_s": below_s,
        "delay_ms": lambda result: float(result["queue_delay_ms"]["mean"]),
        "link_percent": lambda result: 100 * float(result["utilisation"]),
    },
    medians=("below_s",),
    quick_points=("2 times the link",),
    quick_part=1,
)
