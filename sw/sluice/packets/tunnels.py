# SPDX-License-Identifier: Apache-2.0
"""The frames of a scenario's UDP flows as an access network has them on its wire: each subscriber's in a tunnel of its own.

A subscriber is `gtp-N`, who comes from a base station in GTP-U with N as its TEID, or `pppoe-N`, from a home in PPPoE with N as
its session. scapy makes the headers.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from scapy.contrib.gtp import GTP_U_Header
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from scapy.layers.ppp import PPP, PPPoE
from scapy.packet import Packet

_GTP_PORT = 2152
_IPV4_IN_PPP = 0x21


def _ether() -> Packet:
    return Ether(src="02:00:00:00:00:01", dst="02:00:00:00:01:01")


def _gtp(number: int) -> Packet:
    backbone = IP(src="10.0.0.1", dst="10.0.0.2") / UDP(sport=_GTP_PORT, dport=_GTP_PORT)
    return _ether() / backbone / GTP_U_Header(teid=number)


def _pppoe(number: int) -> Packet:
    return _ether() / PPPoE(sessionid=number) / PPP(proto=_IPV4_IN_PPP)


OUTER: Mapping[str, Callable[[int], Packet]] = {"gtp": _gtp, "pppoe": _pppoe}
"""Headers in front of what a tunnel carries, by its kind."""

_INNER_BYTES = 20 + 8
"""IPv4 and UDP."""


def frames(flows: Sequence[Mapping[str, Any]], duration_s: float, seed: int) -> tuple[list[int], list[bytes]]:
    """Times in ns and frames, in order, of single flows of the kind `udp_onoff` whose bursts are one packet and whose pauses are
    exponential."""
    rng = random.Random(seed)
    sent: list[tuple[int, bytes]] = []
    for flow in flows:
        frame = _frame(rng, flow)
        sent += ((time_ns, frame) for time_ns in _times_ns(rng, flow, duration_s))
    sent.sort(key=lambda one: one[0])
    return [time_ns for time_ns, _ in sent], [frame for _, frame in sent]


def _frame(rng: random.Random, flow: Mapping[str, Any]) -> bytes:
    """The frame that a flow sends again and again."""
    kind, _, number = flow["subscriber"].partition("-")
    own = f"100.64.{int(number) >> 8}.{int(number) & 255}"
    inner = IP(src=f"192.0.2.{rng.randrange(1, 255)}", dst=own) / UDP(sport=443, dport=rng.randrange(1024, 1 << 16))
    return bytes(OUTER[kind](int(number)) / inner / rng.randbytes(flow["packet_bytes"] - _INNER_BYTES))


def _times_ns(rng: random.Random, flow: Mapping[str, Any], duration_s: float) -> Iterator[int]:
    mean_s = flow["idle_s"] + flow["packet_bytes"] * 8e-6 / flow["rate_mbps"]
    now_s = flow["start_s"] + rng.expovariate(1 / mean_s)
    while now_s < duration_s:
        yield round(now_s * 1e9)
        now_s += rng.expovariate(1 / mean_s)
