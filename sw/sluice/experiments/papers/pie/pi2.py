# SPDX-License-Identifier: Apache-2.0
"""PI2 beside PIE as in PI2's figures: steady flows, a load that comes and goes, and a rate that falls and rises again."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from sluice.experiments import Cell, Experiment, TimePlot, beside_ns3
from sluice.experiments.tcp import NS2_LIKE
from sluice.loop import metrics
from sluice.loop.scenario import Scenario, flow_groups
from sluice.loop.scenario_format import Access, Hop, RateStep

AQMS = ("pi2-head", "pie", "pi2", "pie-backlog")
"""The first two know the time that packets have waited, the others what is queued and the link's first rate."""

DURATION_S = 45
STEP_S = 15
"""When load or rate changes; the second change comes as much later."""

RATE_MBPS = 20
TARGET_MS = 20

SETTINGS: dict[str, dict[str, float]] = {
    "pi2": {"target": TARGET_MS * 1e6, "tupdate": 32e6, "alpha": 5 / 16, "beta": 50 / 16},
    "pie": {"target": TARGET_MS * 1e6, "tupdate": 32e6, "alpha": 2 / 16, "beta": 20 / 16},
}
"""Section 5 of the paper: PI2's gains are two and a half times those of PIE, which are Linux' own."""

_SETTLED_S = 1.0
_REGAINED_S = 5.0


def scenario(summary: str, hop: Hop, groups: list[dict[str, Any]]) -> Scenario:
    """Greedy TCP flows over one link, with a round trip of 100 ms."""
    return Scenario(
        name="pi2-pie",
        summary=summary,
        duration_s=DURATION_S,
        warmup_s=STEP_S,
        limit=1000,
        packet_bytes=1500,
        hops=[hop],
        access=Access(rate_mbps=1000, delay_ms=10),
        flows=flow_groups(groups),
        tcp=NS2_LIKE,
        settings=SETTINGS,
    )


def points() -> dict[str, Scenario]:
    """The scenarios by name."""

    def flows(count: int) -> dict[str, Any]:
        return {"kind": "tcp", "count": count, "start_spread_s": 5}

    link = Hop(rate_mbps=RATE_MBPS, delay_ms=30)
    steady = {
        f"{count} flows": scenario(f"{count} TCP flows share {RATE_MBPS} Mbit/s", link, [flows(count)])
        for count in (5, 25, 100)
    }
    late = flows(40) | {"name": "late", "start_s": STEP_S, "start_spread_s": 0.1, "stop_s": 2 * STEP_S}
    steps = [RateStep(at_s=STEP_S, rate_mbps=20), RateStep(at_s=2 * STEP_S, rate_mbps=100)]
    falling = Hop(rate_mbps=100, delay_ms=30, steps=steps)
    return steady | {
        "10, 50, 10 flows": scenario(f"10 TCP flows, 50 from {STEP_S} to {2 * STEP_S} s", link, [flows(10), late]),
        "100, 20, 100 Mbit/s": scenario(f"20 TCP flows, a fifth of the rate from {STEP_S} s on", falling, [flows(20)]),
    }


def _after(result: dict[str, Any], begin_s: float, seconds: float) -> Iterator[tuple[float, int]]:
    """Of the samples of so many seconds: the time since their begin, and the index."""
    for index, time in enumerate(result["series"]["time_s"]):
        if begin_s < time <= begin_s + seconds:
            yield time - begin_s, index


def peak_ms(result: dict[str, Any]) -> float:
    """The longest delay from the first change to the second, as the mean of a tenth of a second; infinity in a run without."""
    return max((float(result["series"]["delay_ms"][at]) for _, at in _after(result, STEP_S, STEP_S)), default=math.inf)


def settled_s(result: dict[str, Any]) -> float:
    """When after the first change the delay begins to stay below twice the target for a second; never: infinity."""
    since: float | None = None
    for time, index in _after(result, STEP_S, STEP_S):
        if result["series"]["delay_ms"][index] >= 2 * TARGET_MS:
            since = None
        else:
            since = time if since is None else since
            if time - since >= _SETTLED_S:
                return since
    return math.inf


def regained_mbps(result: dict[str, Any]) -> float:
    """What all flows get in the seconds after the second change, which leaves the link too little load at first."""
    series = result["flow_series"]
    begin, end = (round(at_s / series["interval_s"]) for at_s in (2 * STEP_S, 2 * STEP_S + _REGAINED_S))
    sums = [sum(rates) for rates in zip(*series["throughput_mbps"].values(), strict=True)][begin:end]
    return sum(sums) / len(sums) if len(sums) == end - begin else math.inf


experiment = Experiment(
    name="pi2-pie",
    summary="PI2 beside PIE: delay of 5 to 100 flows, and how both take a step of the load and one of the rate",
    duration_s=DURATION_S,
    seeds=3,
    settings={
        "network": f"one link of {RATE_MBPS} Mbit/s unless said, round trip 100 ms, buffer 1,000 packets of 1,500 bytes",
        "controllers": f"target {TARGET_MS} ms, tupdate 32 ms; alpha and beta 5/16 and 50/16 of PI2, 2/16 and 20/16 of PIE",
        "delay": "pi2-head and pie: what the last packet waited; pi2 and pie-backlog: the queue at the link's first rate",
        "100, 20, 100 Mbit/s": "20 flows; in the paper 50 s at each rate, and a buffer of 40,000 packets",
        "peak_ms, settled_s": f"from {STEP_S} to {2 * STEP_S} s: peak of means of 0.1 s, below twice the target for 1 s",
        "regained_mbps": f"all flows' throughput from {2 * STEP_S} to {2 * STEP_S + _REGAINED_S:g} s",
        "TCP": "NewReno as in ns-2: SACK, an ACK per segment, least RTO 200 ms",
        "duration": f"{DURATION_S} s, the first {STEP_S} discarded",
    },
    cells=lambda: [
        Cell(aqm=aqm, point=point, config=aqm, scenario=at) for point, at in points().items() for aqm in AQMS
    ],
    metrics={
        "delay_ms": beside_ns3.delay_ms,
        "peak_ms": peak_ms,
        "settled_s": settled_s,
        "regained_mbps": regained_mbps,
        "drop_percent": metrics.drop_percent,
        "goodput_mbps": beside_ns3.goodput_mbps,
    },
    medians=("settled_s",),
    quick_points=("25 flows", "10, 50, 10 flows"),
    quick_part=1,
    time_plots=(TimePlot("Delay", "ms", lambda result: result["series"]["delay_ms"], band=(0, 2 * TARGET_MS)),),
)
