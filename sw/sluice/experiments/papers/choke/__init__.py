# SPDX-License-Identifier: Apache-2.0
"""What CHOKe's experiments have in common: the network and the settings.

A. Tang, J. Wang, S. Low, "Understanding CHOKe: Throughput and Spatial Characteristics", IEEE/ACM ToN 12(4), 2004: many equal
TCP flows and one UDP flow at one bottleneck.
"""

from __future__ import annotations

from sluice.experiments import udp
from sluice.experiments.tcp import NS2_LIKE
from sluice.loop.scenario import Scenario, flow_groups
from sluice.loop.scenario_format import Access, Hop

LINK_MBPS = 2

TCP_FLOWS = 32

_RED = {"min": 20, "max": 80, "probability": 0.1, "weight": 0.002}

_BASE = Scenario(
    name="choke-share",
    summary="32 TCP flows and one UDP flow share 2 Mbit/s",
    duration_s=120,
    warmup_s=20,
    limit=300,
    packet_bytes=1000,
    hops=[Hop(rate_mbps=LINK_MBPS, delay_ms=20)],
    access=Access(rate_mbps=1000, delay_ms=15),
    flows=flow_groups([{"kind": "tcp"}]),  # each experiment brings its own
    tcp=NS2_LIKE,
    settings={"choke": _RED, "red": _RED | {"gentle": 0, "wait": 0}},
)

SETTINGS = {
    "network": "2 Mbit/s, shortest round trip 100 ms. The link holds 25 packets, so 32 TCP flows keep the average above min; at"
    " 10 Mbit/s they do not, and then CHOKe compares a part of the time only",
    "buffer": "300 packets, which the average never comes near",
    "CHOKe, RED": "min 20, max 80, max_p 0.1, w_q 2^-9; RED without gentle slope and wait, which CHOKe does not have",
    "TCP": "as in ns-2: SACK, an ACK per segment, least RTO 200 ms",
}


def scenario(udp_load: float) -> Scenario:
    """The network with a UDP flow that offers so many times the link's rate."""
    return udp.among(_BASE, TCP_FLOWS, 5, udp_load)
