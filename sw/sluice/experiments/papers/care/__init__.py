# SPDX-License-Identifier: Apache-2.0
"""What CARE's experiments have in common: the network, the mix of TCP flows, the columns, the measures.

M.-K. Chan, M. Hamdi, IEEE JSAC 2003. The TCP flows are a mix: 10 % with 10 ms source links, 10 % standard,
20 % binomial, 60 % AIMD of three kinds. The paper says neither how large the buffer was, nor how RED was
set, nor whether the decrease parameter of an AIMD source is the part kept (ns-2) or lost (most papers).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from sluice.experiments import Cell
from sluice.experiments.tcp import NS2_LIKE
from sluice.loop import metrics
from sluice.loop.scenario import Scenario, flow_groups
from sluice.loop.scenario_format import Access, Hop

LINK_MBPS = 10

AQMS = {
    "care": "care",
    "care-800": "care-table-800",
    "red": "red",
    "sred": "sred",
    "red-pd": "red-pd",
    "sfb": "sfb",
    "droptail": "droptail",
    "ns3-fq-codel": "ns3-fq-codel",
    "ns3-codel": "ns3-codel",
    "ns3-pie": "ns3-pie",
}
"""Column of the tables to configuration: RTL first, then what ns-3 brings as a yardstick."""

MIX: tuple[tuple[float, dict[str, Any]], ...] = (
    (0.1, {"name": "slow", "source_delay_ms": 10}),
    (0.1, {"name": "standard"}),
    (0.1, {"name": "binomial-tcp", "congestion": "ns3::TcpBinomial[Alpha=1|Beta=0.5|K=0|L=1]"}),
    (0.1, {"name": "binomial", "congestion": "ns3::TcpBinomial[Alpha=1.5|Beta=1|K=2|L=0]"}),
    (0.2, {"name": "aimd-2", "congestion": "ns3::TcpAimd[A=2|B=0.5|Reading=Kept]"}),
    (0.2, {"name": "aimd-0.75", "congestion": "ns3::TcpAimd[A=0.75|B=0.31|Reading=Kept]"}),
    (0.2, {"name": "aimd-1", "congestion": "ns3::TcpAimd[A=1|B=0.9|Reading=Kept]"}),
)
"""Share of the TCP flows and what they are."""


def window(packets: int) -> dict[str, str]:
    """TCP's setting of the receiver's window."""
    return {"ns3::TcpSocket::RcvBufSize": str(packets * 960)}


WINDOW_PACKETS = 20
"""As in ns-2 unless it is told otherwise."""

PAPERS_FORM: dict[str, float] = {"gate": 0}
"""CARE's settings but for the defaults: it drops whatever the queue, as the paper has it."""

BASE = Scenario(
    name="care",
    summary="TCP flows of seven kinds and one UDP flow share 10 Mbit/s",
    duration_s=600,
    warmup_s=100,
    limit=320,
    packet_bytes=1000,
    hops=[Hop(rate_mbps=LINK_MBPS, delay_ms=2)],
    access=Access(rate_mbps=100, delay_ms=2),
    flows=flow_groups([{"kind": "tcp"}]),  # each experiment brings its own
    tcp=NS2_LIKE | window(WINDOW_PACKETS),
    settings={
        "care": PAPERS_FORM,
        "red": {"min": 80, "max": 240, "probability": 0.1, "weight": 0.002},
        "red-pd": {"min": 30, "max": 90, "probability": 0.1, "weight": 0.002},
    },
)

LIMITS = {"red-pd": 120}
"""Buffers in packets of the columns that have one of their own."""

BINS: dict[str, dict[str, float]] = {"sfb": {"bin_size": 20, "bin_max": 25}, "sfb-paper": {"bin_size": 13}}
"""SFB's bins: Linux' own and the paper's own, which do not depend on the buffer."""

