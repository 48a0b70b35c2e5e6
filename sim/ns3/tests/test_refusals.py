# SPDX-License-Identifier: GPL-2.0-only
"""Wrong input is one line on standard error and exit status 2."""

from __future__ import annotations

import pytest

FIFO = "ns3::FifoQueueDisc[MaxSize=50p]"


@pytest.mark.parametrize(
    ("text", "reason"),
    [("", "not JSON"), ("{", "not JSON"), ("[]", "must be an object"), ("{}", "scenario.seed is missing")],
)
def test_malformed_scenario(worker, text, reason):
    process = worker(text)
    assert process.returncode == 2
    assert process.stderr.count("\n") == 1
    assert process.stderr.startswith("error: ")
    assert reason in process.stderr


@pytest.mark.parametrize(
    ("aqm", "reason"),
    [
        ("ns3::NoSuchQueueDisc", "unknown ns-3 type 'ns3::NoSuchQueueDisc'"),
        ("ns3::Node", "'ns3::Node' is not a ns3::QueueDisc"),
        ("ns3::RedQueueDisc[NoSuch=1]", "ns3::RedQueueDisc has no attribute 'NoSuch'"),
        ("ns3::RedQueueDisc[MinTh=few]", 'ns-3: Attribute value "few" is not properly formatted'),
        ("ns3::RedQueueDisc[UseEcn=perhaps]", "ns3::RedQueueDisc::UseEcn does not take 'perhaps'"),
        ("ns3::RedQueueDisc[MinTh]", "'MinTh' is not Name=value"),
        ("ns3::RedQueueDisc[MinTh=5", "no ']' at the end"),
        ("ns3::RedQueueDisc[MinTh=30|MaxTh=10]", "ns-3: m_minTh <= m_maxTh"),
    ],
)
def test_queue_discipline(refusal, dumbbell, aqm, reason):
    assert reason in refusal(dumbbell(aqm))


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        ("seed", 0, "scenario.seed must be at least 1"),
        ("seed", 1.5, "scenario.seed must be a whole number"),
        ("seed", True, "scenario.seed must be a number"),
        ("duration_s", "long", "scenario.duration_s must be a number"),
        ("duration_s", float("nan"), "scenario.duration_s must be at least"),
        ("warmup_s", 8, "scenario.warmup_s must be less than duration_s"),
        ("sample_interval_s", 0, "scenario.sample_interval_s must be at least"),
        ("hops", [], "scenario.hops must be a list"),
        ("flows", {}, "scenario.flows must be a list"),
        ("access", 100, "scenario.access must be an object"),
        ("packet_bytes", 20, "scenario.packet_bytes must be at least 64"),
        ("no_such", 1, "scenario.no_such is not known"),
        ("defaults", {"ns3::TcpSocket::NoSuch": "1"}, "ns3::TcpSocket has no attribute 'NoSuch'"),
        ("defaults", {"ns3::TcpSocketBase::Sack": "perhaps"}, "does not take 'perhaps'"),
        ("defaults", {"Sack": "true"}, "'Sack' is not ns3::Type::Attribute"),
        ("defaults", {"ns3::TcpSocket::SegmentSize": "500"}, "follows from packet_bytes"),
    ],
)
def test_scenario_value(refusal, dumbbell, key, value, reason):
    assert reason in refusal(dumbbell(FIFO) | {key: value})


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        ("kind", "ftp", "unknown kind of flow 'ftp'"),
        ("id", 7, "scenario.flows[1].id must be a string"),
        ("id", "tcp0", "two flows are called 'tcp0'"),
        ("source_delay_ms", -1, "scenario.flows[1].source_delay_ms must be at least 0"),
        ("to_hop", 1, "scenario.flows[1].to_hop must be at least 0 and at most 0"),
        ("stop_s", 0.01, "scenario.flows[1].stop_s must be at least 0.05"),
        ("congestion", "ns3::FifoQueueDisc", "is not a ns3::TcpCongestionOps"),
        ("congestion", "ns3::TcpAimd[B=2]", "ns3::TcpAimd::B does not take '2'"),
        ("rate_mbps", 1, "scenario.flows[1].rate_mbps is not known"),
        ("per_s", 1, "scenario.flows[1].per_s is not known"),
        ("direction", "up", "unknown direction of a flow 'up'; there are forth and back"),
        ("ecn", 2, "scenario.flows[1].ecn must be at least 0 and at most 1"),
        ("initial_window", 0, "scenario.flows[1].initial_window must be at least 1"),
        ("bytes", 5, "scenario.flows[1].bytes is not known"),
    ],
)
def test_flow_value(refusal, dumbbell, key, value, reason):
    scenario = dumbbell(FIFO)
    scenario["flows"][1][key] = value
    assert reason in refusal(scenario)


@pytest.mark.parametrize(
    ("back", "reason"),
    [
        (2, "scenario.hops[0].back must be an object"),
        ({"rate_mbps": 2}, "scenario.hops[0].back.queue_packets is missing"),
        ({"rate_mbps": 0, "queue_packets": 5}, "scenario.hops[0].back.rate_mbps must be at least"),
        ({"rate_mbps": 2, "queue_packets": 5, "delay_ms": 1}, "scenario.hops[0].back.delay_ms is not known"),
    ],
)
def test_way_back(refusal, dumbbell, back, reason):
    scenario = dumbbell(FIFO)
    scenario["hops"][0]["back"] = back
    assert reason in refusal(scenario)


@pytest.mark.parametrize(
    ("load", "reason"),
    [
        ({"mean_bytes": 1000}, "scenario.flows[1].per_s is missing"),
        ({"per_s": 5}, "scenario.flows[1].mean_bytes is missing"),
        ({"mean_bytes": 1000, "per_s": 0}, "scenario.flows[1].per_s must be at least"),
        ({"mean_bytes": 1000, "per_s": 5, "shape": 1}, "scenario.flows[1].shape must be at least 1.0001"),
        ({"mean_bytes": 1000, "per_s": 5, "think_s": 1}, "scenario.flows[1].think_s is not known"),
    ],
)
def test_short_flow(refusal, dumbbell, load, reason):
    scenario = dumbbell(FIFO)
    scenario["flows"][1] = {"id": "short", "kind": "short", "source_delay_ms": 2, "sink_delay_ms": 2} | load
    assert reason in refusal(scenario)
