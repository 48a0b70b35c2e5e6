# SPDX-License-Identifier: Apache-2.0
"""Senders that say they heed marks and do not: one UDP flow whose packets are ECN-capable, beside TCP that heeds them."""

from __future__ import annotations

from sluice.experiments import Experiment
from sluice.experiments.papers import hostile
from sluice.experiments.papers.hostile import Column
from sluice.experiments.udp import throughput_mbps
from sluice.loop.scenario import Scenario

SCHEMES = ("care", "codel", "avq", "red", "ared", "pi", "rem", "blue", "sred")

ALWAYS = {"codel": 255.0}
"""What makes each mark always; of the others it is 1."""

COLUMNS = {scheme: Column(scheme) for scheme in SCHEMES} | {
    f"{scheme}, always marks": Column(scheme, {scheme: {"mark_most": ALWAYS.get(scheme, 1)}}) for scheme in SCHEMES
}


def scenario(load: float, is_ect: bool) -> Scenario:
    """20 TCP flows with ECN and a UDP flow of so many times the link."""
    summary = f"a UDP flow of {load:g} times the link that {'sets' if is_ect else 'does not set'} ECT; ECN"
    udp = {"rate_mbps": 10 * load} | ({"ect": 0} if is_ect else {})
    return hostile.network("hostile-ect", 20, summary, udp, ecn=True)


experiment = Experiment(
    name="hostile-ect",
    summary="a UDP flow that sets ECT and heeds no mark, beside one that does not set it",
    duration_s=hostile.DURATION_S,
    seeds=hostile.SEEDS,
    settings={
        "network": "that of the scenario main: 10 Mbit/s, 100 packets of 1,000 bytes; 20 TCP flows, all with ECN",
        "always marks": "mark_most at its most: ECN-capable packets are dropped by the buffer's limit alone",
        "duration": f"{hostile.DURATION_S} s, the first sixth discarded",
    },
    cells=lambda: hostile.cells(
        {
            f"{load:g} times the link, {'ECT' if is_ect else 'not ECT'}": scenario(load, is_ect)
            for load in (0.5, 2)
            for is_ect in (False, True)
        },
        COLUMNS,
    ),
    metrics={
        "udp_mbps": throughput_mbps,
        "tcp_mbps": hostile.tcp_mbps,
        "delay_ms": lambda result: float(result["queue_delay_ms"]["mean"]),
    },
    quick_points=("2 times the link, not ECT", "2 times the link, ECT"),
)
