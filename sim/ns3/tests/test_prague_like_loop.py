# SPDX-License-Identifier: GPL-2.0-only
"""The scalable sender on a link: its law of marks, its codepoint, its pace, and its answer to losses."""

from __future__ import annotations

import pytest
from built import built

from sluice.experiments.papers import scalable
from sluice.experiments.papers.scalable.response import classic_window, scalable_window
from sluice.support import paths

PRAGUE = scalable.PRAGUE
RTT_S = 0.026
PACKET_BITS = 8000


def marks_at(probability, rate_mbps=100, limit=1000):
    """A tile that gives that mark to ECT(1) and its square to all others, from the first queue on: PI2 with p' at its most."""
    settings = {
        "target": 0,
        "alpha": 65535,
        "beta": 0,
        "min_bytes": 0,
        "rate": rate_mbps * 1e6 / 8 * 16e-9,
        "coupling": 1,
        "max_base": probability,
        "ecn": 1,
        "limit": limit,
    }
    parameters = ",".join(f"{name}={value}" for name, value in settings.items())
    return f"ns3::SluiceQueueDisc[Model={built(paths.model('pi2'))}|Parameters={parameters}]"


def step_at(delay_ns):
    """A tile that marks whatever waited longer."""
    parameters = f"threshold_ns={delay_ns},threshold_packets=262143"
    return f"ns3::SluiceQueueDisc[Model={built(paths.model('step-head'))}|Parameters={parameters}]"


def one_flow(dumbbell, congestion, aqm, rate_mbps=100, duration_s=30):
    """Alone on the link, with a round trip of 26 ms."""
    scenario = dumbbell(aqm, flows=1, duration_s=duration_s, ecn=True)
    scenario["warmup_s"] = duration_s / 4
    scenario["hops"][0]["rate_mbps"] = rate_mbps
    scenario["access"]["rate_mbps"] = 1000
    scenario["flows"][0] |= {"congestion": congestion, "source_delay_ms": 4, "sink_delay_ms": 4}
    return scenario


def window(result):
    """Packets on their way in the mean, where nothing waits."""
    return result["flows"][0]["throughput_mbps"] * 1e6 * RTT_S / PACKET_BITS


def mark_share(result):
    """The part of the packets that was marked."""
    measured = result["hops"][0]["measured"]
    return sum(measured["marks"].values()) / measured["arrived"]


@pytest.mark.parametrize("p", [0.05, 0.2])
def test_a_window_has_two_marks(simulate, dumbbell, p):
    """With x = w p marks a round, x (1 - e^-x) = 2 (1 - p): a round without a mark is not reduced."""
    result = simulate(one_flow(dumbbell, PRAGUE, marks_at(p), duration_s=60 if p > 0.1 else 30))
    assert mark_share(result) == pytest.approx(p, rel=0.05)
    assert window(result) == pytest.approx(scalable_window(p), rel=0.1)


@pytest.mark.parametrize("congestion", ["ns3::TcpNewReno", "ns3::TcpCubic"])
def test_classic_senders_go_with_the_root(simulate, dumbbell, congestion):
    """CUBIC as Reno, since the window is small."""
    result = simulate(one_flow(dumbbell, congestion, marks_at(0.1), duration_s=60))
    assert window(result) == pytest.approx(classic_window(0.01), rel=0.1)


@pytest.mark.parametrize(
    ("congestion", "share"), [(PRAGUE, 0.1), ("ns3::TcpDctcp[UseEct0=false]", 0.1), ("ns3::TcpDctcp", 0.01)]
)
def test_packets_bear_ect1(simulate, dumbbell, congestion, share):
    """Each of them: the tile drops what it would mark and cannot."""
    result = simulate(one_flow(dumbbell, congestion, marks_at(0.1), duration_s=16))
    assert mark_share(result) == pytest.approx(share, rel=0.2)
    assert not result["hops"][0]["drops"]


@pytest.mark.parametrize(("target", "least", "most"), [("25ms", 1 / 1.5, 1.5), ("0ms", 2, 20)])
def test_short_round_trips_are_no_faster(simulate, dumbbell, target, least, most):
    """5 and 20 ms behind a step at 1 ms; without a target their rates differ as the round trips do, or more."""
    scenario = dumbbell(step_at(1_000_000), flows=2, duration_s=16)
    scenario["warmup_s"] = 6
    scenario["hops"][0] |= {"rate_mbps": 40, "delay_ms": 1}
    for flow, delay_ms in zip(scenario["flows"], (0.75, 4.5), strict=True):
        flow |= {"congestion": f"{PRAGUE}[RttTarget={target}]", "source_delay_ms": delay_ms, "sink_delay_ms": delay_ms}
    near, far = (flow["throughput_mbps"] for flow in simulate(scenario)["flows"])
    assert near + far > 32
    assert least < near / far < most


def test_segments_are_paced(simulate, dumbbell):
    """Never two within 2 ms, where the window's share of a round trip is near 3; DCTCP sends what an acknowledgement lets go."""
    most = {}
    for congestion in (PRAGUE, "ns3::TcpDctcp[UseEct0=false]"):
        scenario = one_flow(dumbbell, congestion, marks_at(0.2), duration_s=12)
        scenario["sample_interval_s"] = 0.001
        arrivals = simulate(scenario)["hops"][0]["series"]["arrivals"][4000:]
        most[congestion] = max(arrivals)
    assert most[PRAGUE] == 1
    assert most["ns3::TcpDctcp[UseEct0=false]"] > 1


def test_without_marks_it_is_as_reno(simulate, dumbbell):
    """Behind a FIFO, which marks nothing: neither has more than twice what the other has."""
    scenario = dumbbell("ns3::FifoQueueDisc[MaxSize=30p]", flows=2, duration_s=30)
    scenario["flows"][1]["congestion"] = PRAGUE
    reno, prague = (flow["throughput_mbps"] for flow in simulate(scenario)["flows"])
    assert 0.5 < prague / reno < 2


def test_losses_count_among_marks(simulate, dumbbell):
    """Marks alone allow 43 packets, and the link holds 20. The socket begins no recovery while it answers a mark: were losses of
    then not noticed, twice as many packets would be lost."""
    result = simulate(one_flow(dumbbell, PRAGUE, marks_at(0.05, rate_mbps=5, limit=5), rate_mbps=5, duration_s=40))
    measured = result["hops"][0]["measured"]
    lost = sum(measured["drops"].values()) / measured["arrived"]
    assert 0.001 < lost < 0.006
    assert result["flows"][0]["throughput_mbps"] > 4.3
