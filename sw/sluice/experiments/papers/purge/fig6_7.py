# SPDX-License-Identifier: Apache-2.0
"""Purge, figures 6 and 7: what a UDP flow of nine tenths of the link leaves to ten TCP flows."""

from __future__ import annotations

from dataclasses import replace

from sluice.experiments import Cell, Experiment, udp
from sluice.experiments.papers import purge

AQMS = ("purge", "purge-literal", "black", "rem", "red")
WORDS = {"black": "between", "rem": "starves TCP"}
"""The paper's. RED, which it does not have, knows no flows either."""


def cells() -> list[Cell]:
    """One cell for each AQM, where TCP heeds drops only and where it heeds marks, which UDP never does."""
    return [
        Cell(
            aqm=aqm,
            point=f"UDP 9 Mbit/s{', ECN' if ecn else ''}",
            config=aqm.removesuffix("-literal"),
            scenario=replace(purge.LITERAL if aqm == "purge-literal" else purge.SCENARIO, ecn=ecn),
            published={"udp_mbps": WORDS[aqm]} if aqm in WORDS else {},
        )
        for ecn in (False, True)
        for aqm in AQMS
    ]


experiment = Experiment(
    name="purge-fig6-7",
    summary="Purge's figures 6 and 7: throughput of one UDP flow of 9 Mbit/s beside 10 TCP flows, 10 Mbit/s",
    duration_s=100,
    seeds=3,
    settings=purge.SETTINGS | {"duration": "100 s, the first 10 s discarded", "published": "curves only"},
    cells=cells,
    metrics={"udp_mbps": udp.throughput_mbps, "utilisation": lambda result: float(result["utilisation"])},
    quick_points=("UDP 9 Mbit/s, ECN",),
)
