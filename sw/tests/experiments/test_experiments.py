# SPDX-License-Identifier: Apache-2.0
"""The registry of experiments, and that each is what its paper describes."""

from __future__ import annotations

import math
import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from sluice import experiments
from sluice.experiments import Experiment, data
from sluice.experiments.papers import care, cared
from sluice.experiments.papers.care import fig2_4, table6, table9, table9_tcp
from sluice.experiments.papers.cared import _step, fig5, table6_7
from sluice.experiments.papers.choke import _model, share
from sluice.experiments.papers.pie import ecn, pi2
from sluice.experiments.papers.purge import fig3_4, table2_3
from sluice.experiments.papers.ured import tunnels
from sluice.loop import aqm, metrics
from sluice.loop.scenario import active_flows, expand

ALL = list(experiments.registry().values())


@pytest.mark.parametrize("experiment", ALL, ids=lambda experiment: experiment.name)
def test_an_experiment_is_complete(experiment: Experiment) -> None:
    cells = experiment.cells()
    points = {cell.point for cell in cells}
    keys = [(cell.aqm, cell.point) for cell in cells]
    assert len(keys) == len(set(keys))
    assert set(experiment.quick_points) <= points
    assert experiment.settings
    for cell in cells:
        assert set(cell.published) | set(cell.ns2) <= set(experiment.metrics)
        ids = [flow["id"] for flow in expand(cell.scenario, 1)]
        assert len(ids) == len(set(ids))


CURVES = {"care-fig1", "care-fig2-4", "care-fig9-10", "care-fig12", "care-fig13", "care-fig14", "pi2-pie"}
"""Printed as curves only."""

LOST = {"purge-fig3-4", "purge-fig5", "purge-table2-3"}
"""Curves, or numbers that no copy has."""

OWN = {
    "care-few-flows",
    "care-table6-gates",
    "cobalt-unresponsive",
    "dualpi2-overload",
    "hostile-ect",
    "hostile-ids",
    "ured-tunnels",
}
"""What no paper has."""

BESIDE_SIMULATORS = {"pie-ns3", "pie-ecn", "codel-ns3", "controllers-ns2"}
"""What they are held against is a simulator's own code."""


def test_every_experiment_but_curves_has_published_numbers() -> None:
    for experiment in ALL:
        assert any(cell.published for cell in experiment.cells()) == (
            experiment.name not in CURVES | LOST | OWN | BESIDE_SIMULATORS
        )


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


def test_each_subscriber_offers_what_it_should_in_a_tunnel_of_its_own() -> None:
    """Every other one in GTP-U; the two bytes of a session and the TEID's last two are the number."""
    network = tunnels.network("pppoe").lasting(20)
    offered = Counter[int]()
    for frame in tunnels.frames(network, 1)[1]:
        is_gtp = frame[12:14] == b"\x08\x00"
        assert is_gtp == (frame[12:14] != b"\x88\x64")
        teid_end, session_end = 50, 18
        end = teid_end if is_gtp else session_end
        number = int.from_bytes(frame[end - 2 : end], "big")
        assert is_gtp == (number % 2 == 0)
        offered[number] += len(frame) - (50 if is_gtp else 22)
    mbps = {number: size * 8e-6 / 20 for number, size in offered.items()}
    assert mbps.pop(tunnels.GREEDY) == pytest.approx(tunnels.GREEDY_MBPS, rel=0.02)
    assert sorted(mbps) == list(range(2, tunnels.SUBSCRIBERS + 1))
    assert all(each == pytest.approx(tunnels.REGULAR_MBPS, rel=0.1) for each in mbps.values())


def test_goodput_of_tcp_is_in_percent_of_the_link() -> None:
    flows = [{"kind": "tcp", "goodput_mbps": 0.5}] * 42 + [{"kind": "udp_cbr", "goodput_mbps": 0.25}] * 8
    assert table2_3.tcp_percent({"flows": flows}) == pytest.approx(84)
    assert table2_3.system_percent({"flows": flows}) == pytest.approx(92)


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


def test_cared_settings_are_the_automatic_ones() -> None:
    red = cared.BASE.settings["red"]
    assert (red["min"], red["max"]) == (5, 15)
    assert red["weight"] == pytest.approx(1 / 1250, rel=1e-3)


def test_cared_has_ns2_beside_it() -> None:
    cell = next(cell for cell in table6_7.cells() if (cell.aqm, cell.point) == ("red", "50 flows"))
    assert cell.published == {"drop_percent": 8.6, "goodput_kbps": 9087}
    assert cell.ns2 == {"drop_percent": [9.72, 9.77, 9.77], "goodput_kbps": [9260, 9240, 9231]}


def test_drop_percent_counts_arrivals() -> None:
    result = {"drops": {"Forced drop": 3, "Unforced drop": 2}, "arrivals": 200}
    assert metrics.drop_percent(result) == 2.5


def test_the_adaptive_schemes_have_reds_settings_and_the_adaptation() -> None:
    offered = cared.BASE.settings
    assert all(offered[name] == offered["red"] | cared.ADAPTATION for name in ("ared", "re-ared-m2", "cared"))


def test_cared_tables_share_their_runs() -> None:
    shared = [
        (cell.config, cell.point, cell.scenario)
        for experiment in ALL
        if experiment.name.startswith("cared-table")
        for cell in experiment.cells()
        if (cell.aqm, cell.point) == ("re-ared", "50 flows")
    ]
    assert len(shared) == 3
    assert all(each == shared[0] for each in shared)


