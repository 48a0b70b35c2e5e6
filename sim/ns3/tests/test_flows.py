# SPDX-License-Identifier: GPL-2.0-only
"""Every kind of flow sends what its parameters say, where it should and when it should."""

from __future__ import annotations

from itertools import pairwise

import pytest

FIFO = "ns3::FifoQueueDisc[MaxSize=50p]"
RED = "ns3::RedQueueDisc[MaxSize=100p|MinTh=10|MaxTh=30|LinkBandwidth=10Mbps|MeanPktSize=1000]"
DELAYS = {"source_delay_ms": 2, "sink_delay_ms": 2}


def by_id(result):
    return {flow["id"]: flow for flow in result["flows"]}


def test_constant_rate_counts_ip_packets(simulate, dumbbell):
    scenario = dumbbell(FIFO)
    scenario["flows"] = [DELAYS | {"id": "udp", "kind": "udp_cbr", "rate_mbps": 2, "packet_bytes": 500}]
    udp = simulate(scenario)["flows"][0]
    assert udp["throughput_mbps"] == pytest.approx(2, rel=0.01)
    assert udp["goodput_mbps"] == pytest.approx(2 * 472 / 500, rel=0.01)


def test_bursts_have_the_mean_rate(simulate, dumbbell):
    scenario = dumbbell(FIFO, duration_s=300)
    load = {"kind": "udp_onoff", "rate_mbps": 1, "burst_s": 0.2, "idle_s": 0.3, "shape": 1.9}
    scenario["flows"] = [DELAYS | load | {"id": f"bursts{i}"} for i in range(4)]
    result = simulate(scenario)
    mean = sum(flow["throughput_mbps"] for flow in result["flows"]) / 4
    assert mean == pytest.approx(0.4, rel=0.1)
    quiet = [rate for series in result["per_flow_series"]["throughput_mbps"].values() for rate in series if rate == 0]
    assert len(quiet) > 10


def test_gated_tcp_fills_the_link_or_sends_nothing(simulate, dumbbell):
    """Half of the time each; nothing trickles out of the socket in a pause."""
    scenario = dumbbell(FIFO, duration_s=300)
    load = {"kind": "tcp_onoff", "burst_s": 4, "idle_s": 4, "shape": 1.9}
    scenario["flows"] = [DELAYS | load | {"id": "gated"}]
    rates = simulate(scenario)["per_flow_series"]["throughput_mbps"]["gated"]
    assert sum(rate > 9.5 for rate in rates) > 60
    assert sum(rate == 0 for rate in rates) > 60


@pytest.mark.parametrize(("shape", "squares"), [({}, 2), ({"shape": 20}, 1)])
def test_bursts_without_a_shape_are_exponential(simulate, dumbbell, shape, squares):
    """Bursts of one packet: the pauses' mean square is twice the square of their mean; not with a large shape."""
    scenario = dumbbell(FIFO, duration_s=400)
    scenario["sample_interval_s"] = 0.01
    load = {"kind": "udp_onoff", "rate_mbps": 8, "burst_s": 1e-6, "idle_s": 0.4}
    scenario["flows"] = [DELAYS | load | shape | {"id": "packets"}]
    series = simulate(scenario)["hops"][0]["series"]
    times = [time for time, count in zip(series["time_s"], series["arrivals"], strict=True) for _ in range(count)]
    pauses = [after - before for before, after in pairwise(times)]
    mean = sum(pauses) / len(pauses)
    assert mean == pytest.approx(0.4, rel=0.15)
    assert sum(pause**2 for pause in pauses) / len(pauses) / mean**2 == pytest.approx(squares, rel=0.2)


def test_web_transfers_follow_each_other(simulate, dumbbell):
    scenario = dumbbell(FIFO, duration_s=120)
    web = {"kind": "web", "mean_bytes": 30000, "think_s": 0.5, "shape": 1.9}
    scenario["flows"] = [DELAYS | web | {"id": f"web{i}"} for i in range(4)]
    result = simulate(scenario)
    goodput = sum(flow["goodput_mbps"] for flow in result["flows"]) / 4
    transfers_s = 30000 * 8e-6 / goodput  # mean time from one transfer to the next
    assert 0.5 < transfers_s < 0.8


def short(**load):
    return DELAYS | {"id": "short", "kind": "short"} | load


