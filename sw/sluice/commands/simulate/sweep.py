# SPDX-License-Identifier: Apache-2.0
"""`sluice sweep`: experiments with settings varied, on all cores or on a Dask cluster."""

from __future__ import annotations

import importlib
from collections.abc import Sequence

import rich_click as click

from sluice import experiments
from sluice.experiments import plan, sweep
from sluice.experiments.plan import Plan
from sluice.loop import runs
from sluice.loop.aqm import Settings
from sluice.support.errors import UserError
from sluice.support.output import console


@click.command(name="sweep")
@click.argument("experiment_names", metavar="EXPERIMENT...", nargs=-1, required=True)
@click.option(
    "--param",
    "parameters",
    multiple=True,
    metavar="KEY=A,B,...",
    help="Run with each value of a parameter of the AQM; several span a grid.",
)
@plan.options
@click.option("--scheduler", metavar="ADDRESS", help="Dask scheduler of a cluster, tcp://host:8786.")
@click.option(
    "--workers", type=click.IntRange(min=1), help="Runs at one time on this machine; the number of its cores otherwise."
)
def command(
    experiment_names: tuple[str, ...],
    parameters: tuple[str, ...],
    seeds: int | None,
    duration: float | None,
    quick: bool,
    points: tuple[str, ...],
    columns: tuple[str, ...],
    scheduler: str | None,
    workers: int | None,
) -> None:
    """Run every cell of EXPERIMENT with many seeds and settings, and write one row per run.

    The table is build/sweep/EXPERIMENT.csv. The runs go to all cores of this machine, or with --scheduler to a
    Dask cluster whose workers see this project, built, under the same path. Finished runs are kept in build/cache,
    the same that `sluice reproduce` uses: an interrupted sweep goes on where it stopped, and a table
    swept on a cluster is reproduced here in no time. `--param limit=...` varies the buffer of every AQM.

    \b
      sluice sweep cared-table6-7 --seeds 30
      sluice sweep care-table6 --aqm red --param limit=100,200,400 --param max=75,150 --quick
      sluice sweep cared-fig4 cared-fig5 --scheduler tcp://head:8786
    """
    if scheduler and workers:
        raise UserError("--workers is for this machine; a cluster has the workers that it has")
    grid = sweep.combinations(sweep.parse_values(parameters))
    chosen = [plan.plan(experiments.load(name), seeds, duration, quick, points, columns) for name in experiment_names]
    # Dask takes a second to load: only who sweeps waits for it.
    cluster = importlib.import_module("sluice.loop.cluster")
    with cluster.connect(scheduler, workers) as submit:
        for each in chosen:
            rows, new = _swept(each, grid, submit)
            file = sweep.write(each.experiment.name, rows)
            console.print(f"{each.experiment.name}: {len(rows)} runs, {new} of them new, in {file}", soft_wrap=True)


def _swept(each: Plan, grid: Sequence[Settings], submit: runs.Submit) -> tuple[list[dict[str, object]], int]:
    jobs = [job for settings in grid for job in each.jobs(settings)]
    new = len({file for job in jobs if not (file := runs.cache_file(job)).exists()})
    results = runs.run_all(jobs, f"{each.experiment.name}, {len(jobs)} runs", submit=submit)
    cells = [(settings, cell) for settings in grid for cell in each.cells for _ in each.seeds]
    rows = [sweep.row(each, cell, settings, result) for (settings, cell), result in zip(cells, results, strict=True)]
    return rows, new
