# SPDX-License-Identifier: Apache-2.0
"""CARE, Table VI: what an unresponsive UDP flow takes from 35 TCP flows, by its load.

M.-K. Chan, M. Hamdi, IEEE JSAC 2003. The TCP flows are a mix: 10 % with 10 ms source links, 10 % standard,
20 % binomial, 60 % AIMD of three kinds. The paper says neither how large the buffer was, nor how RED was
set, nor whether the decrease parameter of an AIMD source is the part kept (ns-2) or lost (most papers).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sluice import data
from sluice.experiments import Cell, Experiment
from sluice.scenario import Scenario

LINK_MBPS = 10

AQMS = {"droptail": "droptail", "red": "red"}
"""Column of the table to configuration."""

TCP_MIX: list[dict[str, Any]] = [
    {"name": "slow", "count": 3, "source_delay_ms": 10},
    {"name": "standard", "count": 4},
    {
        "name": "binomial-tcp",
        "count": 4,
        "congestion": "ns3::TcpBinomial[Alpha=1|Beta=0.5|K=0|L=1]",
    },
    {"name": "binomial", "count": 3, "congestion": "ns3::TcpBinomial[Alpha=1.5|Beta=1|K=2|L=0]"},
    {"name": "aimd-2", "count": 7, "congestion": "ns3::TcpAimd[A=2|B=0.5|Reading=Kept]"},
    {"name": "aimd-0.75", "count": 7, "congestion": "ns3::TcpAimd[A=0.75|B=0.31|Reading=Kept]"},
    {"name": "aimd-1", "count": 7, "congestion": "ns3::TcpAimd[A=1|B=0.9|Reading=Kept]"},
]
"""The 35 TCP flows; groups of 3.5 flows are rounded as they come, to 3 and 4."""

BASE = Scenario(
    name="care-table6",
    summary="35 TCP flows of seven kinds and one UDP flow share 10 Mbit/s",
    duration_s=600,
    warmup_s=100,
    limit=200,
    packet_bytes=1000,
    hops=[{"rate_mbps": LINK_MBPS, "delay_ms": 2}],
    access={"rate_mbps": 100, "delay_ms": 2},
    flows=[],
    tcp={"ns3::TcpSocketBase::Sack": "true", "ns3::TcpSocketBase::Timestamp": "false"},
    settings={"red": {"min": 50, "max": 150, "probability": 0.1, "weight": 0.002}},
)


def scenario(load_percent: float) -> Scenario:
    """The experiment at one load of the UDP flow."""
    tcp = [{"kind": "tcp", "start_spread_s": 1} | group for group in TCP_MIX]
    udp = {"name": "udp", "kind": "udp_cbr", "rate_mbps": LINK_MBPS * load_percent / 100}
    return replace(BASE, flows=[*tcp, udp])


def cells() -> list[Cell]:
    """One cell for each AQM and load."""
    table = data.published("care-table6")
    loads = table["udp_load_percent"]
    return [
        Cell(
            aqm=aqm,
            point=f"{load} %",
            config=config,
            scenario=scenario(load),
            published={"udp_mbps": table["udp_mbps"][aqm][index]} if aqm in table["udp_mbps"] else {},
        )
        for aqm, config in AQMS.items()
        for index, load in enumerate(loads)
    ]


def udp_mbps(result: dict[str, Any]) -> float:
    """Throughput of the UDP flow."""
    return float(next(flow["throughput_mbps"] for flow in result["flows"] if flow["kind"] == "udp_cbr"))


experiment = Experiment(
    name="care-table6",
    summary="CARE, Table VI: throughput of one UDP flow among 35 TCP flows, by its load",
    duration_s=120,
    seeds=3,
    settings={
        "buffer": "200 packets, the size at which RED's column fits; 100 packets take 3 % from the UDP flow",
        "RED": "thresholds a quarter and three quarters of the buffer, max_p 0.1, w_q 2^-9, gentle",
        "AIMD(a, b)": "b is the part of the window kept, as in ns-2",
        "binomial (1.5, 1, 2, 0)": "one packet less per loss, as in the paper's own notation",
        "groups of 3.5 flows": "3 slow, 4 standard, 4 and 3 binomial",
        "duration": "120 s, the first 20 s discarded; the paper's 600 s and 100 s by --duration 600",
    },
    cells=cells,
    metrics={"udp_mbps": udp_mbps},
    quick_points=("1 %", "10 %", "30 %"),
)
