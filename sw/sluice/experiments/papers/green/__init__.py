# SPDX-License-Identifier: Apache-2.0
"""What the experiments of GREEN's paper have in common: the network, the columns and the measures.

A. Kapadia, W. Feng, R. Campbell, "GREEN: A TCP Equation-Based Approach to Active Queue Management", 2004. All its results are
curves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import mean
from typing import Any

from sluice.experiments import Cell, Experiment
from sluice.experiments.tcp import NS2_LIKE
from sluice.loop import metrics
from sluice.loop.scenario import Scenario, flow_groups
from sluice.loop.scenario_format import Access, Hop, Rtt

LINK_MBPS = 155

FLOWS = (100, 200, 300, 400)

SINK_DELAYS_MS = (1, 200)
"""Of the first and of the last flow, one way; those between are in between."""

FOR_EVER = 4095
"""Windows that no run has."""

ORDER = {
    "GREEN embedded": "highest",
    "GREEN IDMaps": "second",
    "FRED": "third",
    "DropTail": "fourth",
    "SFB": "lowest",
}
"""The paper's words for the Jain index."""

_BASE = Scenario(
    name="green",
    summary="TCP flows of 72 to 470 ms share 155 Mbit/s",
    duration_s=180,
    warmup_s=30,
    limit=600,
    packet_bytes=1000,
    hops=[Hop(rate_mbps=LINK_MBPS, delay_ms=30)],
    access=Access(rate_mbps=10, delay_ms=5),
    flows=flow_groups([{"kind": "tcp"}]),  # each experiment brings its own
    tcp=NS2_LIKE,
)

SETTINGS = {
    "network": "155 Mbit/s; round trips of 72 to 470 ms, even steps; access links 10 Mbit/s",
    "buffer": "600 packets of 1000 bytes, headers included",
    "TCP": "NewReno as in ns-2: SACK, an ACK per segment, least RTO 200 ms; all start within a second",
    "GREEN": "c 1.31, windows of 1 s, gamma in 1/64 .. 64 from 1; flows counted by MINCOUNT; `frozen`: gamma stays 1",
    "GREEN IDMaps": "a round-trip time of each flow's own, evenly drawn from half to twice the true one",
    "FRED, SFB": "as they follow the buffer: the paper names no settings",
    "measured": "without the first sixth of the time",
}


BOUNDS: dict[str, float] = {"gamma_max": 64, "rtt_most": (1 << 22) - 1}
"""Of gamma and of round-trip times, in us; the paper has none."""


@dataclass(frozen=True)
class Column:
    """A scheme, and what is different for it."""

    name: str
    config: str
    rtt: Rtt = "embedded"
    freeze: int = 0

    def of(self, scenario: Scenario) -> Scenario:
        """The scenario for this scheme."""
        return replace(scenario, rtt=self.rtt, settings={"green": BOUNDS | {"freeze": self.freeze}})


COLUMNS = (
    Column("GREEN embedded", "green"),
    Column("GREEN embedded, frozen", "green", freeze=FOR_EVER),
    Column("GREEN IDMaps", "green", rtt="idmaps"),
    Column("FRED", "fred"),
    Column("SFB", "sfb"),
    Column("DropTail", "droptail"),
)


def delays(count: int) -> list[dict[str, Any]]:
    """What differs from one flow to the next: its name and its sink's delay."""
    first, last = SINK_DELAYS_MS
    return [
        {"name": f"ftp{i}", "sink_delay_ms": round(first + (last - first) * i / (count - 1), 3)} for i in range(count)
    ]


def network(count: int, background: Sequence[dict[str, Any]] = ()) -> Scenario:
    """The network with so many FTP flows, and for each of them such flows beside it, over links as long."""
    ftp = [{"kind": "tcp", "start_spread_s": 1} | one for one in delays(count)]
    beside = [one | other | {"name": f"beside-{one['name']}"} for one in delays(count) for other in background]
    return replace(_BASE, flows=flow_groups([*ftp, *beside]))


def _rates(result: dict[str, Any]) -> list[float]:
    """Of the FTP flows, shortest round trip first."""
    return [float(flow["throughput_mbps"]) for flow in result["flows"] if flow["id"].startswith("ftp")]


def _megabytes(result: dict[str, Any], part: slice) -> float:
    rates = _rates(result)[part]
    return mean(rates) / 8 * float(result["duration_s"] - result["warmup_s"])


METRICS: dict[str, Callable[[dict[str, Any]], float]] = {
    "jain": lambda result: metrics.jain(_rates(result)),
    "utilisation": lambda result: float(result["utilisation"]),
    "loss_percent": metrics.drop_percent,
    "short_rtt_mbytes": lambda result: _megabytes(result, slice(0, len(_rates(result)) // 10)),
    "long_rtt_mbytes": lambda result: _megabytes(result, slice(-(len(_rates(result)) // 10), None)),
}
"""Bytes of a flow: the mean over the tenth of the flows with the shortest round trips, and over that with the longest."""


def experiment(name: str, summary: str, settings: dict[str, str], background: Sequence[dict[str, Any]]) -> Experiment:
    """One of the paper's three, by what stands beside each FTP flow."""

    def cells() -> list[Cell]:
        return [
            Cell(
                aqm=column.name,
                point=f"{count} flows",
                config=column.config,
                scenario=column.of(network(count, background)),
                published={"jain": ORDER[column.name]} if column.name in ORDER else {},
            )
            for count in FLOWS
            for column in COLUMNS
        ]

    return Experiment(
        name=name,
        summary=summary,
        duration_s=180,
        seeds=2,
        settings=SETTINGS | settings,
        cells=cells,
        metrics=METRICS,
        compare_to="GREEN embedded",
        quick_points=("200 flows",),
    )
