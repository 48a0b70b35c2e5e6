# SPDX-License-Identifier: GPL-2.0-only
"""A tile of many queues that share the link as RFC 8290 has it, beside ns-3's own. Needs its model under build/model."""

from __future__ import annotations

import pytest

from sluice.support import paths

NEVER_NS = 2**32 - 1
SAME_QUEUES = "queue_secret0=512,queue_secret1=0"
"""Flows share queues that do so in ns-3, if both have the same seed."""


def own(*attributes):
    return f"ns3::FqCoDelQueueDisc[{'|'.join(['MaxSize=4000p', 'quantum=1514', 'Perturbation=1', *attributes])}]"


def tile(parameters):
    library = paths.made(paths.model("fq-codel-1k"))
    return f"ns3::SluiceQueueDisc[Model={library}|MaxSize=4000p|Parameters={SAME_QUEUES},queue_alpha=0,{parameters}]"


@pytest.fixture
def crowd(dumbbell):
    """TCP flows that begin one after the other, and UDP flows of all sizes; so long as these are alone the link is often idle."""

    def make(aqm, flows, duration_s, udp_mbps=0.55, **others):
        scenario = dumbbell(aqm, flows, duration_s, **others)
        scenario["flows"] += [
            {
                "id": f"udp{i}",
                "kind": "udp_cbr",
                "rate_mbps": udp_mbps * (i + 1) / 55,
                "packet_bytes": 100 + 90 * i,
                "source_delay_ms": 1 + 0.1 * i,
                "sink_delay_ms": 2,
            }
            for i in range(10)
        ]
        return scenario

    return make


@pytest.mark.parametrize(("flows", "udp_mbps"), [(0, 8), (5, 0.55), (80, 0.55)])
def test_queues_take_turns_packet_for_packet_as_in_ns3(simulate, crowd, flows, udp_mbps):
    """Without CoDel, whose roots differ, and until the buffer is full, at which other packets are dropped."""
    rtl = simulate(crowd(tile(f"target={NEVER_NS}"), flows, 3, udp_mbps))
    ns3 = simulate(crowd(own(f"Target={NEVER_NS}ns"), flows, 3, udp_mbps))
    assert rtl["flows"] == ns3["flows"]
    ours, theirs = rtl["hops"][0], ns3["hops"][0]
    assert ours["departed"] > 2500
    assert ours["by_flow"] == theirs["by_flow"]
    assert ours["series"]["delay_ms"] == theirs["series"]["delay_ms"]
    assert not ours["drops"]


@pytest.mark.parametrize("ecn", [False, True])
def test_codel_of_each_queue(simulate, crowd, ecn):
    """ns-3 sees each packet go when it goes, dropped or marked at the head, of whatever queue; about as many as by its own."""
    what = "marks" if ecn else "drops"
    rtl = simulate(crowd(tile(f"mark_most=255,min_bytes=1499,ecn={int(ecn)}"), 10, 12, ecn=ecn))["hops"][0]
    ns3 = simulate(crowd(own(f"UseEcn={'true' if ecn else 'false'}"), 10, 12, ecn=ecn))["hops"][0]
    assert set(rtl[what]) == {f"Target exceeded {what[:-1]}"}
    assert sum(rtl[what].values()) > 100
    assert sum(rtl[what].values()) == pytest.approx(sum(ns3[what].values()), rel=0.1)
    assert rtl["queue_delay_ms"]["mean"] == pytest.approx(ns3["queue_delay_ms"]["mean"], rel=0.1)
    assert rtl["arrived"] == rtl["departed"] + sum(rtl["drops"].values()) + rtl["queued"]
    assert sum(fate["dropped"] for fate in rtl["by_flow"].values()) == sum(rtl["measured"]["drops"].values())


def test_a_flow_goes_to_the_queue_that_is_said(simulate, dumbbell):
    """A UDP flow that sends thrice as much as another one gets thrice as much of one queue, and as much of two; packets of a
    queue that there is not go to the last one."""
    library = paths.made(paths.model("droptail-1k"))
    parameters = "queue_limit=50,queue_quantum=9000"
    shares = []
    for queues in ({}, {"a": 3, "b": 3}, {"a": 3}, {"a": 1023, "b": 4000}, {"a": 1022, "b": 4000}):
        scenario = dumbbell(f"ns3::SluiceQueueDisc[Model={library}|MaxSize=1000p|Parameters={parameters}]", 0)
        scenario["flows"] = [
            {"id": name, "kind": "udp_cbr", "rate_mbps": rate, "source_delay_ms": delay, "sink_delay_ms": 2}
            | ({"queue": queues[name]} if name in queues else {})
            for name, rate, delay in (("a", 30, 1), ("b", 10, 1.77))
        ]
        more, less = (flow["goodput_mbps"] for flow in simulate(scenario)["flows"])
        shares.append(more / (more + less))
    assert shares == pytest.approx([0.75, 0.75, 0.5, 0.75, 0.5], abs=0.05)
