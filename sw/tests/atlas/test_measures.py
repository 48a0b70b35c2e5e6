# SPDX-License-Identifier: Apache-2.0
"""Each measure of the atlas over a run that was made by hand."""

from __future__ import annotations

import math
from typing import Any

import pytest

from sluice.experiments.atlas import measures
from sluice.loop.scenario import Scenario, flow_groups
from sluice.loop.scenario_format import Access, Hop

TCP = {"kind": "tcp", "direction": "forth", "arrived": 100, "dropped": 1, "throughput_mbps": 2.0}
UDP = {
    "kind": "udp_cbr",
    "direction": "forth",
    "arrived": 100,
    "dropped": 50,
    "throughput_mbps": 6.0,
    "goodput_mbps": 5.5,
}


def scenario(*groups: dict[str, Any], **hop: Any) -> Scenario:
    return Scenario(
        name="by-hand",
        summary="ten megabits",
        duration_s=60,
        warmup_s=5,
        packet_bytes=1250,
        limit=100,
        hops=[Hop.model_validate({"rate_mbps": 10, "delay_ms": 5} | hop)],
        access=Access(rate_mbps=100, delay_ms=5),
        flows=flow_groups(groups or [{"kind": "tcp", "count": 4}]),
    )


def result(*flows: dict[str, Any], delays: list[float] | None = None) -> dict[str, Any]:
    """A run of these flows, with the queue's delay in each half second."""
    shown = delays or []
    return {
        "flows": list(flows),
        "utilisation": 0.5,
        "queue_delay_ms": {"mean": 3.0, "p99": 9.0, "p999": 9.9},
        "drops": {"early": 10, "full": 10},
        "marks": {"early": 5},
        "arrivals": 1000,
        "series": {"time_s": [0.5 * (index + 1) for index in range(len(shown))], "delay_ms": shown},
    }


def of(*flows: dict[str, Any]) -> dict[str, float | None]:
    return measures.of(scenario(), result(*flows))


def test_what_a_link_and_a_queue_do() -> None:
    found = of(
        TCP | {"id": "tcp-1", "goodput_mbps": 1.0}, TCP | {"id": "tcp-2", "goodput_mbps": 3.0}, UDP | {"id": "udp-1"}
    )
    expected = {"link_percent": 50, "goodput_mbps": 9.5, "tcp_mbps": 4, "delay_mean_ms": 3, "delay_p99_ms": 9}
    expected |= {"loss_percent": 2, "mark_percent": 0.5, "tcp_loss_percent": 1, "jain": 16 / 20}
    assert {name: found[name] for name in expected} == pytest.approx(expected)
    assert {name for name, value in found.items() if value is None} == {
        "ratio",
        "ledbat_percent",
        "deaf_shares",
        "ecn_loss_percent",
        "plain_loss_percent",
        "transfer_p50_ms",
        "transfer_p99_ms",
        "open_percent",
        "call_p99_ms",
        "call_loss_percent",
        "recovery_s",
    }


def test_what_flows_go_back_do_not_count() -> None:
    forth = TCP | {"id": "tcp-1", "goodput_mbps": 1.0}
    assert of(forth) == of(forth, forth | {"id": "up-1", "direction": "back", "dropped": 99})


def test_shares_of_one_that_does_not_listen_are_of_all_that_always_have_data() -> None:
    bulk = [TCP | {"id": f"tcp-{index}", "goodput_mbps": 1.0} for index in range(4)]
    call = UDP | {"id": "call-1", "delay_ms": {"mean": 1.0, "p99": 7.0}}
    found = of(*bulk, UDP | {"id": "deaf-1"}, call)
    assert found["deaf_shares"] == pytest.approx(6 / (10 / 5))
    assert (found["call_p99_ms"], found["call_loss_percent"]) == (7, 50)


def test_groups_are_held_against_each_other() -> None:
    near = [TCP | {"id": f"near-{index}", "goodput_mbps": 3.0} for index in range(2)]
    found = of(
        *near, TCP | {"id": "ecn-1", "goodput_mbps": 1.5, "dropped": 4}, TCP | {"id": "ledbat-1", "goodput_mbps": 0.5}
    )
    assert found["ratio"] == pytest.approx(6)
    assert found["ledbat_percent"] == pytest.approx(100 * 0.5 / 8)
    assert found["ecn_loss_percent"] == 4
    assert of(*near, TCP | {"id": "far-1", "goodput_mbps": 0.0})["ratio"] == math.inf


def test_transfers_that_have_not_ended_are_said_apart() -> None:
    web = TCP | {"kind": "web", "id": "web-1", "goodput_mbps": 1.0}
    found = of(
        web | {"transfers": {"begun": 8, "seconds": [0.1, 0.2, 0.9]}}, web | {"transfers": {"begun": 2, "seconds": []}}
    )
    assert (found["transfer_p50_ms"], found["open_percent"]) == (pytest.approx(200), pytest.approx(70))


def test_burdens_are_falls_and_starts_and_last_until_the_next_change() -> None:
    groups = [{"kind": "tcp"}, {"name": "more", "kind": "tcp", "start_s": 10, "start_spread_s": 1, "stop_s": 50}]
    steps = [{"at_s": 20, "rate_mbps": 4}, {"at_s": 40, "rate_mbps": 10}]
    assert measures.burdens(scenario(*groups, steps=steps)) == [(11, 20), (20, 40)]
    assert measures.burdens(scenario(steps=[steps[0], {"at_s": 20.5, "rate_mbps": 3}])) == []
    assert measures.burdens(scenario(steps=[{"at_s": 0.1, "rate_mbps": 5}], repeat_s=0.5)) == []


@pytest.mark.parametrize(
    ("delays", "after_s"),
    [
        ([5] * 120, 0.5),
        ([5] * 20 + [31] * 7 + [30] * 93, 4),
        ([5] * 20 + [99] * 3 + [5] * 2 + [99] * 5 + [5] * 90, 5.5),
        ([5] * 20 + [99] * 100, math.inf),
    ],
    ids=["never long", "later", "short for less than a second", "never short"],
)
def test_a_queue_is_short_again_when_it_stays_so(delays: list[float], after_s: float) -> None:
    falling = scenario(steps=[{"at_s": 10, "rate_mbps": 4}])
    assert measures.of(falling, result(delays=delays))["recovery_s"] == after_s