def test_short_transfers_begin_as_often_as_asked_and_take_their_time(simulate, dumbbell):
    scenario = dumbbell(FIFO, duration_s=62)
    scenario["flows"] = [short(mean_bytes=20000, per_s=10)]
    (flow,) = simulate(scenario)["flows"]
    begun, seconds = flow["transfers"]["begun"], flow["transfers"]["seconds"]
    assert begun == pytest.approx(600, abs=4 * 600**0.5)
    assert begun - 5 <= len(seconds) <= begun
    assert flow["goodput_mbps"] == pytest.approx(begun / 60 * 20000 * 8e-6, rel=0.02)
    assert min(seconds) > 3 * 0.018  # round trips: opening, and two windows of ten segments


def test_short_transfers_do_not_wait_for_each_other(simulate, dumbbell):
    """Twice what the link carries: transfers go on beginning, and those begun take longer and longer."""
    scenario = dumbbell(FIFO, duration_s=22)
    scenario["flows"] = [short(mean_bytes=50000, per_s=50)]
    (flow,) = simulate(scenario)["flows"]
    assert flow["transfers"]["begun"] == pytest.approx(1000, abs=4 * 1000**0.5)
    assert len(flow["transfers"]["seconds"]) < 0.7 * flow["transfers"]["begun"]
    assert flow["goodput_mbps"] > 8


def test_sizes_of_short_transfers_vary_with_a_shape(simulate, dumbbell):
    spreads = {}
    for shape in (None, 1.5):
        scenario = dumbbell(FIFO, duration_s=30)
        scenario["flows"] = [short(mean_bytes=20000, per_s=2, **({"shape": shape} if shape else {}))]
        seconds = simulate(scenario)["flows"][0]["transfers"]["seconds"]
        spreads[shape] = max(seconds) / min(seconds)
    assert spreads[None] < 1.5
    assert spreads[1.5] > 2


def test_web_transfers_are_timed(simulate, dumbbell):
    scenario = dumbbell(FIFO, duration_s=30)
    scenario["flows"] = [DELAYS | {"id": "web", "kind": "web", "mean_bytes": 5000, "think_s": 0.5, "shape": 1.9}]
    (flow,) = simulate(scenario)["flows"]
    cycle_s = 0.5 + sum(flow["transfers"]["seconds"]) / len(flow["transfers"]["seconds"])
    assert flow["transfers"]["begun"] == pytest.approx(28 / cycle_s, rel=0.3)


def test_a_short_flow_stops_beginning_transfers(simulate, dumbbell):
    scenario = dumbbell(FIFO, duration_s=12)
    scenario["flows"] = [short(mean_bytes=5000, per_s=20, stop_s=6)]
    (flow,) = simulate(scenario)["flows"]
    assert flow["transfers"]["begun"] == pytest.approx(80, abs=4 * 80**0.5)


def test_a_flow_stops_at_once(simulate, dumbbell):
    scenario = dumbbell(FIFO, flows=1)
    scenario["flows"][0]["stop_s"] = 4
    (series,) = simulate(scenario)["per_flow_series"]["throughput_mbps"].values()
    assert min(series[1:4]) > 9
    assert series[4] < 0.5  # what was in the network
    assert series[5:] == [0, 0, 0]


def test_flows_cross_the_hops_that_they_name(simulate, dumbbell):
    scenario = dumbbell(FIFO, flows=3)
    scenario["hops"].append({"rate_mbps": 5, "delay_ms": 5, "aqm": FIFO})
    for flow, hops in zip(scenario["flows"], [(0, 0), (1, 1), (0, 1)], strict=True):
        flow["from_hop"], flow["to_hop"] = hops
    result = simulate(scenario)
    first, second, both = (flow["throughput_mbps"] for flow in result["flows"])
    rates = [hop["measured"]["departed_bytes"] * 8e-6 / 6 for hop in result["hops"]]
    assert first + both == pytest.approx(rates[0], rel=0.01)
    assert second + both == pytest.approx(rates[1], rel=0.01)
    assert rates[1] <= 5
    assert min(first, second, both) > 0.3


def test_access_links_limit_a_flow(simulate, dumbbell):
    scenario = dumbbell(FIFO, flows=2)
    scenario["access"]["queue_packets"] = 20
    scenario["flows"][0]["access_mbps"] = 1
    flows = by_id(simulate(scenario))
    assert 0.8 < flows["tcp0"]["throughput_mbps"] <= 1
    assert flows["tcp1"]["throughput_mbps"] > 7


def test_flows_may_use_different_congestion_controls(simulate, dumbbell):
    """Under random losses AIMD(a, b) has a rate of sqrt(a (2 - b) / (2 b)): here 5 to 1."""
    scenario = dumbbell(RED, flows=2, duration_s=30)
    scenario["flows"][0]["congestion"] = "ns3::TcpAimd[A=2|B=0.9|Reading=Kept]"
    scenario["flows"][1]["congestion"] = "ns3::TcpAimd[A=0.5|B=0.5]"
    flows = by_id(simulate(scenario))
    assert flows["tcp0"]["throughput_mbps"] > 2 * flows["tcp1"]["throughput_mbps"]


