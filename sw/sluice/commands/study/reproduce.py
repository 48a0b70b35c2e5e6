# SPDX-License-Identifier: Apache-2.0
"""`sluice reproduce`: a paper's table or figure beside ours."""

from __future__ import annotations

from pathlib import Path

import rich_click as click

from sluice import experiments
from sluice.experiments import conditions, experiment_page, kept_results, plan, reproduction
from sluice.support.output import console, json_option, provenance, write_json


@click.command(name="reproduce")
@click.argument("experiment_name", metavar="EXPERIMENT")
@plan.options
@click.option("--keep", is_flag=True, help="Put all rows into sim/results/reproduced.csv, which pages show.")
@json_option
def command(
    experiment_name: str,
    seeds: int | None,
    duration: float | None,
    quick: bool,
    points: tuple[str, ...],
    columns: tuple[str, ...],
    keep: bool,
    json_file: Path | None,
) -> None:
    """Run EXPERIMENT of `sluice list` again and print its table: published, ours, and ns-2's where we have it.

    Ours is the mean over the seeds with its 95 % confidence interval (Student t), or the median where a run
    may miss the value; *off %* is by how much ours is more than what was published, and - where one of them is
    not there. Where schemes are to be compared, a second table has their differences, taken seed by
    seed. What a paper does not say is listed with what stands here instead. Plots are in
    build/report/EXPERIMENT.html, and as SVG files beside it. Finished runs are kept in build/cache, so an
    interrupted experiment goes on where it stopped. A later run overwrites page and plots; --json keeps the numbers.

    \b
      sluice reproduce care-table6 --quick
      sluice reproduce green-fig2 --point "200 flows" --aqm "GREEN embedded" --duration 60
      sluice reproduce cared-table6-7 --seeds 20 --json table.json
      sluice reproduce hostile-ids --aqm care --keep
    """
    chosen = plan.plan(experiments.load(experiment_name), seeds, duration, quick, points, columns)
    results = chosen.results()
    rows = reproduction.rows(chosen, results)
    differences = reproduction.differences(chosen, results)
    settings = conditions.of(chosen)
    sheets = experiment_page.sheets(rows, differences)
    for sheet in sheets:
        console.print(sheet.for_terminal())
    for name, value in settings.items():
        console.print(f"[bold]{name}[/bold]: {value}", highlight=False)
    console.print(f"plots: {experiment_page.write(chosen, sheets, results, settings)}", soft_wrap=True)
    if keep:
        kept_results.keep(chosen, rows)
    if json_file:
        result = {
            "experiment": experiment_name,
            "settings": settings,
            "duration_s": chosen.duration_s,
            "rows": rows,
            "differences": differences,
        }
        write_json(json_file, provenance() | result)
