# SPDX-License-Identifier: Apache-2.0
"""CARE, Table X (and Figure 17): several congested links in a row.

Five routers in a chain, joined by four links of 10 Mbit/s. 50 TCP flows and a UDP flow of 10 Mbit/s go from
end to end; ten TCP flows more cross the second link, another ten the third.
"""

from __future__ import annotations

from typing import Any

from sluice.experiments import Cell, Experiment, data, udp
from sluice.experiments.papers import care
from sluice.loop import metrics

DURATION_S = 60


def cells() -> list[Cell]:
    """One cell for each AQM."""
    printed = data.published("care-table10")
    cross = [
        group | {"name": f"hop{hop + 1}-{group['name']}"}
        for hop in (1, 2)
        for group in care.tcp_mix(10, from_hop=hop, to_hop=hop)
    ]
    network = care.scenario("care-table10", [*care.tcp_mix(50), *cross, care.udp(100)], hops=care.BASE.hops * 4)
    return care.cells_of("50 + 10 + 10 TCP, 1 UDP", network, {"norm_kbps": printed["norm_kbps"]})


def norm_kbps(result: dict[str, Any]) -> float:
    """Distance of the flows that go from end to end from an equal share of a middle link, 10/61 Mbit/s."""
    rates = [flow["throughput_mbps"] for flow in result["flows"] if not flow["id"].startswith("hop")]
    return 1000 * metrics.norm(rates, care.LINK_MBPS / (len(rates) + 10))


experiment = Experiment(
    name="care-table10",
    summary="CARE, Table X: distance from equal shares over several congested links",
    duration_s=DURATION_S,
    seeds=3,
    settings=care.SETTINGS
    | {
        "links": "four bottlenecks in a row; the paper's figure has the same routers",
        "norm": "over the 50 TCP flows and the UDP flow from end to end, from 10/61 Mbit/s",
    }
    | care.DURATION,
    cells=cells,
    metrics={"norm_kbps": norm_kbps, "udp_mbps": udp.throughput_mbps},
    quick_points=("50 + 10 + 10 TCP, 1 UDP",),
)
