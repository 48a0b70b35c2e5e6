# SPDX-License-Identifier: Apache-2.0
"""What the experiments of Purge's paper have in common: the network.

G. Abbas, A. Nagar, H. Tawfik, J. Goulermas, "Pricing and Unresponsive Flows Purging for Global Rate Enhancement", Journal of
Electrical and Computer Engineering 2010, with which BLACK is compared there.
"""

from __future__ import annotations

from dataclasses import replace

from sluice.experiments.tcp import NS2_LIKE
from sluice.loop.scenario import Scenario, flow_groups
from sluice.loop.scenario_format import Access, Hop

PACKET_BYTES = 1000

LINK_MBPS = 10

TCP_FLOWS = 10

UDP_MBPS = 9

PAPERS_FORM: dict[str, float] = {"gate": 0}
"""Purge's settings but for the defaults: it marks and drops whatever the queue, as the paper has it."""

SCENARIO = Scenario(
    name="purge-fig6-7",
    summary="one UDP flow of 9 Mbit/s and 10 TCP flows share 10 Mbit/s",
    duration_s=100,
    warmup_s=10,
    limit=100,
    packet_bytes=PACKET_BYTES,
    hops=[Hop(rate_mbps=LINK_MBPS, delay_ms=2)],
    access=Access(rate_mbps=100, delay_ms=2),
    flows=flow_groups(
        [
            {"kind": "tcp", "count": TCP_FLOWS, "start_spread_s": 1},
            {"name": "udp", "kind": "udp_cbr", "rate_mbps": UDP_MBPS},
        ]
    ),
    tcp=NS2_LIKE,
    settings={
        "black": {"threshold": 20, "period": 1000},
        "purge": PAPERS_FORM,
        "rem": {"mark_most": 1},
        "red": {"min": 20, "max": 60, "probability": 0.1, "mark_most": 1},
    },
)

LITERAL = replace(
    SCENARIO,
    settings={"purge": PAPERS_FORM | {"load_interval": 2_000_000, "load_capacity": 2.5, "theta": 1, "share_gain": 1}},
)
"""Purge with all but the flows and their hits worked out every 2 ms, and without theta and gain, which are not the paper's."""

SETTINGS = {
    "network": "10 Mbit/s, shortest round trip 12 ms, packets of 1000 bytes; the paper's simulator is OPNET, its figure of the"
    " network is lost",
    "buffer": "100 packets",
    "BLACK": "threshold a fifth of the buffer, which is the paper's target b* of Purge; periods of 1000 arrivals",
    "REM": "target 20, the paper's b*; all other parameters as its authors have them",
    "Purge": "target 20, 50 entries; load over 50 ms, flows and hits over 1 s; saturation 1, J 2, theta 1.5, g 2",
    "purge-literal": "the same with load over 2 ms as the price, theta 1, g 1; the price counts accepted packets only",
    "RED": "20/60, max_p 0.1, gentle",
    "TCP": "as in ns-2: SACK, an ACK per segment, least RTO 200 ms",
}
