# SPDX-License-Identifier: GPL-2.0-only
"""The Verilated tile as a queue discipline. Needs the models under build/model."""

from __future__ import annotations

from itertools import pairwise

import pytest

from sluice.support import paths

DELAYS = {"source_delay_ms": 2, "sink_delay_ms": 2}


def tile(config, *attributes):
    library = paths.made(paths.model(config))
    return f"ns3::SluiceQueueDisc[{'|'.join([f'Model={library}', *attributes])}]"


@pytest.mark.parametrize("size", ["50p", "40000B"])
def test_droptail_is_a_fifo(simulate, dumbbell, size):
    """Packet for packet, because both only drop what does not fit."""
    rtl = simulate(dumbbell(tile("droptail", f"MaxSize={size}"), flows=8))
    fifo = simulate(dumbbell(f"ns3::FifoQueueDisc[MaxSize={size}]", flows=8))
    assert rtl["flows"] == fifo["flows"]
    assert rtl["hops"][0]["queue_delay_ms"] == fifo["hops"][0]["queue_delay_ms"]
    assert list(rtl["hops"][0]["drops"].values()) == list(fifo["hops"][0]["drops"].values()) != []


def test_red_is_like_red(simulate, dumbbell):
    """Same thresholds and weight as ns-3's own RED: nearly the same queue and loss."""
    parameters = "Parameters=MinTh=5,MaxTh=15,probability=0.1,weight_exponent=9,gentle=true"
    rtl = simulate(dumbbell(tile("red", "MaxSize=100p", parameters), flows=10, duration_s=20))
    own = "ns3::RedQueueDisc[MaxSize=100p|MinTh=5|MaxTh=15|LInterm=10|QW=0.002|LinkBandwidth=10Mbps|MeanPktSize=1000]"
    ns3 = simulate(dumbbell(own, flows=10, duration_s=20))
    means, losses = zip(
        *[
            (hop["queue_packets"]["mean"], sum(hop["drops"].values()) / hop["arrived"])
            for hop in (rtl["hops"][0], ns3["hops"][0])
        ],
        strict=True,
    )
    assert means[0] == pytest.approx(means[1], rel=0.25)
    assert losses[0] == pytest.approx(losses[1], rel=0.25)
    average = rtl["hops"][0]["series"]["status"]["average"]
    assert len(average) == 40
    assert 5 < sum(average[4:]) / 36 < 30


def test_ecn_marks(simulate, dumbbell):
    aqm = tile("red", "Parameters=ecn=true,hard_drop=false")
    assert sum(simulate(dumbbell(aqm, ecn=True))["hops"][0]["marks"].values()) > 20
    assert not simulate(dumbbell(aqm))["hops"][0]["marks"]


def test_ports_are_flows(simulate, dumbbell):
    """CARE counts as many flows as the sender has ports, and one where it has one; the rate is the same."""
    for ports, least, most in ((1, 1, 1.1), (20, 12, 35)):
        scenario = dumbbell(tile("care", "Parameters=capture_probability=1"))
        own = {"id": "udp", "kind": "udp_cbr", "rate_mbps": 2, "packet_bytes": 500, "ports": ports}
        scenario["flows"] = [own | DELAYS]
        result = simulate(scenario)
        assert result["flows"][0]["throughput_mbps"] == pytest.approx(2, rel=0.01)
        assert least <= result["hops"][0]["series"]["status"]["flows"][-1] <= most


def test_udp_that_sets_ect_is_marked(simulate, dumbbell):
    """And not dropped; without, and with another transport's number, as its packets say."""
    for ect, kind in (({}, "drops"), ({"ect": 0}, "marks"), ({"ect": 1}, "marks")):
        scenario = dumbbell(tile("red", "Parameters=min=5,max=15,ecn=true,mark_most=1,hard_drop=false"))
        scenario["flows"] = [{"id": "udp", "kind": "udp_cbr", "rate_mbps": 10.2} | DELAYS | ect]
        hop = simulate(scenario)["hops"][0]
        seen = {
            what: sum(count for reason, count in hop[what].items() if "orced" in reason) for what in ("drops", "marks")
        }
        assert seen[kind] > 20
        assert sum(seen.values()) == seen[kind]


def test_ared_steps_twice_a_second(simulate, dumbbell):
    """Samples of 0.5 s see max_p after each tick: every change is one step, up by 0.01 or a quarter, or down by a tenth."""
    parameters = "Parameters=min=5,max=15,weight_exponent=8,ecn=true,mark_most=0.1"
    run = simulate(dumbbell(tile("ared", "MaxSize=100p", parameters), flows=30, duration_s=20, ecn=True))
    seen = run["hops"][0]["series"]["status"]["max_probability_now"]
    assert len(seen) == 40
    steps = [(before, after) for before, after in pairwise(seen) if before != after]
    assert len(steps) > 5
    for before, after in steps:
        assert after == pytest.approx(before + min(0.01, before / 4) if after > before else 0.9 * before, abs=2e-4)


