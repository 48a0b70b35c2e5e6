# SPDX-License-Identifier: GPL-2.0-only
"""What a run measures adds up, and agrees with what the scenario implies."""

from __future__ import annotations

import json

import pytest

FIFO = "ns3::FifoQueueDisc[MaxSize=50p]"
RED = "ns3::RedQueueDisc[MaxSize=100p|MinTh=10|MaxTh=30|LinkBandwidth=10Mbps|MeanPktSize=1000]"
MARKING = RED.replace("]", "|UseEcn=true|UseHardDrop=false]")
PAYLOAD_PER_PACKET = 960 / 1000  # TCP without options
PACKETS_PER_S = 10e6 / (8 * 1002)  # 2 bytes of PPP header on the wire


@pytest.mark.parametrize("aqm", [FIFO, RED, MARKING, "ns3::FqCoDelQueueDisc[quantum=1514]", "ns3::CoDelQueueDisc"])
def test_counters_add_up(simulate, dumbbell, aqm):
    scenario = dumbbell(aqm, ecn=aqm is MARKING)
    hop = simulate(scenario)["hops"][0]
    assert hop["arrived"] > 5000
    assert hop["arrived"] == hop["departed"] + sum(hop["drops"].values()) + hop["queued"]
    assert sum(hop["series"]["arrivals"]) == hop["arrived"]
    assert sum(hop["series"]["drops"]) == sum(hop["drops"].values()) > 0
    assert sum(hop["series"]["marks"]) == sum(hop["marks"].values())
    assert hop["measured"]["arrived"] == sum(hop["series"]["arrivals"][4:])


@pytest.mark.parametrize("aqm", [FIFO, "ns3::FqCoDelQueueDisc[MaxSize=20p|quantum=1514]", "ns3::CoDelQueueDisc"])
def test_the_flows_losses_are_the_queues(simulate, dumbbell, aqm):
    """Dropped before they were queued, thrown out of the queue, and dropped at its head."""
    scenario = dumbbell(aqm)
    udp = {"id": "udp", "kind": "udp_cbr", "rate_mbps": 6, "source_delay_ms": 2, "sink_delay_ms": 2}
    scenario["flows"].append(udp)
    result = simulate(scenario)
    [hop] = result["hops"]
    by_flow = hop["by_flow"]
    assert set(by_flow) == {flow["id"] for flow in result["flows"]}
    assert sum(fate["arrived"] for fate in by_flow.values()) == hop["measured"]["arrived"]
    assert sum(fate["dropped"] for fate in by_flow.values()) == sum(hop["measured"]["drops"].values())
    assert by_flow["udp"]["arrived"] == pytest.approx(6 * 6e6 / 8000, abs=1)  # from an even source, for 6 s
    assert by_flow["udp"]["dropped"] > 0
    for flow in result["flows"]:
        fate = by_flow[flow["id"]]
        delivered = flow["throughput_mbps"] * 6e6 / 8
        assert delivered == pytest.approx(1000 * (fate["arrived"] - fate["dropped"]), abs=60_000)


def test_losses_are_those_of_each_bottleneck(simulate, dumbbell):
    """What the first of two equal links lets through finds room at the second, but for another flow there."""
    scenario = dumbbell(FIFO)
    scenario["hops"] *= 2
    load = {"kind": "udp_cbr", "source_delay_ms": 2, "sink_delay_ms": 2}
    scenario["flows"] = [
        load | {"id": "through", "rate_mbps": 12},
        load | {"id": "second", "rate_mbps": 1, "from_hop": 1},
    ]
    first, second = simulate(scenario)["hops"]
    assert first["by_flow"]["second"] == {"arrived": 0, "dropped": 0, "delay_ms": {"mean": 0, "p99": 0}}
    assert first["by_flow"]["through"]["dropped"] == sum(first["measured"]["drops"].values()) > 1000
    assert second["by_flow"]["through"]["arrived"] == pytest.approx(first["measured"]["departed"], abs=2)
    assert second["by_flow"]["second"]["arrived"] == pytest.approx(750, abs=1)


def test_greedy_flows_fill_the_link(simulate, dumbbell):
    result = simulate(dumbbell(FIFO))
    throughput = sum(flow["throughput_mbps"] for flow in result["flows"])
    assert 9.0 < throughput <= 10 * 1000 / 1002 * 1.001  # the ends of the measurement may cut a packet
    for flow in result["flows"]:
        assert 0 < flow["goodput_mbps"] <= PAYLOAD_PER_PACKET * flow["throughput_mbps"] * 1.001
    measured = result["hops"][0]["measured"]
    assert throughput == pytest.approx(measured["departed_bytes"] * 8e-6 / 6, rel=0.01)