def test_ns3s_own_ared_is_set_like_ours(project: Path) -> None:
    cell = next(cell for cell in table6_7.cells() if cell.aqm == "ns3-ared")
    text = aqm.resolve(cell.config, cell.scenario, {}, 1).text
    for attribute in (
        "AdaptMaxP=true",
        "MinTh=5",
        "MaxTh=15",
        "LInterm=10",
        "UseEcn=true",
        "Interval=500000000ns",
        "Top=0.5",
    ):
        assert attribute in text


def test_the_load_of_figure_5_falls_at_25_s() -> None:
    steps = active_flows(fig5.NETWORK)
    assert dict(steps)[25.0] == 2
    assert max(count for _, count in steps) == 22


@pytest.mark.parametrize(
    ("inside", "seconds"),
    [
        ("1111111111111111", 0),
        ("1110000111111111111", 0.7),
        ("0011100000000111111111111", 1.3),
        ("111000011111000000", math.inf),
        ("0000000", math.inf),
        ("", math.inf),
    ],
)
def test_back_in_the_band_means_to_stay(inside: str, seconds: float) -> None:
    samples = [(round(0.1 * index, 1), letter == "1") for index, letter in enumerate(inside)]
    assert _step.back_after(samples) == seconds


def test_a_step_is_measured_from_it_to_the_next() -> None:
    """Before it 99 ms count for nothing; after it 80, 50, 30, 60 ms, and then 30 for good."""
    times = [round(0.1 * index, 1) for index in range(1, 451)]
    first = {15.1: 80.0, 15.2: 50.0, 15.3: 30.0, 15.4: 60.0}
    delays = [first.get(time, 99.0 if time <= 15 or time > 30 else 30.0) for time in times]
    result = {
        "series": {"time_s": times, "delay_ms": delays},
        "flow_series": {
            "interval_s": 1.0,
            "throughput_mbps": {"a": [10.0] * 30 + [2.0, 3.0, 4.0, 5.0, 6.0] + [10.0] * 10, "b": [1.0] * 45},
        },
    }
    assert pi2.peak_ms(result) == 80
    assert pi2.settled_s(result) == pytest.approx(0.5)
    assert pi2.regained_mbps(result) == 5
    result["series"]["delay_ms"] = [40.0] * 450
    assert pi2.settled_s(result) == math.inf
    result["series"]["time_s"], result["flow_series"]["throughput_mbps"] = times[:150], {"a": [1.0] * 15}
    assert pi2.peak_ms(result) == pi2.regained_mbps(result) == math.inf


def test_a_flood_is_nine_of_ten_packets() -> None:
    """Of a tenth of a second with ten packets or more, after the warm-up."""
    series = {"time_s": [1, 2, 3, 4, 5], "arrivals": [10, 10, 100, 9, 20], "marks": [10, 9, 89, 9, 0]}
    assert ecn.flooded_percent({"warmup_s": 1, "series": series}) == pytest.approx(100 / 3)


def test_copied_tables_are_whole() -> None:
    assert len(data.rows("ns2-cared-table6.csv")) == 2 * 4 * 11 * 3


def test_chokes_model_has_the_published_peak() -> None:
    """Tang, Wang and Low: the share is at most 1/(e + 1), at a load of (2 e - 1)/(e + 1), and vanishes beyond."""
    peak = 1 / (math.e + 1)
    assert _model.share((2 * math.e - 1) / (math.e + 1)) == pytest.approx(peak, rel=1e-9)
    assert all(_model.share(load) <= peak for load in share.LOADS)
    assert _model.share(0.01) == pytest.approx(0.01, rel=0.02)
    assert _model.share(100) < 1e-9


def played_choke(load: float, draws: int) -> float:
    """UDP's share of a queue of 100 that is played packet by packet. What UDP does not take of it is of other flows, none of them
    twice. A victim leaves a tombstone; after so many draws that hit one the oldest packet is taken, as in Linux."""
    rng = random.Random(1)
    queue: list[bool | None] = [False] * 100  # whether it is UDP's, the oldest first; None: a tombstone
    queued, sent, due, ticks = 100, 0, 0.0, 20_000
    for _ in range(ticks):
        due += load
        while due >= 1:
            due -= 1
            drawn = (rng.randrange(len(queue)) for _ in range(draws))
            place = next((each for each in drawn if queue[each] is not None), 0)
            if queue[place]:
                queue[place] = None
                queued -= 1
            else:
                queue.append(True)
                queued += 1
        while (oldest := queue.pop(0)) is None:
            pass
        sent += oldest
        while queue and queue[0] is None:
            queue.pop(0)
        queue += [False] * (101 - queued)
        queued = max(queued - 1, 100)
    return sent / ticks


@pytest.mark.parametrize("load", [0.5, 1.2, 3, 10])
def test_chokes_model_is_what_comparing_with_queued_packets_comes_to(load: float) -> None:
    assert played_choke(load, draws=1000) == pytest.approx(_model.share(load), abs=0.01)


def test_three_draws_let_more_of_an_overwhelming_flow_through() -> None:
    """Two places in three are tombstones then; at lower loads three draws are enough."""
    assert 0.06 < played_choke(10, draws=3) < 0.09
    assert played_choke(3, draws=3) == pytest.approx(_model.share(3), abs=0.01)
