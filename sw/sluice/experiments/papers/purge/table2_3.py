# SPDX-License-Identifier: Apache-2.0
"""Purge, tables 2 and 3: what TCP gets through among flows that do not back off, with 50 to 400 flows.

Of each hundred flows 12 are UDP of 3 Mbit/s and 3 TCP that sends 5 Mbit/s whatever becomes of it. The tables are lost; what is
left says that with 4,000 flows the system's goodput with BLACK is about half of that with Purge.
"""

from __future__ import annotations

from sluice.experiments import Cell, Experiment
from sluice.experiments.papers import purge
from sluice.experiments.tcp import NS2_LIKE
from sluice.loop.scenario import Scenario, flow_groups
from sluice.loop.scenario_format import Access, Hop
from sluice.loop.series import Result

LINKS_MBPS = {50: 25, 100: 50, 160: 80, 400: 200}
"""The link's rate by the number of flows. A cache of 50 entries has two for each flow that does not back off, and with 400 flows
fewer than these."""

UDP_SHARE, UDP_MBPS = 0.12, 3

MISBEHAVING_SHARE, MISBEHAVING_MBPS = 0.03, 5

BUFFER_S = 0.04

AQMS = ("purge", "black", "black-200", "rem")

DURATION_S = 20


def _network(count: int, rate_mbps: float) -> Scenario:
    udp, misbehaving = round(UDP_SHARE * count), round(MISBEHAVING_SHARE * count)
    packets = round(rate_mbps * 1e6 / 8 / purge.PACKET_BYTES * BUFFER_S)
    return Scenario(
        name="purge-table2-3",
        summary=f"{udp} UDP and {misbehaving} misbehaving flows among {count} share {rate_mbps:g} Mbit/s",
        duration_s=DURATION_S,
        warmup_s=5,
        limit=packets,
        packet_bytes=purge.PACKET_BYTES,
        hops=[Hop(rate_mbps=rate_mbps, delay_ms=2)],
        access=Access(rate_mbps=100, delay_ms=2),
        flows=flow_groups(
            [
                {"kind": "tcp", "count": count - udp - misbehaving, "start_spread_s": 1},
                {"name": "udp", "kind": "udp_cbr", "count": udp, "rate_mbps": UDP_MBPS, "start_spread_s": 1},
                {
                    "name": "misbehaving",
                    "kind": "udp_cbr",
                    "count": misbehaving,
                    "rate_mbps": MISBEHAVING_MBPS,
                    "start_spread_s": 1,
                },
            ]
        ),
        tcp=NS2_LIKE,
        settings={"purge": purge.PAPERS_FORM, "rem": {"target": round(packets / 5)}},
    )


def cells() -> list[Cell]:
    """One cell for each AQM and number of flows."""
    return [
        Cell(aqm=aqm, point=f"{count} flows", config=aqm, scenario=_network(count, rate_mbps))
        for count, rate_mbps in LINKS_MBPS.items()
        for aqm in AQMS
    ]


def tcp_percent(result: Result) -> float:
    """Goodput of all flows that heed congestion together, in percent of the link."""
    goodput = sum(flow["goodput_mbps"] for flow in result["flows"] if flow["kind"] == "tcp")
    return float(100 * goodput / LINKS_MBPS[len(result["flows"])])


def system_percent(result: Result) -> float:
    """Goodput of all flows together, in percent of the link."""
    return float(100 * sum(flow["goodput_mbps"] for flow in result["flows"]) / LINKS_MBPS[len(result["flows"])])


experiment = Experiment(
    name="purge-table2-3",
    summary="Purge's tables 2 and 3: goodput of TCP among 15 % of flows that do not back off",
    duration_s=DURATION_S,
    seeds=3,
    settings={
        "flows": "12 % UDP of 3 Mbit/s, 3 % that send 5 Mbit/s as a TCP does that heeds nothing; the rest greedy TCP. The paper"
        " has up to 4,000 flows",
        "network": f"half a Mbit/s per flow; buffer of {BUFFER_S * 1000:g} ms; shortest round trip 12 ms",
        "Purge": "50 entries, of which the one with the fewest hits goes; up to 160 flows at least twice those that do not back"
        " off, with 400 flows 60 do not; target a fifth of the buffer",
        "BLACK": "50 entries, of which the one that was hit the longest ago goes; threshold a fifth of the buffer; periods of"
        " 1,000 arrivals",
        "black-200": "200 entries, of which the one with the fewest hits goes",
        "REM": "target a fifth of the buffer",
        "TCP": purge.SETTINGS["TCP"],
        "duration": f"{DURATION_S} s, the first quarter discarded",
        "published": "lost",
    },
    cells=cells,
    metrics={"tcp_percent": tcp_percent, "system_percent": system_percent},
    quick_points=("50 flows",),
    quick_part=1,
)
