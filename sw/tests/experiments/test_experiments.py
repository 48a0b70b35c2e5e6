# SPDX-License-Identifier: Apache-2.0
"""The registry of experiments, and what several measure."""

from __future__ import annotations

import math
from collections import Counter

import pytest

from sluice import experiments
from sluice.experiments import Experiment, data
from sluice.experiments.papers import fq_codel
from sluice.experiments.papers.cared import _step
from sluice.experiments.papers.fq_codel import sparse
from sluice.experiments.papers.pie import ecn, pi2
from sluice.experiments.papers.purge import table2_3
from sluice.experiments.papers.ured import tunnels
from sluice.loop import metrics
from sluice.loop.scenario import expand
from sluice_golden.tile.many_queues.queue_hash import hashed_queue

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
    "dctcp-incast",
    "dualpi2-overload",
    "hostile-ect",
    "hostile-ids",
    "ured-tunnels",
}
"""What no paper has."""
BESIDE_SIMULATORS = {
    "pie-ns3",
    "pie-ecn",
    "codel-ns3",
    "controllers-ns2",
    "fq-codel-flood",
    "fq-codel-ns3",
    "fq-codel-sparse",
}
"""What they are held against is a simulator's own code."""


def test_every_experiment_but_curves_has_published_numbers() -> None:
    for experiment in ALL:
        assert any(cell.published for cell in experiment.cells()) == (
            experiment.name not in CURVES | LOST | OWN | BESIDE_SIMULATORS
        )


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


def test_drop_percent_counts_arrivals() -> None:
    result = {"drops": {"Forced drop": 3, "Unforced drop": 2}, "arrivals": 200}
    assert metrics.drop_percent(result) == 2.5


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


def test_sparse_flows_are_told_from_bulk_ones() -> None:
    """The one in the middle counts, and those that share a queue with a bulk flow wait as long as that."""
    waits = [(1.0, 1.5), (1.0, 2.5), (1.0, 3.5), (40.0, 90.0)]
    flows = [{"kind": "udp_cbr", "delay_ms": {"mean": mean, "p99": p99}} for mean, p99 in waits]
    result = {"flows": [*flows, {"kind": "tcp", "goodput_mbps": 4.5, "delay_ms": {"mean": 50.0, "p99": 99.0}}]}
    assert sparse.experiment.metrics["sparse_p99_ms"](result) == 3
    assert sparse.sharing_percent(result) == 25
    assert sparse.bulk_mbps(result) == 4.5


@pytest.mark.parametrize("flow", [0, 1, 0x2A5, 0xFFFFFFFF, 0x12345678])
def test_fq_codels_flows_share_queues_as_in_ns3(flow: int) -> None:
    """A queue's number is that of ns-3, the flow's hash modulo 1,024, with its bits from behind."""
    secret = int(fq_codel.REVERSED["queue_secret0"]) | int(fq_codel.REVERSED["queue_secret1"]) << 32
    assert f"{hashed_queue(flow, secret, 10):010b}" == f"{flow % 1024:010b}"[::-1]


def test_copied_tables_are_whole() -> None:
    assert len(data.rows("ns2-cared-table6.csv")) == 2 * 4 * 11 * 3
