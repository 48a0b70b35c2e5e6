# SPDX-License-Identifier: Apache-2.0
"""Frames whose round-trip times their options, a table or the port say, through a datapath around GREEN: each is dropped with the
probability of the paper's equation for its time, and one without a time never."""

from __future__ import annotations

from collections import Counter
from ipaddress import IPv4Network

import numpy as np
import pytest
from datapath.frames.made import capture_of
from datapath.frames.packets import MACS
from datapath.replaying import model_of
from lib.simulation import registers
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether

from sluice.packets import rtt_option, rtt_table
from sluice.packets.datapath import ACTIONS
from sluice_golden.shares.green_reference import MATHIS, MSS_BYTES, drop_probability

NEAR_US, FAR_US, NONE_US = 72_000, 470_000, 0
"""The shortest and the longest of the paper's network, and no time."""

SAYS = {
    "option": (NEAR_US, FAR_US, NONE_US),
    "table": (FAR_US, NONE_US, NEAR_US),
    "port": (NONE_US, NEAR_US, FAR_US),
}
"""What each source says of the frames of each third of the flows, in the order of `rtt_source`: no two of them the same."""

FLOWS = 99
REACH_S = 0.068
"""Round-trip time up to which all would be dropped: of 72 ms nine in ten are, of 470 ms one in fifty."""

BYTES_PER_S = FLOWS * MSS_BYTES * MATHIS / REACH_S
WINDOW_NS = 10_000_000
ROUND_NS, ROUNDS = 1_000_000, 300
"""Each flow sends a frame in each round, and all of a round right behind each other."""

UNCOUNTED = 3 * FLOWS * WINDOW_NS // ROUND_NS
"""Frames of the first windows, before the flows of a whole one are counted."""

GAMMA_OF_ONE = {"gamma_min": 1, "gamma_max": 1}


def frame_of(flow: int) -> bytes:
    """Of a flow of the third that its source address says, with what that third's option says."""
    third = flow % 3
    frame = bytes(Ether(**MACS) / IP(src=f"10.0.{third}.{flow}", dst="192.0.2.1") / UDP(sport=flow))
    us = SAYS["option"][third]
    found = rtt_option.find(frame)
    return (rtt_option.insert(frame, found, us) if us and found else None) or frame


@pytest.mark.parametrize("source", SAYS)
def test_green_drops_by_the_time_of_the_chosen_source(source: str) -> None:
    """The same frames for each source; within four standard deviations of a binomial distribution."""
    model, driver = model_of("green-64")
    prefixes = [IPv4Network(f"10.0.{third}.0/24") for third in range(3)]
    server = IPv4Network("192.0.2.0/24")
    known = {rtt_table.Pair(prefix, server): us for prefix, us in zip(prefixes, SAYS["table"], strict=True)}
    rtt_table.fill(model, driver.map, known)
    chosen = {"rtt_source": list(SAYS).index(source), "capacity": BYTES_PER_S * 1e-9, "window": WINDOW_NS}
    driver.configure(chosen | GAMMA_OF_ONE)
    capture = capture_of([frame_of(flow) for flow in range(FLOWS)] * ROUNDS)
    numbers = np.arange(len(capture))
    port_us = np.array(SAYS["port"], dtype=np.uint32)[numbers % FLOWS % 3]
    times = (numbers // FLOWS * ROUND_NS).astype(np.uint64)
    seen = model.replay(capture, times, lambda _: None, port_rtt_us=port_us).seen
    counted, counters = driver.read_status("flows"), driver.snapshot()
    model.close()

    assert counted == pytest.approx(FLOWS, rel=0.01)
    is_dropped = seen["action"] == ACTIONS.index("drop")
    names = {reason["code"]: reason["name"] for reason in registers("green-64")["reasons"]}
    assert {names[code] for code in seen["reason"][is_dropped].tolist()} == {"Unforced drop"}
    thirds = numbers % FLOWS % 3
    for third, us in enumerate(SAYS[source]):
        judged = is_dropped[(thirds == third) & (numbers >= UNCOUNTED)]
        p = drop_probability(counted, us / 1e6, BYTES_PER_S) if us else 0
        deviation = (len(judged) * p * (1 - p)) ** 0.5
        assert abs(int(judged.sum()) - len(judged) * p) <= 4 * deviation, (us, judged.mean(), p)
    assert Counter(seen["rtt_us"].tolist()) == dict.fromkeys(SAYS[source], len(capture) // 3)
    assert counters["rtt_unknown"] == len(capture) // 3
