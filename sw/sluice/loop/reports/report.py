# SPDX-License-Identifier: Apache-2.0
"""What a reader sees of finished runs: one table on the terminal, one self-contained page with plots.

Runs of several seeds are one row: the mean and its 95 % interval. The plots are those of the first seed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from sluice.loop import metrics
from sluice.loop.reports import plots
from sluice.loop.scenario import Scenario
from sluice.loop.simulation import COMES_AND_GOES
from sluice.support import paths, templates
from sluice.support.output import console, provenance, write_text

Result = dict[str, Any]
Seeds = Sequence[Result]
"""Results of one AQM, one for each seed."""


WIDEST_TABLE = 160
"""Characters that a table may take; it takes only what it needs."""


@dataclass(frozen=True)
class Column:
    """One number of the comparison."""

    name: str
    """What it is and its unit."""
    meaning: str
    value: Callable[[Result], float | None]
    """The number of one run; nothing if the scenario has no such flows."""
    digits: int


def _flows(result: Result, nature: str) -> list[dict[str, Any]]:
    return [flow for flow in result["flows"] if _nature(flow) == nature]


def _throughputs(result: Result, nature: str) -> list[float]:
    return [flow["throughput_mbps"] for flow in _flows(result, nature)]


def _nature(flow: dict[str, Any]) -> str:
    """What flows are compared with each other."""
    kind = str(flow["kind"])
    if flow["direction"] == "back":
        return "back"
    return "UDP" if kind.startswith("udp") else "transfers" if kind in COMES_AND_GOES else "TCP"


def _udp_mbps(result: Result) -> float | None:
    rates = _throughputs(result, "UDP")
    return sum(rates) if rates else None


def _tcp_mbps(result: Result) -> float | None:
    rates = _throughputs(result, "TCP")
    return mean(rates) if rates else None


def _tcp_loss_percent(result: Result) -> float | None:
    """Nothing without other flows either: the drops of all are those of TCP then."""
    flows = _flows(result, "TCP")
    return metrics.loss_percent(flows) if 0 < len(flows) < len(result["flows"]) else None


def _transfer_ms(measure: Callable[[np.ndarray], Any]) -> Callable[[Result], float | None]:
    def value(result: Result) -> float | None:
        lists = [flow["transfers"]["seconds"] for flow in result["flows"] if "transfers" in flow]
        seconds = np.concatenate(lists) if lists else np.array([])
        return 1000 * float(measure(seconds)) if len(seconds) else None

    return value


def _of_steady(key: str) -> Callable[[Result], float | None]:
    """A measure of the flows that always have data."""
    return lambda result: result[key] if any(_nature(flow) != "transfers" for flow in result["flows"]) else None


COLUMNS = (
    Column("UDP Mbit/s", "throughput of the unresponsive flows together", _udp_mbps, 3),
    Column("TCP Mbit/s", "mean throughput of a TCP flow that always has data", _tcp_mbps, 3),
    Column("Jain index", "fairness over the flows that always have data, 1 is equal shares", _of_steady("jain"), 3),
    Column("norm kbit/s", "distance from equal shares, root of the summed squares", _of_steady("norm_kbps"), 0),
    Column("link %", "departed bytes over link capacity", lambda r: 100 * r["utilisation"], 1),
    Column("queue packets", "mean length of the queue", lambda r: r["queue_packets"]["mean"], 1),
    Column("p99 ms", "99th percentile of the queueing delay", lambda r: r["queue_delay_ms"]["p99"], 1),
    Column("drops %", "packets dropped, of arrivals", metrics.drop_percent, 2),
    Column("TCP drops %", "the same, of the TCP flows that always have data", _tcp_loss_percent, 2),
    Column("marks %", "packets marked CE, of arrivals", metrics.mark_percent, 2),
    Column("transfer mean ms", "time from opening a transfer's connection to its close", _transfer_ms(np.mean), 0),
    Column("transfer p99 ms", "99th percentile of the same", _transfer_ms(lambda s: np.percentile(s, 99)), 0),
)
"""What the comparison shows, beside the name of the AQM."""


def columns(groups: Sequence[Seeds]) -> list[Column]:
    """The columns that have a number for one of these runs."""
    return [c for c in COLUMNS if any(c.value(result) is not None for seeds in groups for result in seeds)]


def row(seeds: Seeds, shown: Sequence[Column]) -> list[str]:
    """One AQM as the comparison shows it."""
    return [seeds[0]["aqm"], *(_cell([c.value(result) for result in seeds], c.digits) for c in shown)]


def _cell(values: Sequence[float | None], digits: int) -> str:
    """The mean of the runs that have a value, with its interval where there are several."""
    known = [value for value in values if value is not None]
    if not known:
        return "-"
    half = metrics.ci95(known)
    return f"{mean(known):.{digits}f}" + ("" if half is None else f" ±{half:.{digits}f}")


def table(title: str, groups: Sequence[Seeds]) -> Table:
    """The comparison for the terminal."""
    shown = columns(groups)
    return _table(title, ["AQM", *(c.name for c in shown)], [row(seeds, shown) for seeds in groups])


def shares(groups: Sequence[Seeds]) -> tuple[list[str], list[list[str]]] | None:
    """Heading and rows of each group of flows' mean throughput; nothing where the comparison tells it already."""
    flows = groups[0][0]["flows"]
    natures = {flow["id"].rpartition("-")[0]: _nature(flow) for flow in flows}
    if len(natures) == len(set(natures.values())):
        return None

    def mbps(result: Result, name: str) -> float:
        return mean(float(f["throughput_mbps"]) for f in result["flows"] if f["id"].rpartition("-")[0] == name)

    rows = [[seeds[0]["aqm"], *(_cell([mbps(r, name) for r in seeds], 3) for name in natures)] for seeds in groups]
    return ["AQM", *natures], rows