SETTINGS = {
    "buffer": "320 packets, RED-PD's 120: the sizes at which RED's and RED-PD's rows of Table VI come out of ns-2",
    "SRED": "Plain, 1,000 zombies, p_max 0.15, thresholds a sixth and a third of the buffer",
    "RED": "thresholds a quarter and three quarters of the buffer, max_p 0.1, w_q 2^-9, gentle",
    "RED-PD": "buffer 120 packets, RED's thresholds 30 and 90, R 40 ms: where ns-2's own RED-PD comes to the column of Table VI",
    "SFB": "Linux' rule and numbers",
    "AIMD(a, b)": "b is the part of the window kept, as in ns-2",
    "binomial (1.5, 1, 2, 0)": "one packet less per loss, as in the paper's own notation",
    "TCP": "as in ns-2: windows of 20 packets at most, an ACK per segment, least RTO 200 ms; with larger windows SFB lets UDP"
    " have three times as much; with 1 s flows fall silent for longer than CARE remembers",
    "groups": "shares of the flows add up and are rounded down: 3.5 and 3.5 become 3 and 4",
    "CARE": "t = 200, and beside it t = 800, which the paper does not have; t_n = 50, p_cap = 0.04; it drops whatever the"
    " queue, as the paper has it",
    "FQ-CoDel, CoDel, PIE": "ns-3's own, as ns-3 sets them, with the same buffer; FQ-CoDel's quantum is 1,514 bytes, as Linux has"
    " on Ethernet",
}
"""What the paper left open, and the yardsticks."""


DURATION = {"duration": "the first sixth of each run is discarded; the paper's 600 s by --duration"}
"""The entry of the settings that tells the time."""


def tcp_mix(count: int, **common: Any) -> list[dict[str, Any]]:
    """So many TCP flows of the paper's seven kinds."""
    groups, share, placed = [], 0.0, 0
    for part, group in MIX:
        share += part
        upto = math.floor(count * share + 1e-9)
        if upto > placed:
            groups.append({"kind": "tcp", "start_spread_s": 1, "count": upto - placed} | group | common)
        placed = upto
    return groups


def udp(share_percent: float, **more: Any) -> dict[str, Any]:
    """The unresponsive flow, by its share of the link."""
    return {"name": "udp", "kind": "udp_cbr", "rate_mbps": LINK_MBPS * share_percent / 100} | more


def scenario(name: str, flows: list[dict[str, Any]], care: Mapping[str, float] | None = None, **more: Any) -> Scenario:
    """The paper's network with these flows, and with settings for CARE."""
    settings = BASE.settings | {"care": PAPERS_FORM | dict(care or {})}
    return replace(BASE, name=name, flows=flow_groups(flows), settings=settings, **more)


def cells_of(
    point: str,
    network: Scenario,
    published: Mapping[str, Mapping[str, float]] | None = None,
    aqms: Mapping[str, str] = AQMS,
) -> list[Cell]:
    """One cell for each AQM at one point; `published`: by metric and column."""
    return [
        Cell(
            aqm=aqm,
            point=point,
            config=config,
            scenario=replace(
                network,
                limit=LIMITS.get(aqm, network.limit),
                settings=network.settings | ({"sfb": BINS[aqm]} if aqm in BINS else {}),
            ),
            published={
                metric: row[key] for metric, row in (published or {}).items() if (key := aqm.replace("-", "_")) in row
            },
        )
        for aqm, config in aqms.items()
    ]


def norm_kbps(result: dict[str, Any]) -> float:
    """CARE's norm over the long-lived flows: the root of the summed squared distances from an equal share.

    The paper prints the sum, but its Table VIII is only consistent with the root, in kbit/s.
    """
    rates = [flow["throughput_mbps"] for flow in result["flows"] if flow["kind"] != "web"]
    return 1000 * metrics.norm(rates, LINK_MBPS / len(rates))


def estimates(result: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    """Times after the warm-up, and the estimated numbers of flows."""
    series = result["series"]
    times = np.asarray(series["time_s"])
    measured = times > result["warmup_s"]
    return times[measured], np.asarray(series["status"]["flows"])[measured]