def test_queue_and_delay_belong_together(simulate, dumbbell):
    """Little's law: on a busy link the delay is the queue over the packet rate."""
    hop = simulate(dumbbell(FIFO))["hops"][0]
    assert 0 < hop["queue_packets"]["mean"] < hop["queue_packets"]["p99"] <= 50
    assert hop["queue_delay_ms"]["mean"] == pytest.approx(hop["queue_packets"]["mean"] / PACKETS_PER_S * 1e3, rel=0.02)
    assert max(hop["series"]["delay_ms"]) < hop["queue_delay_ms"]["p99"] * 1.01
    assert sum(hop["series"]["delay_ms"][4:]) / 12 == pytest.approx(hop["queue_delay_ms"]["mean"], rel=0.02)
    assert hop["queue_delay_ms"]["p99"] <= 50 / PACKETS_PER_S * 1e3 * 1.01


def test_delays_of_flows_make_up_the_queues(simulate, dumbbell):
    """Behind a fair queue a thin flow waits less than the others, all of whom together wait as the queue says."""
    scenario = dumbbell("ns3::FqCoDelQueueDisc[quantum=1514|MaxSize=200p]")
    thin = {"id": "thin", "kind": "udp_cbr", "rate_mbps": 0.1, "packet_bytes": 200}
    scenario["flows"].append({"source_delay_ms": 2, "sink_delay_ms": 2} | thin)
    [hop] = simulate(scenario)["hops"]
    fates = hop["by_flow"].values()
    left = [fate["arrived"] - fate["dropped"] for fate in fates]
    mean = sum(n * fate["delay_ms"]["mean"] for n, fate in zip(left, fates, strict=True)) / sum(left)
    delay = hop["queue_delay_ms"]
    assert mean == pytest.approx(delay["mean"], rel=0.05)  # CoDel's losses at the head have waited, too
    assert delay["mean"] < delay["p99"] <= delay["p999"]
    assert hop["by_flow"]["thin"]["delay_ms"]["p99"] < 3
    assert hop["by_flow"]["tcp0"]["delay_ms"]["p99"] > 3


def test_red_marks_only_with_ecn(simulate, dumbbell):
    without = simulate(dumbbell(MARKING))["hops"][0]
    with_ecn = simulate(dumbbell(MARKING, ecn=True))["hops"][0]
    assert not without["marks"]
    assert sum(with_ecn["marks"].values()) > 20
    assert sum(with_ecn["drops"].values()) < sum(without["drops"].values())


def test_series_have_one_entry_per_sample(simulate, dumbbell):
    result = simulate(dumbbell(FIFO))
    series = result["hops"][0]["series"]
    assert series["time_s"] == pytest.approx([0.5 * (i + 1) for i in range(16)])
    assert {len(series[name]) for name in ("queue_packets", "arrivals", "drops", "marks", "flows", "delay_ms")} == {16}
    assert series["status"] == {}
    flows = result["per_flow_series"]
    assert flows["interval_s"] == 1
    for flow in result["flows"]:
        by_second = flows["throughput_mbps"][flow["id"]]
        assert len(by_second) == 8
        assert sum(by_second[2:]) / 6 == pytest.approx(flow["throughput_mbps"], abs=1e-3)


def test_flows_that_send_are_counted_whatever_becomes_of_their_packets(simulate, dumbbell):
    scenario = dumbbell("ns3::FifoQueueDisc[MaxSize=2p]")
    load = {"kind": "udp_cbr", "source_delay_ms": 2, "sink_delay_ms": 2}
    scenario["flows"] = [load | {"id": f"udp{i}", "rate_mbps": 6, "start_s": 2.01 * i} for i in range(3)]
    series = simulate(scenario)["hops"][0]["series"]
    assert sum(series["drops"]) > 1000
    assert series["flows"] == [1] * 4 + [2] * 4 + [3] * 8


def test_same_seed_same_result(simulate, dumbbell):
    first, second = simulate(dumbbell(RED, duration_s=4)), simulate(dumbbell(RED, duration_s=4))
    assert first.pop("wall_s") > 0
    second.pop("wall_s")
    assert first == second
    assert simulate(dumbbell(RED, duration_s=4) | {"seed": 2})["flows"] != first["flows"]


def test_progress_is_reported(worker, dumbbell):
    process = worker(json.dumps(dumbbell(FIFO, flows=1, duration_s=4)))
    lines = [line.split() for line in process.stderr.splitlines()]
    assert len(lines) == 100
    assert {(word, total) for word, _, total in lines} == {("progress", "4.000")}
    times = [float(time) for _, time, _ in lines]
    assert times == sorted(times)
    assert times[-1] == 4
