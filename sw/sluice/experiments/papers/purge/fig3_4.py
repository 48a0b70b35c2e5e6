# SPDX-License-Identifier: Apache-2.0
"""Purge, figures 3 and 4: the number of flows as Purge counts and BLACK estimates it, beside those that sent.

The paper has 600 flows, equal ones for 20 s and then sources that come and go, half of them of HTTP; here these are two kinds of
points. What the flows of Figure 2 were, and how fast its link, is lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from sluice.experiments import Cell, Experiment, TimePlot, udp
from sluice.experiments.papers import purge
from sluice.experiments.tcp import NS2_LIKE
from sluice.loop.scenario import Scenario, flow_groups
from sluice.loop.scenario_format import Access, Hop
from sluice.loop.series import Result, Steps

FLOWS = (200, 400, 600)

FLOW_MBPS = 0.025
"""Of each flow in the mean, the paper's."""

LOAD = 1.25
"""What the UDP flows of `equal` offer, by the link's rate: BLACK sees flows only where packets are queued."""

BUFFER_S = 0.25
"""Time in which the link sends a buffer: packets of a flow meet in it."""

DURATION_S = 60

SETTINGS: dict[str, dict[str, dict[str, float]]] = {
    "purge": {"purge": purge.PAPERS_FORM},
    "black": {"black": {"period": 1000}},
    "black-5000": {"black": {"period": 5000}},
}
"""Of the columns. A short period of BLACK has few samples, a long one is long out of date."""


def _network(count: int, kind: str) -> Scenario:
    rate_mbps = count * FLOW_MBPS / LOAD
    packets = round(rate_mbps * 1e6 / 8 / purge.PACKET_BYTES * BUFFER_S)
    groups = {
        "equal": [
            {"name": "packets", "count": count, **udp.at_random(FLOW_MBPS, purge.PACKET_BYTES, link_mbps=10)},
        ],
        "on/off": [
            {
                "name": "voice",
                "kind": "udp_onoff",
                "count": count // 2,
                "rate_mbps": 2 * FLOW_MBPS,
                "burst_s": 1,
                "idle_s": 1,
                "shape": None,
            },
            {"kind": "web", "count": count // 2, "start_spread_s": 4, "mean_bytes": 10_000, "think_s": 3},
        ],
    }
    return Scenario(
        name="purge-fig3-4",
        summary=f"{count} flows, {kind}, share {rate_mbps:g} Mbit/s",
        duration_s=DURATION_S,
        warmup_s=20,
        limit=packets,
        packet_bytes=purge.PACKET_BYTES,
        sample_interval_s=1,  # Purge's window
        hops=[Hop(rate_mbps=rate_mbps, delay_ms=2)],
        access=Access(rate_mbps=100, delay_ms=2),
        flows=flow_groups(groups[kind]),
        tcp=NS2_LIKE,
    )


def cells() -> list[Cell]:
    """One cell for each AQM, number of flows and kind of them."""
    return [
        Cell(
            aqm=aqm,
            point=f"{count} flows, {kind}",
            config=aqm.partition("-")[0],
            scenario=replace(_network(count, kind), settings=SETTINGS[aqm]),
        )
        for kind in ("equal", "on/off")
        for count in FLOWS
        for aqm in SETTINGS
    ]


def estimates(result: Result) -> Sequence[float]:
    """N at each second: Purge shows it, BLACK's is samples by matches, or the samples where there was no match."""
    status = result["series"]["status"]
    if "flows" in status:
        found: Sequence[float] = status["flows"]
        return found
    return [samples / max(matches, 1) for samples, matches in zip(status["samples"], status["matches"], strict=True)]


def senders(_: Scenario, result: Result) -> Steps:
    """How many flows have sent in each second, at its end."""
    series = result["series"]
    return list(zip(series["time_s"], series["flows"], strict=True))


def rmse_percent(result: Result) -> float:
    """The root mean square of the relative error of a second's estimate."""
    return float(100 * np.sqrt(np.mean(_errors(result) ** 2)))


def bias_percent(result: Result) -> float:
    """The mean relative error."""
    return float(100 * np.mean(_errors(result)))


def _errors(result: Result) -> np.ndarray:
    series = result["series"]
    measured = np.asarray(series["time_s"]) > float(result["warmup_s"])
    errors: np.ndarray = np.asarray(estimates(result)) / np.asarray(series["flows"]) - 1
    return errors[measured]


experiment = Experiment(
    name="purge-fig3-4",
    summary="Purge's figures 3 and 4: the estimated number of flows beside that of the flows that sent",
    duration_s=DURATION_S,
    seeds=3,
    settings={
        "equal": "each flow sends packets of 1000 bytes at random (exponential) intervals, the paper's 25 kbit/s in the mean",
        "on/off": "half of the flows UDP of 50 kbit/s, on for 1 s and off for 1 s in the mean (exponential); half TCP transfers"
        " of 10 kB in the mean (Pareto, shape 1.2) with pauses of 3 s (exponential)",
        "network": f"{FLOW_MBPS / LOAD * 1000:g} kbit/s per flow, buffer of {BUFFER_S * 1000:g} ms, shortest round trip 12 ms",
        "true number": "flows of which packets came to the queue in the second, dropped ones too",
        "Purge": "windows of 1 s; target a fifth of the buffer",
        "BLACK": "threshold a fifth of the buffer; periods of 1,000 arrivals, and of 5,000",
        "TCP": purge.SETTINGS["TCP"],
        "duration": f"{DURATION_S} s, the first third discarded",
        "published": "curves only: both follow equal flows, then BLACK deviates",
    },
    cells=cells,
    metrics={"rmse_percent": rmse_percent, "bias_percent": bias_percent},
    quick_points=("200 flows, equal", "600 flows, equal", "200 flows, on/off", "600 flows, on/off"),
    quick_part=0.5,
    time_plots=(TimePlot("Estimated number of flows", "flows", estimates, truth=senders),),
)
