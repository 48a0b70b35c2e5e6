# SPDX-License-Identifier: Apache-2.0
"""What FRED's experiments have in common: the network and the settings.

D. Lin, R. Morris, "Dynamics of Random Early Detection", SIGCOMM 1997, give no table; the network is the one of the scenario
`main` with a buffer in which each flow has room for some packets.
"""

from __future__ import annotations

from sluice.experiments import udp
from sluice.experiments.tcp import NS2_LIKE
from sluice.loop.scenario import Scenario, flow_groups
from sluice.loop.scenario_format import Access, Hop

LINK_MBPS = 10

TCP_FLOWS = 25

_BUFFER = 400

_RED = {"min": _BUFFER // 4, "max": _BUFFER // 2, "probability": 0.1, "weight": 0.002}

_BASE = Scenario(
    name="fred-share",
    summary="25 TCP flows and one UDP flow share 10 Mbit/s",
    duration_s=60,
    warmup_s=10,
    limit=_BUFFER,
    packet_bytes=1000,
    hops=[Hop(rate_mbps=LINK_MBPS, delay_ms=2)],
    access=Access(rate_mbps=1000, delay_ms=2),
    flows=flow_groups([{"kind": "tcp"}]),  # each experiment brings its own
    tcp=NS2_LIKE,
    settings={"fred": _RED, "red": _RED | {"gentle": 0, "wait": 0}},
)

SETTINGS = {
    "network": "10 Mbit/s, shortest round trip 12 ms",
    "buffer": "400 packets: with fewer, flows often have nothing queued, and whoever always has something has the share of one of"
    " the others then",
    "FRED, RED": "min a quarter of the buffer and max twice that, as Lin and Morris have it where the round trip is long; max_p"
    " 0.1, w_q 2^-9, min_q 2; RED without gentle slope and wait, which FRED does not have",
    "TCP": "as in ns-2: SACK, an ACK per segment, least RTO 200 ms",
}


def scenario(udp_load: float) -> Scenario:
    """The network with a UDP flow that offers so many times the link's rate."""
    return udp.among(_BASE, TCP_FLOWS, 1, udp_load)