def shares_table(groups: Sequence[Seeds]) -> Table | None:
    """The shares of the groups for the terminal."""
    found = shares(groups)
    return _table("Mbit/s of a flow, by group", *found) if found else None


def _table(title: str, heading: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    shown = Table(title=title, box=SIMPLE_HEAD, padding=(0, 0), collapse_padding=True)
    for index, name in enumerate(heading):
        shown.add_column(name.replace(" ", "\n"), justify="right" if index else "left", no_wrap=True, min_width=6)
    for cells in rows:
        shown.add_row(*(cell.replace(" ±", "\n±") for cell in cells))
    return shown


def show(title: str, groups: Sequence[Seeds]) -> None:
    """Print the comparison, whole even where the screen is narrower."""
    for found in (table(title, groups), shares_table(groups)):
        if found:
            Console(width=max(console.width, WIDEST_TABLE)).print(found)


def write(file: Path, scenario: Scenario, groups: Sequence[Seeds]) -> Path:
    """Write the page; its path."""
    firsts = [seeds[0] for seeds in groups]
    shown = columns(groups)
    page = templates.render(
        "report.html.j2",
        scenario=scenario,
        results=firsts,
        seeds=[result["seed"] for result in groups[0]],
        columns={"AQM": "queue discipline; those of ns-3 itself begin with ns3-"} | {c.name: c.meaning for c in shown},
        rows=[row(seeds, shown) for seeds in groups],
        shares=shares(groups),
        plots={
            "Queue": (plots.queue(firsts), "The shaded time is the warm-up; no number counts it."),
            "Queueing delay": (plots.delay(firsts), "Mean of the packets that left between two points."),
            "Throughput of each flow": (
                plots.throughput(firsts),
                "Responsive flows in order of their rate.",
            ),
            "Drop probability": (
                plots.drop_rate(firsts),
                "Dropped packets over arrivals, a sixtieth of the run at a time; marked ones too, where there are any.",
            ),
        },
        **provenance(),
    )
    write_text(file, page)
    return file


def folder() -> Path:
    """Where pages go."""
    return paths.build() / "report"
