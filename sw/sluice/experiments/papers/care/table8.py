# SPDX-License-Identifier: Apache-2.0
"""CARE, Table VIII (and Figure 15): 100 TCP flows and one UDP flow among 250 sources of short transfers.

The paper prints 10 Mbit/s for the UDP flow, but RED gives it only 0.9 there: it was 1 Mbit/s.
"""

from __future__ import annotations

from sluice.experiments import Cell, Experiment, data, udp
from sluice.experiments.papers import care

DURATION_S = 60

WEB = {"name": "web", "kind": "web", "count": 250, "start_spread_s": 5, "mean_bytes": 12000, "think_s": 20}


def cells() -> list[Cell]:
    """One cell for each AQM."""
    printed = data.published("care-table8")
    network = care.scenario(
        "care-table8",
        [*care.tcp_mix(100), care.udp(10), WEB],
        care={"list_length": 50, "window": 50},
    )
    aqms = {aqm: config for aqm, config in care.AQMS.items() if aqm != "care-800"}
    return care.cells_of("250 HTTP, 100 TCP, 1 UDP", network, {m: printed[m] for m in ("norm_kbps", "udp_mbps")}, aqms)


experiment = Experiment(
    name="care-table8",
    summary="CARE, Table VIII: distance from equal shares among 250 sources of short transfers",
    duration_s=DURATION_S,
    seeds=3,
    settings=care.SETTINGS
    | {
        "CARE": "t = t_n = 50, p_cap = 0.04",
        "short transfers": "12 kB in the mean (Pareto, shape 1.2), a pause of 20 s (exponential): 1.2 Mbit/s in all",
        "norm": "over the 100 TCP flows and the UDP flow, from 10/101 Mbit/s, as the paper's ideal column has it",
    }
    | care.DURATION,
    cells=cells,
    metrics={"norm_kbps": care.norm_kbps, "udp_mbps": udp.throughput_mbps},
    quick_points=("250 HTTP, 100 TCP, 1 UDP",),
)
