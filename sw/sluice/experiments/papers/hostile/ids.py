# SPDX-License-Identifier: Apache-2.0
"""Flows that are only ids: packets from another source port each time, so each of another flow."""

from __future__ import annotations

from sluice.experiments import Experiment
from sluice.experiments.papers import care, hostile, purge
from sluice.experiments.papers.hostile import Column
from sluice.loop.scenario import Scenario

PACKET_BYTES = 64
PORTS = 16_000  # each comes again after half a minute or more

COLUMNS = {
    "care": Column("care"),
    "care, gate 0": Column("care", {"care": care.PAPERS_FORM}),
    "purge": Column("purge"),
    "purge, gate 0": Column("purge", {"purge": purge.PAPERS_FORM}),
    "green-2q": Column("green-2q"),
    "black": Column("black"),
    "sred": Column("sred"),
    "choke": Column("choke"),
    "fred": Column("fred"),
    "ured": Column("ured"),
    "sfb": Column("sfb"),
    "red-pd": Column("red-pd"),
    "red": Column("red"),
    "droptail": Column("droptail"),
}


def flood(per_s: int) -> Scenario:
    """25 TCP flows, and so many small packets a second from the beginning on."""
    udp = {"rate_mbps": per_s * PACKET_BYTES * 8e-6, "packet_bytes": PACKET_BYTES, "ports": PORTS}
    return hostile.network("hostile-ids", 25, f"{per_s} small packets a second", udp)


def heavy(ports: int) -> Scenario:
    """25 TCP flows, and half of the link offered by one sender, from so many ports."""
    return hostile.network("hostile-ids", 25, f"5 Mbit/s of UDP from {ports} ports", {"rate_mbps": 5, "ports": ports})


experiment = Experiment(
    name="hostile-ids",
    summary="flows that are only ids: a flood of small packets, and half of the link, each packet of a flow of its own",
    duration_s=hostile.DURATION_S,
    seeds=hostile.SEEDS,
    settings={
        "network": "that of the scenario main: 10 Mbit/s, 100 packets of 1,000 bytes, 25 TCP flows",
        "flood": f"packets of {PACKET_BYTES} bytes, whose source port is another one each time; 500 a second are 0.256 Mbit/s",
        "gate 0": "the papers' forms: who has too much is dropped at any queue",
        "duration": f"{hostile.DURATION_S} s, the first sixth discarded",
    },
    cells=lambda: hostile.cells(
        {f"{per_s} packets a second": flood(per_s) for per_s in (0, 250, 500)}
        | {"5 Mbit/s, one id": heavy(1), "5 Mbit/s, an id for each packet": heavy(PORTS)},
        COLUMNS,
    ),
    metrics={"tcp_mbps": hostile.tcp_mbps, "attack_mbps": hostile.attack_mbps},
    quick_points=("0 packets a second", "500 packets a second"),
)
