# SPDX-License-Identifier: Apache-2.0
"""Scenarios: what a file may say, and what the simulator gets of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sluice.loop import scenario

TEXT = """
summary: two kinds of flows
duration_s: 60
warmup_s: 10
packet_bytes: 1000
limit: 50
hops: [{rate_mbps: 10, delay_ms: 2}]
access: {rate_mbps: 100, delay_ms: 3}
flows:
  - {kind: tcp, name: slow, count: 3, start_spread_s: 1, source_delay_ms: 10}
  - {kind: udp_cbr, rate_mbps: 1}
"""


def test_groups_become_single_flows() -> None:
    flows = scenario.expand(scenario.parse("two", TEXT), seed=1)
    assert [flow["id"] for flow in flows] == ["slow-1", "slow-2", "slow-3", "udp_cbr-1"]
    assert all(0 < flow["start_s"] < 1 for flow in flows[:3])
    assert flows[3]["start_s"] == 0
    assert (flows[0]["source_delay_ms"], flows[0]["sink_delay_ms"]) == (10, 3)
    assert flows[3] == {
        "id": "udp_cbr-1",
        "kind": "udp_cbr",
        "rate_mbps": 1,
        "source_delay_ms": 3,
        "sink_delay_ms": 3,
        "start_s": 0,
        "from_hop": 0,
        "direction": "forth",
        "ports": 1,
    }


def test_start_times_follow_from_the_seed() -> None:
    two = scenario.parse("two", TEXT)
    assert scenario.expand(two, 1) == scenario.expand(two, 1)
    assert scenario.expand(two, 1) != scenario.expand(two, 2)


def test_round_trip_times_are_estimated_for_each_flow() -> None:
    estimated = scenario.parse("two", TEXT + "rtt: idmaps\n")
    errors = [[flow.pop("rtt_error") for flow in scenario.expand(estimated, seed)] for seed in (1, 1, 2)]
    assert errors[0] == errors[1] != errors[2]
    assert len(set(errors[0])) == 4
    assert all(0.5 < error < 2 for error in errors[0])
    assert [flow | {"rtt_error": 1} for flow in scenario.expand(scenario.parse("two", TEXT), 1)] == [
        flow | {"rtt_error": 1} for flow in scenario.expand(estimated, 1)
    ]


@pytest.mark.parametrize(
    ("all_flows", "slow_flows"), [("embedded", "unknown"), ("unknown", "idmaps"), ("idmaps", "embedded")]
)
def test_a_group_has_round_trip_times_of_its_own(all_flows: str, slow_flows: str) -> None:
    """What the others are told stays what it was, also where it is random."""

    def errors(text: str) -> list[float]:
        return [flow.get("rtt_error", 1) for flow in scenario.expand(scenario.parse("two", text), 1)]

    slow, others = (errors(f"{TEXT}rtt: {source}\n") for source in (slow_flows, all_flows))
    mixed = TEXT.replace("name: slow", f"name: slow, rtt: {slow_flows}") + f"rtt: {all_flows}\n"
    assert errors(mixed) == slow[:3] + others[3:]
    assert slow[:3] != others[:3]
    assert errors(f"{TEXT}rtt: unknown\n") == [0] * 4


@pytest.mark.parametrize(("duration_s", "warmup_s"), [(30, 5), (600, 10), (None, 10)])
def test_the_warm_up_shrinks_with_the_run(duration_s: float | None, warmup_s: float) -> None:
    assert scenario.parse("two", TEXT).lasting(duration_s).warmup_s == warmup_s


def test_facts_of_the_link() -> None:
    two = scenario.parse("two", TEXT)
    assert two.rate_pps == 1250
    assert two.capacity_mbps == 10


def test_the_capacity_counts_each_rate_for_its_time() -> None:
    steps = "steps: [{at_s: 5, rate_mbps: 1}, {at_s: 20, rate_mbps: 4}, {at_s: 40, rate_mbps: 16}, {at_s: 90, rate_mbps: 99}]"
    changing = scenario.parse("two", TEXT.replace("delay_ms: 2}]", f"delay_ms: 2, {steps}}}]"))
    assert changing.capacity_mbps == pytest.approx((10 * 1 + 20 * 4 + 20 * 16) / 50)


def test_steps_that_come_again_come_until_the_end() -> None:
    steps = "steps: [{at_s: 0.1, rate_mbps: 1}, {at_s: 0.2, rate_mbps: 10}], repeat_s: 0.2"
    [hop] = scenario.parse("two", TEXT.replace("delay_ms: 2}]", f"delay_ms: 2, {steps}}}]")).hops
    assert [(step.at_s, step.rate_mbps) for step in hop.steps_until(0.55)] == [
        (0.1, 1),
        (0.2, 10),
        (0.3, 1),
        (0.4, 10),
        (0.5, 1),
    ]
    assert hop.mean_rate_mbps(0.2, 1000.2) == pytest.approx(5.5)
    assert hop.steps_until(0.05) == []


def test_ns3_gets_its_attributes_as_text() -> None:
    attributes = (
        "tcp: {ns3::TcpSocketBase::Sack: false, ns3::TcpSocket::DelAckCount: 1, ns3::TcpSocketBase::MinRto: 1s}"
    )
    assert list(scenario.parse("two", TEXT + attributes).tcp.values()) == ["false", "1", "1s"]


def test_flows_that_negotiate_ecn_make_the_aqm_mark() -> None:
    plain = scenario.load("main")
    partly = replace(plain, flows=scenario.flow_groups([{"kind": "tcp"}, {"name": "ecn", "kind": "tcp", "ecn": True}]))
    assert "ecn" not in plain.facts
    assert partly.facts["ecn"] == 1
    assert [flow.get("ecn") for flow in scenario.expand(partly, 1)] == [None, 1]


def test_every_built_in_scenario_loads() -> None:
    assert "main" in scenario.names()
    for name in scenario.names():
        assert scenario.expand(scenario.load(name), 1)
        assert "\n" not in scenario.load(name).summary
