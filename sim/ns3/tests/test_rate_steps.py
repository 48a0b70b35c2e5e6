# SPDX-License-Identifier: GPL-2.0-only
"""A bottleneck's rate changes when its steps say so, and the series show what that does."""

from __future__ import annotations

import pytest

LOAD = {"id": "udp", "kind": "udp_cbr", "rate_mbps": 12, "source_delay_ms": 2, "sink_delay_ms": 2}
PPP = 1000 / 1002  # the part of the link that IP packets of 1000 bytes get


@pytest.fixture
def stepped(simulate, dumbbell):
    """A link under more load than it carries, at 10, then 4, then 8 Mbit/s."""
    scenario = dumbbell("ns3::FifoQueueDisc[MaxSize=50p]", duration_s=9)
    scenario["flows"] = [LOAD]
    scenario["hops"][0]["steps"] = [{"at_s": 3, "rate_mbps": 4}, {"at_s": 6, "rate_mbps": 8}]
    return simulate(scenario)


def test_the_link_carries_each_rate_from_its_step_on(stepped):
    rates = stepped["per_flow_series"]["throughput_mbps"]["udp"]
    for second, rate in ((1, 10), (2, 10), (4, 4), (5, 4), (7, 8), (8, 8)):
        assert rates[second] == pytest.approx(rate * PPP, rel=0.01)


def test_a_full_buffer_delays_by_its_size_over_the_rate(stepped):
    series = stepped["hops"][0]["series"]
    delays = dict(zip(series["time_s"], series["delay_ms"], strict=True))
    for time_s, rate in ((2.5, 10), (5.5, 4), (8.5, 8)):
        assert delays[time_s] == pytest.approx(50 * 8 / (rate * PPP), rel=0.03)


def test_the_way_back_changes_too(simulate, dumbbell):
    """A tiny transfer on an idle link takes as long after a step to a rate as on a link that always had it."""
    least = []
    for rate_mbps, steps in ((0.05, {}), (10, {"steps": [{"at_s": 1, "rate_mbps": 0.05}]})):
        scenario = dumbbell("ns3::FifoQueueDisc[MaxSize=50p]", duration_s=20)
        scenario["hops"][0] |= {"rate_mbps": rate_mbps} | steps
        scenario["flows"] = [{key: LOAD[key] for key in ("source_delay_ms", "sink_delay_ms")}]
        scenario["flows"][0] |= {"id": "tiny", "kind": "short", "mean_bytes": 10, "per_s": 1}
        least.append(min(simulate(scenario)["flows"][0]["transfers"]["seconds"]))
    assert least[1] == pytest.approx(least[0], rel=1e-6)


@pytest.mark.parametrize(
    ("steps", "reason"),
    [
        ([], "scenario.hops[0].steps must be a list with at least one entry"),
        ([{"at_s": 1}], "scenario.hops[0].steps[0].rate_mbps is missing"),
        ([{"at_s": 1, "rate_mbps": 0}], "scenario.hops[0].steps[0].rate_mbps must be at least"),
        (
            [{"at_s": 2, "rate_mbps": 1}, {"at_s": 1, "rate_mbps": 1}],
            "scenario.hops[0].steps[1].at_s must be at least 2",
        ),
        ([{"at_s": 1, "rate_mbps": 1, "delay_ms": 1}], "scenario.hops[0].steps[0].delay_ms is not known"),
    ],
)
def test_wrong_steps_are_refused(refusal, dumbbell, steps, reason):
    scenario = dumbbell("ns3::FifoQueueDisc[MaxSize=50p]")
    scenario["hops"][0]["steps"] = steps
    assert reason in refusal(scenario)
