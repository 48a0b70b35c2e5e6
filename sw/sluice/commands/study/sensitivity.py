# SPDX-License-Identifier: Apache-2.0
"""`sluice sensitivity`: how well must a scheme be tuned?"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import rich_click as click
from rich.table import Table

from sluice.commands.study.atlas import listed, run_cells
from sluice.experiments.atlas import knob_picture, knob_rows, knobs, picture
from sluice.experiments.atlas.knob_rows import Found
from sluice.experiments.atlas.knobs import Knob
from sluice.experiments.atlas.table import Row
from sluice.loop import runs
from sluice.support import paths, results_table
from sluice.support.output import console, json_option, provenance, write_json, write_text

SEEDS = 3


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
    legal is left out. Finished runs are kept, so an interrupted command goes on where it stopped. All of it takes three
    quarters of an hour of two processors.

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
        file = paths.root() / "docs" / "figures" / "knobs.svg"
        write_text(file, knob_picture.heat(results_table.read(knob_rows.kept())))
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


def _run(title: str, knob: Knob, seeds: range, submit: runs.Submit) -> list[dict[str, Any]]:
    rows = []
    for world in knobs.WORLDS:
        legal = {factor: cell for factor in knobs.FACTORS if (cell := knobs.cell(knob, world, factor)) is not None}
        own = run_cells(f"{title}, {world.name}", list(legal.values()), world.quick_s, seeds, submit)
        factors = [factor for factor in legal for _ in seeds]
        rows += [{"knob": knob.name, "factor": f"{factor:g}"} | row for factor, row in zip(factors, own, strict=True)]
    return rows


def _shown(knob: Knob, rows: Sequence[Row]) -> Table:
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
