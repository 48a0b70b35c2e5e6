# SPDX-License-Identifier: Apache-2.0
"""`sluice sensitivity`: how well must a scheme be tuned?"""

from __future__ import annotations

import importlib
from pathlib import Path

import rich_click as click
from rich.table import Table

from sluice.commands.study.atlas import listed
from sluice.experiments.atlas import knob_picture, knob_rows, knobs, picture
from sluice.experiments.atlas.knob_rows import Found
from sluice.experiments.atlas.knobs import Knob
from sluice.loop import runs, simulation
from sluice.support import paths, results_table
from sluice.support.output import console, json_option, provenance, write_json, write_text

SEEDS = 2


@click.command(name="sensitivity")
@click.option("--aqm", "scheme_names", metavar="A,B,C", callback=listed, help="Only these schemes.")
@click.option("--seeds", type=click.IntRange(min=1), default=SEEDS, show_default=True, help="Runs of each.")
@click.option("--scheduler", metavar="ADDRESS", help="Dask scheduler of a cluster, tcp://host:8786.")
@click.option(
    "--keep", is_flag=True, help="Put the rows into sim/results/knobs.csv, which docs/compare/tuning.md shows."
)
@click.option("--list", "is_list", is_flag=True, help="Say which parameters are moved, and run nothing.")
@click.option("--draw", "is_drawing", is_flag=True, help="Draw the kept rows into docs/figures/knobs.svg; run nothing.")
@json_option
def command(
    scheme_names: list[str] | None,
    seeds: int,
    scheduler: str | None,
    keep: bool,
    is_list: bool,
    is_drawing: bool,
    json_file: Path | None,
) -> None:
    """Move a scheme's two most important parameters by a decade either way, and see what it does to three cells of the atlas.

    Each parameter, or two that go together, stands at a tenth, 0.3, 1, 3 and ten times what the atlas' rule gives it, with all
    others as they are, in the cells `medium`, `udp-mix` and `web-burst` of `sluice atlas`, at the short lengths. What is not
    legal is left out. Finished runs are kept, so an interrupted command goes on where it stopped. All of it takes half an
    hour of two processors.

    \b
      sluice sensitivity --aqm red,codel,care
      sluice sensitivity --keep
    """
    chosen = knobs.find(scheme_names)
    if is_list:
        for knob in chosen:
            console.print(f"{knob.scheme}: {knob.name} ({', '.join(knob.parameters)})", soft_wrap=True)
        return
    if is_drawing:
        drawn = knob_picture.heat(results_table.read(knob_rows.kept()))
        file = paths.root() / "docs" / "figures" / "knobs.svg"
        write_text(file, drawn.replace("<svg ", '<svg style="background: white" ', 1))
        console.print(f"drawn: {file}", soft_wrap=True)
        return
    cluster = importlib.import_module("sluice.loop.cluster")  # it takes a second to load
    rows = []
    with cluster.connect(scheduler, None) as submit:
        for number, knob in enumerate(chosen, 1):
            title = f"{knob.scheme}, {knob.name}, {number} of {len(chosen)}"
            own = _run(title, knob, range(1, 1 + seeds), submit)
            for file in (knob_rows.working(), knob_rows.kept()) if keep else (knob_rows.working(),):
                knob_rows.put(file, own)
            rows += own
            console.print(_shown(knob, own))
    console.print(f"{len(rows)} runs in {knob_rows.working()}", soft_wrap=True)
    if json_file:
        write_json(json_file, provenance() | {"rows": rows})


def _run(title: str, knob: Knob, seeds: range, submit: runs.Submit) -> list[dict[str, str]]:
    legal = [
        (world, factor, cell)
        for world in knobs.WORLDS
        for factor in knobs.FACTORS
        if (cell := knobs.cell(knob, world, factor)) is not None
    ]
    jobs = [
        simulation.prepare(cell.scenario.lasting(world.quick_s), cell.config, {}, seed)
        for world, _, cell in legal
        for seed in seeds
    ]
    results = runs.run_all(jobs, f"{title}, {len(jobs)} runs", submit=submit)
    owners = [(world, factor) for world, factor, _ in legal for _ in seeds]
    return [
        {name: str(value) for name, value in knob_rows.row(knob, world, factor, result).items()}
        for (world, factor), result in zip(owners, results, strict=True)
    ]


def _shown(knob: Knob, rows: list[dict[str, str]]) -> Table:
    """A line for each cell, a column for each factor."""
    shown = Table("cell", "measure", title=f"{knob.scheme}: {knob.name}")
    for factor in knobs.FACTORS:
        shown.add_column(f"{factor:g}", justify="right")
    for world in knobs.WORLDS:
        found = Found(rows, knob, world)
        cells = []
        for factor in knobs.FACTORS:
            mean = found.answer(factor)
            cells.append("" if mean is None else f"{mean}{picture.IDLE if found.is_idle(factor) else ''}")
        shown.add_row(world.name, world.headline.replace("_", " "), *cells)
    return shown
