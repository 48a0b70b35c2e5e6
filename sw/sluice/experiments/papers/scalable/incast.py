# SPDX-License-Identifier: Apache-2.0
"""Queries that many servers answer at once, at a port whose buffer other queues fill: fixed limits and dynamic thresholds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sluice.experiments import Cell, Experiment
from sluice.loop import metrics
from sluice.loop import scenario as scenarios
from sluice.loop.scenario import Scenario, flow_groups
from sluice.loop.scenario_format import Access, Hop
from sluice.loop.series import Result

RATE_MBPS = 1000
ROUND_TRIP_MS = 0.3
BUFFER = 800
"""Packets."""
STEP_PACKETS = 20
"""DCTCP's K at 1 Gbit/s (SIGCOMM 2010, section 3.4)."""
PACKET_BYTES = 1500
QUERY_BYTES = 1_000_000
"""Of all answers together, as in the paper's section 4.2.1."""
EVERY_S = 0.2

SENDERS = (32, 128, 256)
GREEDY = (1, 7)
"""Other queues, in each of which two senders that know no ECN take what they get."""

CUBIC = {"congestion": "ns3::TcpCubic", "start_spread_s": EVERY_S / 4}

BOUNDS: dict[str, dict[str, float]] = {
    "none": {},
    "1/8 each": {"queue_limit": BUFFER // 8},
    "1/2 each": {"queue_limit": BUFFER // 2},
    "alpha 1/2": {"queue_alpha": 8},
    "alpha 1": {"queue_alpha": 9},
    "alpha 4": {"queue_alpha": 11},
}
QUERIES = 5
DURATION_S = 1.25


def scenario(senders: int, greedy: int, bounds: dict[str, float]) -> Scenario:
    """So many DCTCP senders in queue 1, and greedy ones in each of so many queues from 2 on."""
    step = STEP_PACKETS * PACKET_BYTES
    servers = {
        "kind": "incast",
        "name": "answers",
        "count": senders,
        "bytes": QUERY_BYTES // senders,
        "every_s": EVERY_S,
    }
    base = scenarios.load("datacenter-step")
    return replace(
        base,
        name="dctcp-incast",
        summary=f"{senders} servers answer at once beside {greedy} greedy queues, 1 Gbit/s",
        duration_s=DURATION_S,
        warmup_s=EVERY_S / 2,
        limit=BUFFER,
        packet_bytes=PACKET_BYTES,
        hops=[Hop(rate_mbps=RATE_MBPS, delay_ms=ROUND_TRIP_MS / 4)],
        access=Access(rate_mbps=10_000, delay_ms=ROUND_TRIP_MS / 8),
        tcp=base.tcp | {"ns3::TcpSocket::ConnTimeout": "10ms"},
        flows=flow_groups(
            [servers | {"queue": 1, "congestion": "ns3::TcpDctcp"}]
            + [
                {"kind": "tcp", "name": f"greedy-{queue}", "count": 2, "queue": 2 + queue, "ecn": False} | CUBIC
                for queue in range(greedy)
            ]
        ),
        settings={"wred": {"enable": 0, "ecn_min_threshold": step, "ecn_max_threshold": step} | bounds},
    )


def cells() -> list[Cell]:
    """One cell for each number of senders, of greedy queues, and way to bound a queue."""
    return [
        Cell(
            aqm=name,
            point=f"{senders} senders, {greedy} greedy",
            config="wred-1k",
            scenario=scenario(senders, greedy, bounds),
        )
        for greedy in GREEDY
        for senders in SENDERS
        for name, bounds in BOUNDS.items()
    ]


def answers(result: Result) -> list[Result]:
    return [flow for flow in result["flows"] if flow["kind"] == "incast"]


def query_ms(result: Result) -> np.ndarray:
    """From each query to the end of its last answer; what had not ended with the run took as long as that."""
    seconds = [flow["transfers"]["seconds"] for flow in answers(result)]
    each = np.full((len(seconds), QUERIES), DURATION_S)
    for its, ended in zip(each, seconds, strict=True):
        its[: len(ended)] = ended[:QUERIES]
    slowest: np.ndarray = each.max(axis=0)
    return 1000 * slowest


experiment = Experiment(
    name="dctcp-incast",
    summary="Queries that 32 to 256 servers answer at once beside greedy queues: limits of each queue and dynamic thresholds",
    duration_s=DURATION_S,
    seeds=3,
    settings={
        "points": "DCTCP senders that answer at once, all in one queue, and queues of two greedy Cubic senders without ECN",
        "columns": "what bounds a queue beside the buffer: nothing, a fixed part of it, or alpha times what is free of it",
        "network": f"{RATE_MBPS:,} Mbit/s, a round trip of {ROUND_TRIP_MS} ms, {PACKET_BYTES:,} bytes, buffer {BUFFER} packets",
        "queries": f"{QUERY_BYTES:,} bytes in all, every {1000 * EVERY_S:.0f} ms; 17 and 67 ms for one of 2 and 8 queues",
        "queues": f"deficit round robin; ECN-capable packets are marked from {STEP_PACKETS} packets of their queue on",
        "TCP": "of ns-3, least RTO 10 ms, acknowledgements delayed by 1 ms at most, a lost SYN again after 10 ms",
        "duration": f"{DURATION_S} s, {QUERIES} queries that may end",
    },
    cells=cells,
    metrics={
        "query_ms": lambda result: float(np.median(query_ms(result))),
        "slowest_ms": lambda result: float(np.max(query_ms(result))),
        "answers_lost_percent": lambda result: metrics.loss_percent(answers(result)),
        "utilisation_percent": lambda result: 100 * float(result["utilisation"]),
    },
    quick_points=("128 senders, 1 greedy", "128 senders, 7 greedy"),
    quick_part=1,
)
