# SPDX-License-Identifier: Apache-2.0
"""What a reader sees of finished runs: one table on the terminal, one self-contained page with plots."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import mean
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table

from sluice import paths, plots, templates
from sluice.output import provenance, write_text
from sluice.scenario import Scenario

Result = dict[str, Any]

COLUMNS = {
    "AQM": "queue discipline; those of ns-3 itself begin with ns3-",
    "UDP Mbit/s": "throughput of the unresponsive flows together",
    "TCP Mbit/s": "mean throughput of a TCP flow",
    "Jain index": "fairness over all flows, 1 is equal shares",
    "norm kbit/s": "distance from equal shares, root of the summed squares",
    "link %": "departed bytes over link capacity",
    "queue packets": "mean length of the queue",
    "p99 ms": "99th percentile of the queueing delay",
    "drops %": "packets dropped, of arrivals",
    "marks %": "packets marked CE, of arrivals",
}
"""Columns of the comparison, name and unit, and what each means."""


def row(result: Result) -> list[str]:
    """One result as the comparison shows it."""
    loud = [flow["throughput_mbps"] for flow in result["flows"] if flow["kind"].startswith("udp")]
    tcp = [flow["throughput_mbps"] for flow in result["flows"] if not flow["kind"].startswith("udp")]
    arrivals = max(result["arrivals"], 1)
    return [
        result["aqm"],
        f"{sum(loud):.3f}" if loud else "-",
        f"{mean(tcp):.3f}" if tcp else "-",
        f"{result['jain']:.3f}",
        f"{result['norm_kbps']:.0f}",
        f"{100 * result['utilisation']:.1f}",
        f"{result['queue_packets']['mean']:.1f}",
        f"{result['queue_delay_ms']['p99']:.1f}",
        f"{100 * sum(result['drops'].values()) / arrivals:.2f}",
        f"{100 * sum(result['marks'].values()) / arrivals:.2f}",
    ]


def table(title: str, results: Sequence[Result]) -> Table:
    """The comparison for the terminal."""
    shown = Table(title=title, box=SIMPLE_HEAD, padding=(0, 0), collapse_padding=True)
    for index, name in enumerate(COLUMNS):
        heading = name.replace(" ", "\n")
        shown.add_column(heading, justify="right" if index else "left", no_wrap=True, min_width=6)
    for result in results:
        shown.add_row(*row(result))
    return shown


def write(file: Path, scenario: Scenario, results: Sequence[Result]) -> Path:
    """Write the page; its path."""
    page = templates.render(
        "report.html.j2",
        scenario=scenario,
        results=results,
        columns=COLUMNS,
        rows=[row(result) for result in results],
        fair_mbps=scenario.hops[0]["rate_mbps"] / scenario.flow_count,
        plots={
            "Queue": (plots.queue(results), "The shaded time is the warm-up; no number counts it."),
            "Throughput of each flow": (
                plots.throughput(results),
                "Responsive flows in order of their rate.",
            ),
            "Drop probability": (
                plots.drop_rate(results),
                "Dropped packets over arrivals, second by second.",
            ),
        },
        **provenance(),
    )
    write_text(file, page)
    return file


def folder() -> Path:
    """Where pages go."""
    return paths.build() / "report"
