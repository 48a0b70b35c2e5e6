# SPDX-License-Identifier: Apache-2.0
"""What URED's experiments have in common: the network and the settings.

R. Nossenson, H. Maryuma, "Active Queue Management in Blind Access Networks". The paper says who sends; buffer, delays, thresholds
and duration it does not say. Two settings stand here that make ns-2 come out like it, `A` for its order and `B` for its numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from sluice.experiments.tcp import NS2_LIKE
from sluice.loop.scenario import Scenario, flow_groups
from sluice.loop.scenario_format import Access, Hop

P2P, REGULAR = "p2p", "ftp"
"""Groups of flows: the one user with five, and the users with one."""

_RED = {"min": 5, "max": 15, "probability": 0.1, "weight": 0.002}

_FTP = {"kind": "tcp_onoff", "burst_s": 2, "idle_s": 0.2, "shape": 1.7}


@dataclass(frozen=True)
class Setting:
    """What the paper left open."""

    limit: int
    delay_ms: float
    """Of each of the three links, one way."""
    fred: dict[str, float]


SETTINGS_OF = {
    "A": Setting(100, 10, {"min": 25, "max": 50, "probability": 0.1, "weight": 0.002, "min_q": 2}),
    "B": Setting(30, 10 / 6, {"min": 1.8, "max": 3.6, "probability": 0.02, "weight": 0.002, "min_q": 2}),
}

SETTINGS = {
    "network": "one bottleneck, access 100 Mbit/s; packets of 1600 bytes; one CBR user of 5 Mbit/s, nine FTP users that have data"
    " in Pareto bursts of 2 s with pauses of 0.2 s, shape 1.7, and one user with five TCP flows that always have",
    "A": "buffer 100 packets, shortest round trip 60 ms",
    "B": "buffer 30 packets, shortest round trip 10 ms",
    "RED": "5/15, max_p 0.1, w_q 2^-9, gentle",
    "FRED": "A: a quarter and half of the buffer, max_p 0.1; B: 1.8 and 3.6 packets, max_p 0.02; by user, as in"
    " a network whose tunnels hide flows",
    "URED": "by user; G_min a quarter and G_max half of the buffer, max_p 0.2, kappa 2, theta 0, w 2^-9, w_i 2^-3",
    "TCP": "as in ns-2: SACK, an ACK per segment, least RTO 200 ms; a SYN is sent again after 200 ms, as ns-2 has none to lose",
}


def scenario(setting: str, rate_mbps: float, *, by_user: bool) -> Scenario:
    """The network with one of the settings; `by_user`: to the AQM a user's flows are one."""
    chosen = SETTINGS_OF[setting]
    p2p: dict[str, Any] = {"name": P2P, "kind": "tcp", "count": 5, "start_spread_s": 1}
    flows: list[dict[str, Any]] = [
        {"name": "cbr", "kind": "udp_cbr", "rate_mbps": 5},
        {"name": REGULAR, "count": 9, "start_spread_s": 1} | _FTP,
        p2p | ({"subscriber": P2P} if by_user else {}),
    ]
    return replace(
        _BASE,
        limit=chosen.limit,
        hops=[Hop(rate_mbps=rate_mbps, delay_ms=chosen.delay_ms)],
        access=Access(rate_mbps=100, delay_ms=chosen.delay_ms),
        flows=flow_groups(flows),
        settings={"red": _RED, "fred": chosen.fred, "ured": {"probability": 0.2}},
    )


_BASE = Scenario(
    name="ured-table2-3",
    summary="one user with five TCP flows among nine with one each",
    duration_s=60,
    warmup_s=10,
    limit=100,
    packet_bytes=1600,
    hops=[Hop(rate_mbps=20, delay_ms=10)],
    access=Access(rate_mbps=100, delay_ms=10),
    flows=flow_groups([{"kind": "tcp"}]),  # each cell brings its own
    tcp=NS2_LIKE | {"ns3::TcpSocket::ConnTimeout": "200ms"},
)
