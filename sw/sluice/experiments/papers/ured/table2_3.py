# SPDX-License-Identifier: Apache-2.0
"""URED, tables 2 and 3: what a user with five flows gets of what a regular one gets."""

from __future__ import annotations

from statistics import mean
from typing import Any

from sluice.experiments import Cell, Experiment
from sluice.experiments.papers import ured

AQMS = ("droptail", "red", "fred", "ured")

PUBLISHED = {20: (6.81, 4.51, 3.76, 1.46), 10: (7.81, 4.48, 4.56, 1.66)}
"""Throughput of that user over that of a regular one, by rate of the link."""

NS2 = {
    ("A", 20): (7.23, 5.30, 3.38, 2.19),
    ("A", 10): (6.97, 5.14, 3.46, 1.91),
    ("B", 20): (7.38, 5.38, 3.93, 1.74),
    ("B", 10): (7.58, 4.97, 3.21, 1.62),
}
"""The same of models in floating point in ns-2, with w_i of URED 2^-9: means of three seeds (A) and of four (B)."""


def cells() -> list[Cell]:
    """One cell for each AQM, setting and rate."""
    return [
        Cell(
            aqm=aqm,
            point=f"{setting}, {rate} Mbit/s",
            config=aqm,
            scenario=ured.scenario(setting, rate, by_user=aqm in ("fred", "ured")),
            published={"ratio": published},
            ns2={"ratio": [ns2]},
        )
        for setting, rate in NS2
        for aqm, published, ns2 in zip(AQMS, PUBLISHED[rate], NS2[setting, rate], strict=True)
    ]


def _throughputs(result: dict[str, Any], group: str) -> list[float]:
    return [flow["throughput_mbps"] for flow in result["flows"] if flow["id"].rpartition("-")[0] == group]


def ratio(result: dict[str, Any]) -> float:
    """Throughput of the user with five flows, over the mean of the users with one."""
    return float(sum(_throughputs(result, ured.P2P)) / mean(_throughputs(result, ured.REGULAR)))


def least_share(result: dict[str, Any]) -> float:
    """Throughput of the regular user that gets least, over the mean of them."""
    regular = _throughputs(result, ured.REGULAR)
    return float(min(regular) / mean(regular))


experiment = Experiment(
    name="ured-table2-3",
    summary="URED's tables 2 and 3: throughput of a user with five flows over that of a regular one, at 20 and 10 Mbit/s",
    duration_s=60,
    seeds=6,
    settings=ured.SETTINGS
    | {
        "ns-2": "models in floating point with the same settings, but for URED's max_p 0.1 and w_i 2^-9, and plain Reno",
        "duration": "60 s, the first 10 s discarded",
        "losses": "of table 3, whose unit the paper does not give, there is nothing here",
    },
    cells=cells,
    metrics={"ratio": ratio, "least_share": least_share, "utilisation": lambda result: float(result["utilisation"])},
    quick_points=("A, 20 Mbit/s", "B, 10 Mbit/s"),
)
