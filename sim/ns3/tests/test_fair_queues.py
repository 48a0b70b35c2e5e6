# SPDX-License-Identifier: GPL-2.0-only
"""ns-3's fair queues send a flow's quantum on its turn, and never the MTU of the simulated devices instead."""

from __future__ import annotations

import pytest

FAIR_QUEUES = ["ns3::FqCoDelQueueDisc", "ns3::FqPieQueueDisc", "ns3::FqCobaltQueueDisc"]
MTU = 65535


@pytest.fixture
def modest_flows_mbps(simulate, dumbbell):
    """What a flow gets that asks for less than its half of the link, beside one that asks for twice the link."""

    def run(fair_queue: str, quantum: int) -> float:
        scenario = dumbbell(f"{fair_queue}[MaxSize=40p|quantum={quantum}]")
        ends = {"kind": "udp_cbr", "source_delay_ms": 2, "sink_delay_ms": 2}
        scenario["flows"] = [ends | {"id": "greedy", "rate_mbps": 20}, ends | {"id": "modest", "rate_mbps": 4}]
        _, modest = simulate(scenario)["flows"]
        return modest["throughput_mbps"]

    return run


@pytest.mark.parametrize("fair_queue", FAIR_QUEUES)
def test_the_quantum_is_the_one_that_it_was_told(modest_flows_mbps, fair_queue):
    """With a frame for a quantum the modest flow loses nothing. With the MTU the greedy one, which never runs out of packets,
    sends for 52 ms on each turn, and meanwhile more comes of the modest one than it may keep of the buffer."""
    assert modest_flows_mbps(fair_queue, 1514) == pytest.approx(4, rel=0.01)
    assert modest_flows_mbps(fair_queue, MTU) < 3


@pytest.mark.parametrize("fair_queue", FAIR_QUEUES)
@pytest.mark.parametrize("quantum", ["0", "-1", "1.5", "few", "", "1048577", "4294968810"])
def test_what_is_no_quantum(refusal, dumbbell, fair_queue, quantum):
    reason = f"{fair_queue}: quantum={quantum} is not a whole number of bytes from 1 to 1048576"
    assert refusal(dumbbell(f"{fair_queue}[quantum={quantum}]")) == reason


@pytest.mark.parametrize("fair_queue", FAIR_QUEUES)
def test_a_fair_queue_without_a_quantum_is_refused(refusal, dumbbell, fair_queue):
    assert refusal(dumbbell(fair_queue)) == f"{fair_queue} needs quantum=bytes"


def test_another_discipline_has_no_quantum(refusal, dumbbell):
    assert refusal(dumbbell("ns3::CoDelQueueDisc[quantum=1514]")) == "ns3::CoDelQueueDisc has no quantum"
