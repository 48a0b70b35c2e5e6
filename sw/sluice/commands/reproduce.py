# SPDX-License-Identifier: Apache-2.0
"""`sluice reproduce`: a paper's table beside ours."""

from __future__ import annotations

from pathlib import Path
from statistics import mean
from typing import Any

import rich_click as click
from rich.box import SIMPLE_HEAD
from rich.table import Table

from sluice import experiments, metrics, runs, simulation
from sluice.experiments import Cell, Experiment
from sluice.output import console, json_option, provenance, write_json

QUICK_SEEDS = 2
QUICK_PART = 0.25
"""Share of the usual simulated time that `--quick` takes."""


@click.command(name="reproduce")
@click.argument("experiment_name", metavar="EXPERIMENT")
@click.option(
    "--seeds",
    type=click.IntRange(min=1),
    help="Runs per cell; the experiment's own number otherwise.",
)
@click.option(
    "--duration",
    type=click.FloatRange(min=1),
    help="Simulated seconds of a run, instead of the experiment's.",
)
@click.option(
    "--quick",
    is_flag=True,
    help="A few points, two seeds, a quarter of the time: a first impression.",
)
@json_option
def command(
    experiment_name: str,
    seeds: int | None,
    duration: float | None,
    quick: bool,
    json_file: Path | None,
) -> None:
    """Run EXPERIMENT of `sluice list` again and print its table: published, ours, and ns-2's where we have it.

    Ours is the mean over the seeds with its 95 % confidence interval (Student t). What a paper does not say
    is listed with what stands here instead. Finished runs are kept in build/cache, so an interrupted
    experiment goes on where it stopped.

    \b
      sluice reproduce care-table6 --quick
      sluice reproduce cared-table6-7 --seeds 10 --json table.json
    """
    experiment = experiments.load(experiment_name)
    count = seeds or (QUICK_SEEDS if quick else experiment.seeds)
    duration_s = duration or experiment.duration_s * (QUICK_PART if quick else 1)
    cells = [cell for cell in experiment.cells() if not quick or cell.point in experiment.quick_points]
    jobs = [
        simulation.prepare(cell.scenario.lasting(duration_s), cell.config, {}, seed)
        for cell in cells
        for seed in range(1, count + 1)
    ]
    results = runs.run_all(jobs, f"{experiment.name}, {len(jobs)} runs")
    rows = [
        row
        for index, cell in enumerate(cells)
        for row in _rows(experiment, cell, results[index * count : (index + 1) * count])
    ]
    settings = experiment.settings | {"simulated time": f"{duration_s:g} s", "seeds": f"1..{count}"}
    for metric in experiment.metrics:
        console.print(_table(metric, [row for row in rows if row["metric"] == metric]))
    for name, value in settings.items():
        console.print(f"[bold]{name}[/bold]: {value}", highlight=False)
    if json_file:
        result = {
            "experiment": experiment.name,
            "settings": settings,
            "duration_s": duration_s,
            "rows": rows,
        }
        write_json(json_file, provenance() | result)


def _rows(experiment: Experiment, cell: Cell, results: list[dict[str, Any]]) -> list[dict[str, Any]]:
    rows = []
    for metric, measure in experiment.metrics.items():
        values = [measure(result) for result in results]
        ns2 = cell.ns2.get(metric)
        rows.append(
            {
                "aqm": cell.aqm,
                "point": cell.point,
                "metric": metric,
                "published": cell.published.get(metric),
                "mean": mean(values),
                "ci95": metrics.ci95(values),
                "seeds": len(values),
                "config": cell.config,
                "ns2_mean": mean(ns2) if ns2 else None,
                "ns2_ci95": metrics.ci95(ns2) if ns2 else None,
            }
        )
    return rows


def _table(metric: str, rows: list[dict[str, Any]]) -> Table:
    table = Table(title=metric, box=SIMPLE_HEAD)
    for name in ("AQM", "point", "published", "ours", "ns-2"):
        table.add_column(name, justify="left" if name in {"AQM", "point"} else "right", no_wrap=True)
    for row in rows:
        table.add_row(
            row["aqm"],
            row["point"],
            _number(row["published"]),
            _interval(row["mean"], row["ci95"]),
            _interval(row["ns2_mean"], row["ns2_ci95"]),
        )
    return table


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4g}"


def _interval(middle: float | None, half: float | None) -> str:
    return _number(middle) if half is None else f"{_number(middle)} ± {half:.2g}"
