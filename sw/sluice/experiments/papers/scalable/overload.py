# SPDX-License-Identifier: Apache-2.0
"""DualPI2 under a sender of ECT(1) that heeds no mark and sends more than the link carries, beside Classic flows."""

from __future__ import annotations

from sluice.experiments import Cell, Experiment
from sluice.experiments.papers.scalable import coexist

RATES_MBPS = (4, 12, 40, 120)
CLASSICS = 5
LOADS = (1.1, 1.5, 2)
"""Of the link, what the sender that heeds nothing sends."""


def cells() -> list[Cell]:
    """Each load on each link."""
    made = []
    for rate in RATES_MBPS:
        for load in LOADS:
            groups = [
                coexist.flows("classic", CLASSICS, "ns3::TcpCubic"),
                {
                    "kind": "udp_cbr",
                    "name": "scalable",
                    "rate_mbps": rate * load,
                    "packet_bytes": coexist.PACKET_BYTES,
                    "ect": 1,
                },
            ]
            point, column = f"{rate} Mbit/s", f"{load:g} of the link"
            over = coexist.scenario(rate, 10, groups, f"{point}, {column}", name="dualpi2-overload")
            made.append(Cell(column, point, "dualpi2", over))
    return made


experiment = Experiment(
    name="dualpi2-overload",
    summary="UDP with ECT(1) that heeds no mark, beside Classic TCP under DualPI2: what is left, and the delay of either queue",
    duration_s=coexist.DURATION_S,
    seeds=3,
    settings={
        "published": "RFC 9332, section 4.2.1: no numbers",
        "points": "the link's rate; the round trip without queues is 10 ms",
        "columns": "what the UDP flow sends",
        "network": f"{CLASSICS} CUBIC flows, buffer 1,000 packets of {coexist.PACKET_BYTES:,} bytes; all with ECN",
        "dualpi2": "its defaults",
        "duration": f"{coexist.DURATION_S} s, the first third discarded",
    },
    cells=cells,
    metrics={
        "classic_percent": lambda r: (
            100 * sum(coexist.mbps(r, "classic")) / sum(f["throughput_mbps"] for f in r["flows"])
        ),
        **coexist.DELAYS,
    },
    quick_points=("40 Mbit/s",),
)
