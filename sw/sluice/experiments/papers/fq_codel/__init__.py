# SPDX-License-Identifier: Apache-2.0
"""What FQ-CoDel's experiments have in common. T. Hoeiland-Joergensen and others, RFC 8290, 2018."""

from __future__ import annotations

from dataclasses import replace

from sluice.experiments import beside_ns3
from sluice.loop.scenario import Scenario

AQMS = ("fq-codel-1k", "ns3-fq-codel")

RATE_MBPS = 10
PACKET_BYTES = 1500
LIMIT = 4000
SEEDS = 3

REVERSED: dict[str, float] = {"queue_secret0": 1 << 9, "queue_secret1": 0}
"""A secret of one bit. A flow's queue has then the number that the lowest ten bits of the flow's id are from behind, and ns-3's
the one that they are: the same flows share a queue in both."""

AS_NS3: dict[str, dict[str, float]] = {
    "codel": {"mark_most": 255, "min_bytes": 1499} | REVERSED,
    "fq_codel": {"salted": 1},
}
"""FQ-CoDel as ns-3 has it, and both with the run's seed in the hash of a flow."""

SETTINGS = {
    "network": f"one link of {RATE_MBPS} Mbit/s, shortest round trips of 40 to 80 ms, packets of {PACKET_BYTES:,} bytes",
    "buffer": f"{LIMIT:,} packets, which never fills: what RFC 8290 drops then is not what the tile drops",
    "TCP": beside_ns3.SETTINGS["TCP"],
    "duration": beside_ns3.SETTINGS["duration"],
    "FQ-CoDel": "1,024 queues, quantum 1,514, target 5 ms, interval 100 ms; ours set as ns-3's: mark_most 255, min_bytes 1,499",
    "hash": "seeded with the run's seed; with a secret of one bit the same flows share a queue in both",
}


def scenario(name: str, flows: int, ecn: bool = False) -> Scenario:
    """So many greedy TCP flows over the link."""
    return replace(beside_ns3.scenario(name, flows, RATE_MBPS, AS_NS3, ecn), limit=LIMIT, packet_bytes=PACKET_BYTES)
