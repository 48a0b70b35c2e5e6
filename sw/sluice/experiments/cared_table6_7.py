# SPDX-License-Identifier: Apache-2.0
"""CARED, Tables 6 and 7: packet loss and goodput of 5 to 100 FTP flows.

M. Tahiliani, K. Shet, T. Basavaraju, JNCA 2012. The paper gives neither packet size, nor buffer, nor
duration, nor ECN; ns-2.35 reproduces its table with the settings below, and its results stand beside ours.
ns-3's TCP differs from ns-2's, and that moves this table more than the AQM does.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from sluice import data, red_auto
from sluice.experiments import Cell, Experiment
from sluice.scenario import Scenario

RATE_PPS = 1250.0
"""10 Mbit/s in packets of 1000 B, the mean packet size that RED was told."""

AUTOMATIC = red_auto.thresholds(RATE_PPS)

BASE = Scenario(
    name="cared-table6-7",
    summary="FTP flows over 10 Mbit/s, 80 ms round trip, ECN",
    duration_s=100,
    warmup_s=0,
    limit=100,
    packet_bytes=1040,
    hops=[{"rate_mbps": 10, "delay_ms": 20}],
    access={"rate_mbps": 100, "delay_ms": 10},
    flows=[],
    tcp={
        "ns3::TcpSocketBase::Sack": "true",
        "ns3::TcpSocketBase::Timestamp": "false",
        "ns3::TcpSocketBase::MinRto": "200ms",
        "ns3::TcpSocketBase::UseEcn": "On",
        "ns3::TcpSocket::DelAckCount": "1",
        "ns3::TcpSocket::InitialCwnd": "2",
    },
    settings={
        "red": {
            "min": AUTOMATIC.min,
            "max": AUTOMATIC.max,
            "weight": red_auto.weight(RATE_PPS),
            "probability": 0.1,
            "ecn": 1,
            "mark_probability": 0.1,
        }
    },
)

AQMS = {"red": ("red-two-weights", "REDauto")}
"""Column of the table to configuration and to the name in the ns-2 results."""


def scenario(flows: int) -> Scenario:
    """The experiment with a number of flows."""
    return replace(BASE, flows=[{"name": "ftp", "kind": "tcp", "count": flows, "start_spread_s": 1}])


def cells() -> list[Cell]:
    """One cell for each AQM and number of flows."""
    table = data.published("cared-table6-7")
    return [
        Cell(
            aqm=aqm,
            point=f"{flows} flows",
            config=config,
            scenario=scenario(flows),
            published={
                "drop_percent": table["drop_percent"][aqm][index],
                "goodput_kbps": table["throughput_kbps"][aqm][index],
            },
            ns2=_ns2(ns2_name, flows),
        )
        for aqm, (config, ns2_name) in AQMS.items()
        for index, flows in enumerate(table["flows"])
    ]


def _ns2(aqm: str, flows: int) -> dict[str, list[float]]:
    wanted = {"tcp": "TCP", "aqm": aqm, "flows": str(flows)}
    runs = [row for row in data.rows("ns2-cared-table6.csv") if wanted.items() <= row.items()]
    return {
        "drop_percent": [float(row["drop_pct"]) for row in runs],
        "goodput_kbps": [float(row["goodput_kbps"]) for row in runs],
    }


def drop_percent(result: dict[str, Any]) -> float:
    """Packets dropped at the bottleneck in percent of arrivals."""
    return float(100 * sum(result["drops"].values()) / result["arrivals"])


def goodput_kbps(result: dict[str, Any]) -> float:
    """Data delivered once, all flows together."""
    return 1000 * math.fsum(flow["goodput_mbps"] for flow in result["flows"])


experiment = Experiment(
    name="cared-table6-7",
    summary="CARED, Tables 6 and 7: loss and goodput of 5 to 100 FTP flows with ECN",
    duration_s=100,
    seeds=3,
    settings={
        "packets": "1000 B of data; the paper gives none",
        "buffer": "100 packets; the paper gives none",
        "duration": "100 s from the start; the paper gives none",
        "ECN": "on, marks while p_b <= 0.1 and drops above; without it the table is out of reach",
        "RED": f"automatic: min {AUTOMATIC.min:g}, max {AUTOMATIC.max:g}, w_q 2^-11 + 2^-12, gentle, max_p 0.1",
        "TCP": "ns-3 NewReno with SACK, no timestamps, an ACK per segment, least RTO 200 ms, initial window 2",
    },
    cells=cells,
    metrics={"drop_percent": drop_percent, "goodput_kbps": goodput_kbps},
    quick_points=("5 flows", "30 flows", "100 flows"),
)
