# SPDX-License-Identifier: Apache-2.0
"""What CARED's Figures 4 and 5 have in common: the network, and how long the average is away from its target.

The paper takes both from S. Floyd, R. Gummadi, S. Shenker, "Adaptive RED" (ICIR, 2001): two long flows, and
twenty more that come or go at 25 s. "Back in the target band" is read off a curve there. Here it is the time
from the step until the average, once outside the band, stays inside it for a second: a curve that only
crosses the band on its way does not count.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from sluice.experiments import Cell, Experiment, TimePlot, data
from sluice.experiments.papers import cared
from sluice.experiments.tcp import NS2_LIKE
from sluice.loop.scenario import Scenario, flow_groups
from sluice.loop.scenario_format import Access, Hop
from sluice.loop.series import status

STEP_S = 25.0
"""When the load changes."""

POINT = f"step at {STEP_S:g} s"
"""The only row of the table."""

STAY_S = 1.0
"""How long the average has to stay in the band to be back."""

MIN_PACKETS, MAX_PACKETS = 5.0, 15.0

BAND = (
    MIN_PACKETS + 0.4 * (MAX_PACKETS - MIN_PACKETS),
    MIN_PACKETS + 0.6 * (MAX_PACKETS - MIN_PACKETS),
)
"""ARED's target for the average queue, packets."""

AQMS = ("red", "ared", "re-ared", "cared")
"""Curves of the figure."""

LONG: dict[str, Any] = {"name": "long", "kind": "tcp", "count": 2, "start_spread_s": 0.2}
"""The two flows that are always there; the seed decides when they start."""

SETTINGS = {
    "network": "1.5 Mbit/s, 80 ms round trip as in the tables, access 10 Mbit/s, 1500 B packets, no ECN",
    "RED": "min 5, max 15, gentle, max_p 0.1 at first; w_q 0.0027 is 1.5 x 2^-9 in hardware",
    "back in the band": f"{BAND[0]:g} to {BAND[1]:g} packets, left and then kept for {STAY_S:g} s; median over the seeds",
    "TCP": "ns-3 NewReno with SACK, no timestamps, delayed ACKs, least RTO 1 s; an ACK per segment or 200 ms change the times",
}
"""What the paper left open."""

TIME_PLOTS = (
    TimePlot("Average queue", "packets", status("average"), band=BAND),
    TimePlot("max_p", "max_p", status("max_probability_now")),
)
"""The figure itself, and what the schemes move."""


def scenario(name: str, summary: str, first_start_s: float, stop_s: float | None = None) -> Scenario:
    """The network with twenty flows beside the long ones, started 0.1 s apart and perhaps ended together."""
    end = {} if stop_s is None else {"stop_s": stop_s}
    crowd: list[dict[str, Any]] = [
        {"name": f"crowd{index + 1}", "kind": "tcp", "start_s": first_start_s + 0.1 * index} | end
        for index in range(20)
    ]
    return Scenario(
        name=name,
        summary=summary,
        duration_s=60,
        warmup_s=0,
        limit=35,
        packet_bytes=1500,
        hops=[Hop(rate_mbps=1.5, delay_ms=20)],
        access=Access(rate_mbps=10, delay_ms=10),
        flows=flow_groups([LONG, *crowd]),
        tcp=NS2_LIKE
        | {
            "ns3::TcpSocketBase::MinRto": "1s",
            "ns3::TcpSocket::DelAckCount": "2",
            "ns3::TcpSocket::InitialCwnd": "2",
        },
        settings=cared.settings_of_all(
            {"min": MIN_PACKETS, "max": MAX_PACKETS, "weight": 0.0027, "probability": 0.1, "ecn": 0}
        ),
    )


def experiment(network: Scenario, summary: str) -> Experiment:
    """The figure of the network's name: seconds back to the band, and both curves over time."""
    return Experiment(
        name=network.name,
        summary=summary,
        duration_s=network.duration_s,
        seeds=10,
        settings=SETTINGS,
        cells=lambda: cells(network),
        metrics={"seconds_back": seconds_back},
        quick_points=(POINT,),
        quick_part=1,
        medians=("seconds_back",),
        time_plots=TIME_PLOTS,
    )


def cells(network: Scenario) -> list[Cell]:
    """One cell for each AQM."""
    printed = data.published(network.name)["seconds_back_to_target"]
    return [
        Cell(
            aqm=aqm,
            point=POINT,
            config=cared.COLUMNS[aqm].config,
            scenario=network,
            published={"seconds_back": printed[key]} if (key := aqm.replace("-", "_")) in printed else {},
        )
        for aqm in AQMS
    ]


def seconds_back(result: dict[str, Any]) -> float:
    """Seconds from the step until the average is back in the band; infinity if that never happens."""
    series = result["series"]
    after = [
        (time_s - STEP_S, BAND[0] <= average <= BAND[1])
        for time_s, average in zip(series["time_s"], series["status"]["average"], strict=True)
        if time_s >= STEP_S
    ]
    return back_after(after)


def back_after(samples: Sequence[tuple[float, bool]]) -> float:
    """When, by samples of time and of being inside, a stay of `STAY_S` begins after the first time outside.

    Zero if there is no time outside, infinity if no stay follows it or there are no samples.
    """
    left = next((index for index, (_, inside) in enumerate(samples) if not inside), None)
    if left is None:
        return 0.0 if samples else math.inf
    entered = None
    for time_s, inside in samples[left:]:
        if not inside:
            entered = None
        elif entered is None:
            entered = time_s
        elif time_s - entered >= STAY_S:
            return entered
    return math.inf
