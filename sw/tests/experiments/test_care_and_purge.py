# SPDX-License-Identifier: Apache-2.0
"""CARE's and Purge's experiments are what their papers describe."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from sluice.experiments.papers import care
from sluice.experiments.papers.care import fig2_4, table6, table9, table9_tcp
from sluice.experiments.papers.purge import fig3_4, table2_3
from sluice.loop.scenario import expand


def test_care_table6_has_35_tcp_flows_and_the_udp_flow_last() -> None:
    cell = next(cell for cell in table6.cells() if cell.point == "30 %")
    flows = expand(cell.scenario, 1)
    assert [flow["kind"] for flow in flows] == ["tcp"] * 35 + ["udp_cbr"]
    assert flows[-1]["rate_mbps"] == 3
    assert sum("Aimd" in flow.get("congestion", "") for flow in flows) == 21


@pytest.mark.parametrize("count", [10, 25, 35, 100])
def test_care_mix_gives_each_kind_its_share_to_within_a_flow(count: int) -> None:
    groups = care.tcp_mix(count)
    assert sum(group["count"] for group in groups) == count
    shares = {group["name"]: share for share, group in care.MIX}
    assert all(abs(group["count"] - count * shares[group["name"]]) < 1 for group in groups)


def test_estimates_are_held_against_the_flows_of_their_time() -> None:
    step = fig2_4.STRETCH_S
    times = [5.0, step - 1, step + 2, 2.5 * step, 4 * step]
    result = {
        "warmup_s": 0,
        "flows": [{"kind": "tcp"}],
        "series": {"time_s": times, "status": {"flows": [20, 20, 40, 70, 40]}},
    }
    assert fig2_4.bias_percent(result) == 0
    assert fig2_4.scatter_percent(result) == 0


def test_blacks_number_of_flows_is_held_against_those_that_sent() -> None:
    black = {"samples": [100, 100, 120, 7], "matches": [0, 1, 3, 0]}
    purge = {"samples": [0] * 4, "flows": [99, 80, 55, 10.0]}
    result = {"warmup_s": 2, "series": {"time_s": [1, 2, 3, 4], "flows": [40, 40, 50, 10], "status": black}}
    assert fig3_4.estimates(result) == [100, 100, 40, 7]
    assert fig3_4.bias_percent(result) == pytest.approx(-25)
    assert fig3_4.rmse_percent(result) == pytest.approx(100 * math.sqrt((0.2**2 + 0.3**2) / 2))
    result["series"]["status"] = purge
    assert fig3_4.bias_percent(result) == pytest.approx(5)


@pytest.mark.parametrize("kind", ["equal", "on/off"])
def test_flows_of_figure_3_send_25_kbps_in_the_mean(kind: str) -> None:
    """A web source's transfer takes some time beside its pause, which this leaves out."""
    cell = next(cell for cell in fig3_4.cells() if cell.point == f"600 flows, {kind}")
    rates = [
        flow["mean_bytes"] * 8e-6 / flow["think_s"]
        if flow["kind"] == "web"
        else flow["rate_mbps"] * flow["burst_s"] / (flow["burst_s"] + flow["idle_s"])
        if flow["burst_s"] > 0.1
        else 8e-3 / (flow["idle_s"] + 8e-3 / flow["rate_mbps"])
        for flow in expand(cell.scenario, 1)
    ]
    assert len(rates) == 600
    assert sum(rates) / 600 == pytest.approx(0.025, rel=0.05)


def test_purges_cache_holds_twice_the_flows_that_do_not_back_off_and_once_fewer() -> None:
    entries, stubborn = 50, set()
    for cell in table2_3.cells():
        kinds = [flow["kind"] for flow in expand(cell.scenario, 1)]
        assert cell.point == f"{len(kinds)} flows"
        assert kinds.count("udp_cbr") == pytest.approx(0.15 * len(kinds), abs=1)
        stubborn.add(kinds.count("udp_cbr"))
    assert max(stubborn) > entries
    assert sorted(stubborn)[-2] <= entries / 2


def test_care_published_row() -> None:
    red = {cell.point: cell.published["udp_mbps"] for cell in table6.cells() if cell.aqm == "red"}
    assert red == {"1 %": 0.096, "5 %": 0.48, "10 %": 0.957, "15 %": 1.432, "20 %": 1.905, "25 %": 2.377, "30 %": 2.841}


def test_care_table9_tells_what_becomes_of_the_five_flows_of_100_ms() -> None:
    cell = next(cell for cell in table9.cells() if cell.aqm == "care")
    flows = expand(cell.scenario, 1)
    fates = [
        {"throughput_mbps": 0.4, "arrived": 100, "dropped": 9},
        {"throughput_mbps": 0.2, "arrived": 50, "dropped": 1},
    ]
    result = {"flows": [{"id": flow["id"]} | fates[flow.get("source_delay_ms") == 100] for flow in flows]}
    assert sum(flow["throughput_mbps"] == 0.2 for flow in result["flows"]) == 5
    assert table9.far_mbps(result) == pytest.approx(0.2)
    assert table9.far_loss_percent(result) == 2


def test_table9_by_tcp_has_table9s_own_runs_and_others_that_differ_in_tcp_only() -> None:
    own = {cell.aqm: cell.scenario for cell in table9.cells()}
    cells = table9_tcp.cells()
    assert {cell.point for cell in cells if cell.scenario == own[cell.aqm]} == {"as in Table IX"}
    for cell in cells:
        flows, theirs = expand(cell.scenario, 1), expand(own[cell.aqm], 1)
        halved = {flow["id"] for flow, other in zip(flows, theirs, strict=True) if flow != other}
        assert halved == (
            {f["id"] for f in flows if f["kind"] == "tcp"} if cell.point == "half of the window" else set()
        )
        network = replace(cell.scenario, tcp=own[cell.aqm].tcp, flows=own[cell.aqm].flows)
        assert network == own[cell.aqm]
