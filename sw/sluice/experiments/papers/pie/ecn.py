# SPDX-License-Identifier: Apache-2.0
"""PIE that spaces what it signals, with ECN: what becomes of the sum of probabilities where a mark does not clear it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sluice.experiments import Cell, Experiment, TimePlot, beside_ns3
from sluice.experiments.papers.pie import ns3
from sluice.loop import metrics

SPACED: dict[str, float] = {"derandomise": 1}

COLUMNS: dict[str, tuple[str, dict[str, float]]] = {
    "pie": ("pie", SPACED),
    "ns3-pie": ("ns3-pie", SPACED),
    "pie, not spaced": ("pie", {}),
    "ns3-pie, not spaced": ("ns3-pie", {}),
}
"""Ours clears the sum with whatever goes; ns-3's with a drop alone. Without spacing there is no sum."""

FLOWS = (5, 25)
RATE_MBPS = 10

_FEW_ARRIVALS = 10
_FLOOD = 0.9


def cells() -> list[Cell]:
    """One cell for each column, with ECN and without."""
    return [
        Cell(
            aqm=name,
            point=f"{count} flows, {'ECN' if ecn else 'no ECN'}",
            config=config,
            scenario=beside_ns3.scenario(
                "pie-ecn", count, RATE_MBPS, {"pie": (ns3.AS_NS3 if config == "pie" else {}) | spaced}, ecn
            ),
        )
        for ecn in (True, False)
        for count in FLOWS
        for name, (config, spaced) in COLUMNS.items()
    ]


def _marked_shares(result: dict[str, Any]) -> Iterator[float]:
    """The share of arrivals that was marked, for each tenth of a second after the warm-up that has some."""
    series = result["series"]
    for time, marks, arrivals in zip(series["time_s"], series["marks"], series["arrivals"], strict=True):
        if time > result["warmup_s"] and arrivals >= _FEW_ARRIVALS:
            yield marks / arrivals


def flooded_percent(result: dict[str, Any]) -> float:
    """The tenths of a second in which nine of ten arrivals or more were marked, in percent of all."""
    shares = list(_marked_shares(result))
    return 100 * sum(share >= _FLOOD for share in shares) / len(shares)


experiment = Experiment(
    name="pie-ecn",
    summary="PIE that spaces its signals, with ECN: a mark that does not clear the sum floods the flows with marks",
    duration_s=beside_ns3.DURATION_S,
    seeds=5,
    settings=beside_ns3.SETTINGS
    | {
        "link": f"{RATE_MBPS} Mbit/s",
        "PIE": "target 15 ms; ours set as ns-3's default: decay_empty, max_burst 15 ms, min_bytes 0; mark_most 0.1 of both",
        "spaced": "derandomise; UseDerandomization of ns-3 (RFC 8033, section 5.4)",
        "flooded_percent": "of the tenths of a second those in which nine of ten packets that came were marked",
    },
    cells=cells,
    metrics={
        "marks_percent": metrics.mark_percent,
        "flooded_percent": flooded_percent,
        "delay_ms": beside_ns3.delay_ms,
        "drop_percent": metrics.drop_percent,
        "goodput_mbps": beside_ns3.goodput_mbps,
    },
    quick_points=("25 flows, ECN",),
    compare_to="ns3-pie",
    time_plots=(
        TimePlot("Marked", "packets of 0.1 s", lambda result: result["series"]["marks"]),
        TimePlot("Delay", "ms", lambda result: result["series"]["delay_ms"]),
    ),
)