def test_an_incast_begins_its_transfers_together(simulate, dumbbell):
    """Ten answers of twenty segments at once do not fit into 50 packets; the next round begins in time all the same."""
    scenario = dumbbell(FIFO, duration_s=7)
    incast = {"kind": "incast", "bytes": 20000, "every_s": 1}
    scenario["flows"] = [DELAYS | incast | {"id": f"server{i}"} for i in range(10)]
    scenario["sample_interval_s"] = 0.01
    result = simulate(scenario)
    assert [flow["transfers"]["begun"] for flow in result["flows"]] == [5] * 10  # at 2 s, 3 s, ... 6 s
    assert sum(result["hops"][0]["measured"]["drops"].values()) > 50
    series = result["hops"][0]["series"]
    busy = {int(time) for time, queue in zip(series["time_s"], series["queue_packets"], strict=True) if queue > 40}
    assert busy >= {2, 3, 4, 5, 6}


def test_a_flow_back_meets_the_way_back_and_only_its_acks_the_queue(simulate, dumbbell):
    scenario = dumbbell(FIFO, flows=2)
    scenario["hops"][0]["back"] = {"rate_mbps": 2, "queue_packets": 30}
    scenario["flows"][1]["direction"] = "back"
    result = simulate(scenario)
    flows, hop = by_id(result), result["hops"][0]
    assert 1 < flows["tcp1"]["throughput_mbps"] < 2  # beside the other's acknowledgements
    assert flows["tcp0"]["throughput_mbps"] > 3
    assert hop["by_flow"]["tcp1"]["arrived"] == pytest.approx(flows["tcp1"]["throughput_mbps"] * 6e6 / 8000, rel=0.1)
    assert sum(fate["arrived"] for fate in hop["by_flow"].values()) == hop["measured"]["arrived"]


def test_acknowledgements_limit_a_flow_over_an_asymmetric_link(simulate, dumbbell):
    """40 bytes and PPP's 2 for each packet of 1,000, and no slow start, which sends two packets for each."""
    scenario = dumbbell(FIFO, flows=1)
    scenario["defaults"]["ns3::TcpSocket::InitialSlowStartThreshold"] = "20000"
    scenario["hops"][0]["back"] = {"rate_mbps": 0.1, "queue_packets": 10000}
    narrow = simulate(scenario)["flows"][0]["throughput_mbps"]
    assert narrow == pytest.approx(0.1 * 1000 / 42, rel=0.05)


def test_the_way_back_keeps_its_rate_when_the_other_changes(simulate, dumbbell):
    scenario = dumbbell(FIFO, flows=1, duration_s=12)
    scenario["hops"][0] |= {"back": {"rate_mbps": 2, "queue_packets": 30}, "steps": [{"at_s": 6, "rate_mbps": 1}]}
    scenario["flows"][0]["direction"] = "back"
    (rates,) = simulate(scenario)["per_flow_series"]["throughput_mbps"].values()
    assert min(rates[3:]) > 1.5


def test_flows_negotiate_ecn_each_for_itself(simulate, dumbbell):
    """RED with ECN marks who can be marked and drops the others."""
    red = RED.replace("]", "|UseEcn=true|UseHardDrop=false]")
    for default in (False, True):
        scenario = dumbbell(red, flows=4, ecn=default)
        for index, flow in enumerate(scenario["flows"]):
            flow["ecn"] = int(index < 2)
        result = simulate(scenario)
        fates = result["hops"][0]["by_flow"]
        assert result["hops"][0]["measured"]["marks"]
        assert not fates["tcp0"]["dropped"] + fates["tcp1"]["dropped"]
        assert fates["tcp2"]["dropped"] * fates["tcp3"]["dropped"] > 0


def test_an_initial_window_saves_round_trips(simulate, dumbbell):
    """20 segments: windows of 2, 4, 8 and the rest, or all at once."""
    times = {}
    for window in (2, 20):
        scenario = dumbbell(FIFO, duration_s=6)
        scenario["flows"] = [
            {
                "source_delay_ms": 100,
                "sink_delay_ms": 2,
                "id": "short",
                "kind": "incast",
                "bytes": 19000,
                "every_s": 4,
            }
            | {"initial_window": window}
        ]
        (times[window],) = simulate(scenario)["flows"][0]["transfers"]["seconds"]
    assert times[2] - times[20] == pytest.approx(3 * 0.214, rel=0.05)
