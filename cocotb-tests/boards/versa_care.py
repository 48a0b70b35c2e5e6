# SPDX-License-Identifier: Apache-2.0
"""What the Versa board with CARE does with a flow that sends too much, from RGMII pins to RGMII pins."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import cocotb
from boards.versa import Bench
from cocotbext.eth import GmiiFrame
from scapy.layers.inet import IP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Dot1Q, Ether
from scapy.packet import Raw

BOARD = "lattice-versa-ecp5-care"
FRAMES = 2000
OTHERS = 9
GREEDY_SHARE = 0.5
BEGUN = 600
"""Frames after which the list is full."""


def frame(flow: int, number: int) -> bytes:
    """A frame of a flow, whose source port alone is its own; every third flow is of IPv6, every other has a tag."""
    ethernet = Ether(dst="02:00:00:00:00:02", src="02:00:00:00:00:01")
    network = IPv6(src="2001:db8::1", dst="2001:db8::2") if flow % 3 == 2 else IP(src="10.0.0.1", dst="10.0.0.2")
    tagged = ethernet / Dot1Q(vlan=7) if flow % 2 else ethernet
    return bytes(tagged / network / UDP(sport=1000 + flow, dport=5001) / Raw(number.to_bytes(4, "big"))).ljust(
        60, b"\0"
    )


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def the_greedy_flow_alone_loses(dut: Any) -> None:
    """At line rate, of ten flows the one that sends half of all frames is cut down, and what the nine others send leaves."""
    rng = random.Random(1)
    bench = Bench(dut, BOARD)
    await bench.start()
    await bench.configure(capture_probability=0.5, gate=0)  # the link is never full
    flows = [0 if rng.random() < GREEDY_SHARE else rng.randint(1, OTHERS) for _ in range(FRAMES)]
    frames = {frame(flow, number): (flow, number) for number, flow in enumerate(flows)}
    for data in frames:
        bench.sources[0].send_nowait(GmiiFrame.from_payload(data))
    await bench.sources[0].wait()
    await bench.drain()

    left = [bench.sinks[1].recv_nowait() for _ in range(bench.sinks[1].count())]
    assert all(got.check_fcs() and got.error is None for got in left)
    out = [frames[bytes(got.get_payload())] for got in left]
    assert [number for _, number in out] == sorted(number for _, number in out)
    sent = Counter(flows[BEGUN:])
    kept = Counter(flow for flow, number in out if number >= BEGUN)
    lost = {flow: 1 - kept[flow] / sent[flow] for flow in sent}
    dut._log.info("lost %s", {flow: f"{part:.3f}" for flow, part in sorted(lost.items())})
    assert 0.7 < lost[0] < 0.9  # its fair share is a fifth of what it sends
    assert max(lost[flow] for flow in range(1, OTHERS + 1)) < 0.1

    await bench.snapshot()
    assert await bench.count("unforced_drop") == FRAMES - len(left)
    counted = [await bench.count(f"{name}_frames") for name in ("input", "bad", "output")]
    assert counted == [FRAMES, 0, len(left)]