@pytest.mark.parametrize(
    ("witness", "reasons"),
    [
        ("head-witness", {"Arrival drop", "Head drop"}),
        ("out-witness", {"Arrival drop", "Pushed out drop"}),
    ],
)
def test_what_is_dropped_in_the_queue(simulate, dumbbell, witness, reasons):
    """A core that drops at random, on arrival and in the queue: ns-3 sees each packet go when it goes, with the tile's reason."""
    hop = simulate(dumbbell(tile(witness, "MaxSize=40p"), flows=20, duration_s=20, ecn=True))["hops"][0]
    assert {reason for reason, count in hop["drops"].items() if count > 20} >= reasons
    assert hop["arrived"] == hop["departed"] + sum(hop["drops"].values()) + hop["queued"]
    fates = hop["by_flow"].values()
    assert sum(fate["arrived"] for fate in fates) == hop["measured"]["arrived"]
    assert sum(fate["dropped"] for fate in fates) == sum(hop["measured"]["drops"].values())
    assert set(hop["marks"]) == ({"Arrival mark", "Head mark"} if witness == "head-witness" else {"Arrival mark"})


def test_flows_of_one_subscriber_are_one(simulate, dumbbell):
    """To a tile that counts the flows that have packets queued."""
    active = []
    for subscriber in ({}, {"subscriber": "home"}):
        scenario = dumbbell(tile("fred", "MaxSize=100p", "Parameters=min=25,max=50"), flows=6)
        for flow in scenario["flows"][1:]:
            flow.update(subscriber)
        (hop,) = simulate(scenario)["hops"]
        active.append(max(hop["series"]["status"]["active"]))
    assert active[0] > 2
    assert active[1] == 2


def test_packets_of_two_queues_leave_in_the_tiles_order(simulate, dumbbell):
    """Four TCP flows have four fifths of the link, and a UDP flow that fills its queue of 100 the rest: what it queues, 400 kbit,
    waits for 0.2 s at 2 Mbit/s. In one line with the others it would wait for a quarter of that."""
    scenario = dumbbell(tile("green-2q", "MaxSize=300p", "Parameters=capacity=0.00125,queue1_limit=100"), duration_s=20)
    udp = {"id": "udp", "kind": "udp_cbr", "rate_mbps": 12, "packet_bytes": 500}
    scenario["flows"].append(udp | {"source_delay_ms": 2, "sink_delay_ms": 2})
    scenario["warmup_s"] = 5
    result = simulate(scenario)
    hop = result["hops"][0]
    assert hop["arrived"] == hop["departed"] + sum(hop["drops"].values()) + hop["queued"]
    assert hop["queue_delay_ms"]["p99"] == pytest.approx(200, rel=0.15)


def test_the_seed_matters(simulate, dumbbell):
    first, again, other = (simulate(dumbbell(tile("red", f"Seed={seed}"), duration_s=4))["flows"] for seed in (1, 1, 2))
    assert first == again != other


@pytest.mark.parametrize(
    ("parameters", "reason"),
    [
        ("no_such=1", "unknown parameter 'no_such'; the model has: limit, limit_bytes, seed0"),
        ("min", "'min' is not name=value"),
        ("min=few", "parameter min: 'few' is not a number"),
        ("min=nan", "parameter min: 'nan' is not a number"),
        ("min=-1", "parameter min: -1 is not within 0.."),
        ("gentle=2", "parameter gentle: 2 is not within 0..1"),
        ("min=20,max=10", "the model refused the parameters: min_below_max"),
    ],
)
def test_wrong_parameters(refusal, dumbbell, parameters, reason):
    assert reason in refusal(dumbbell(tile("red", f"Parameters={parameters}")))


@pytest.mark.parametrize(
    ("aqm", "reason"),
    [
        ("ns3::SluiceQueueDisc", "Model must name a library"),
        ("ns3::SluiceQueueDisc[Model=/no/such.so]", "cannot load the model: /no/such.so"),
        ("ns3::SluiceQueueDisc[Model=libc.so.6]", "'libc.so.6' is not the library of a Sluice tile"),
    ],
)
def test_wrong_model(refusal, dumbbell, aqm, reason):
    assert reason in refusal(dumbbell(aqm))


@pytest.mark.parametrize("seed", [0, 1, 2, 12345, 2**32 - 1])
def test_seed_words(seed, sluice_ns3):
    words = sluice_ns3.make_taus88_state(seed)
    expected = seed or 1
    for word, least in zip(words, (2, 8, 16), strict=True):
        expected = expected * 69069 % 2**32
        expected += least if expected < least else 0
        assert word == expected >= least


def test_green_drops_no_flow_whose_round_trip_time_is_unknown(simulate, dumbbell):
    """Beside as many others such flows have most of the link; where all are such, only what finds no room is dropped."""

    def run(errors):
        scenario = dumbbell(tile("green", "MaxSize=100p", "Parameters=capacity=0.00125,segment=1.31"))
        for flow, error in zip(scenario["flows"], errors, strict=True):
            flow["rtt_error"] = error
        found = simulate(scenario)
        return [flow["throughput_mbps"] for flow in found["flows"]], set(found["hops"][0]["drops"])

    mbps, reasons = run([0, 0, 1, 1])
    assert "Unforced drop" in reasons
    assert sum(mbps[:2]) > 2 * sum(mbps[2:])
    assert run([0, 0, 0, 0])[1] == {"Overlimit drop"}


def test_a_core_that_asks_is_told_round_trip_times(simulate, dumbbell):
    """Verdicts of a core that stirs all that it hears: they follow from the round-trip times, which end where the port ends."""

    def flows(witness, error):
        scenario = dumbbell(tile(witness, "MaxSize=40p"))
        for flow in scenario["flows"]:
            flow["rtt_error"] = error
        return simulate(scenario)["flows"]

    assert flows("look-witness", 1) != flows("look-witness", 2)
    assert flows("look-witness", 1e6) == flows("look-witness", 1e9)
    assert flows("head-witness", 1) == flows("head-witness", 2)
