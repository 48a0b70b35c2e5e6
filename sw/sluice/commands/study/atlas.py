# SPDX-License-Identifier: Apache-2.0
"""`sluice atlas`: every scheme in the same situations."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import rich_click as click
from rich.table import Table

from sluice.experiments import Cell
from sluice.experiments.atlas import (
    agreement,
    cells,
    claims,
    explorer,
    measures,
    picture,
    ranking,
    rule,
    schemes,
    table,
)
from sluice.experiments.atlas.cells import World
from sluice.experiments.atlas.schemes import Scheme
from sluice.loop import runs, simulation
from sluice.loop.reports import report
from sluice.support import paths
from sluice.support.errors import UserError
from sluice.support.output import console, json_option, provenance, write_json, write_text

SEEDS, QUICK_SEEDS = 5, 2
ALL = "all"


def listed(_context: click.Context, parameter: click.Parameter, text: str | None) -> list[str] | None:
    """Names with commas between them, each once; a user error for an empty one."""
    if text is None:
        return None
    names = [name.strip() for name in text.split(",")]
    if not all(names):
        raise UserError(f"{parameter.opts[0]} takes names with commas between them, not '{text}'")
    return list(dict.fromkeys(names))


@click.command(name="atlas")
@click.option("--cells", "cell_names", metavar="A,B,C|all", callback=listed, help="Only these situations.")
@click.option("--aqm", "scheme_names", metavar="A,B,C|all", callback=listed, help="Only these schemes.")
@click.option(
    "--quick", is_flag=True, help="Six cells, twelve schemes, two seeds and shorter runs, where nothing else is said."
)
@click.option(
    "--seeds", type=click.IntRange(min=1), help=f"Runs of each; {SEEDS} otherwise, {QUICK_SEEDS} with --quick."
)
@click.option("--scheduler", metavar="ADDRESS", help="Dask scheduler of a cluster, tcp://host:8786.")
@click.option(
    "--workers", type=click.IntRange(min=1), help="Runs at one time on this machine; the number of its cores otherwise."
)
@click.option(
    "--keep", is_flag=True, help="Put the rows into sim/results/atlas.csv, which docs/compare/atlas.md shows."
)
@click.option("--list", "is_list", is_flag=True, help="Say what the cells, schemes and measures are, and run nothing.")
@click.option(
    "--draw",
    "is_drawing",
    is_flag=True,
    help="Draw the kept rows into docs/figures/atlas.svg, and into a page that sorts and filters; run nothing.",
)
@click.option(
    "--check",
    "is_checking",
    is_flag=True,
    help="Hold claims of the literature, ns-3's own schemes and short runs against the kept rows; run nothing.",
)
@json_option
def command(
    cell_names: list[str] | None,
    scheme_names: list[str] | None,
    quick: bool,
    seeds: int | None,
    scheduler: str | None,
    workers: int | None,
    keep: bool,
    is_list: bool,
    is_drawing: bool,
    is_checking: bool,
    json_file: Path | None,
) -> None:
    """Run every scheme in every situation, all set by one rule, and write one row per run.

    A *cell* is a situation: a scenario after RFC 7928 or one of its neighbours, with a question and the measure that answers it.
    A *scheme* is an AQM: each of the catalogue as RTL, some in their paper's form too, ns-3's own, and `fair-queue`, which gives
    each flow a queue. `--list` says what they are, what is measured, and how all are set. A cell is a scenario of the
    name `atlas/NAME`, so `sluice run atlas/mild --aqm red` is one of these runs, with its plots.

    Rows go to build/atlas/runs.csv, in place of those of the same runs. Finished runs are kept in build/cache: an interrupted
    atlas goes on where it stopped. The whole takes four to six hours of one processor, `--quick` four minutes of two; a cluster's
    workers need this project, built, under the same path. What came of it: docs/compare/atlas.md.

    \b
      sluice atlas --quick
      sluice atlas --cells udp-mix,mix --aqm care,red,fair-queue --seeds 3
      sluice atlas --quick --cells all --aqm all --seeds 1
      sluice atlas --keep --scheduler tcp://head:8786
    """
    if is_list:
        _explain()
        return
    if is_checking:
        _check()
        return
    if is_drawing:
        _draw()
        return
    if scheduler and workers:
        raise UserError("--workers is for this machine; a cluster has the workers that it has")
    worlds = _worlds(cell_names, quick)
    columns = _schemes(scheme_names, quick)
    numbers = range(1, 1 + (seeds or (QUICK_SEEDS if quick else SEEDS)))
    # Dask takes a second to load: only who runs waits for it.
    cluster = importlib.import_module("sluice.loop.cluster")
    rows: list[dict[str, Any]] = []
    with cluster.connect(scheduler, workers) as submit:
        for index, world in enumerate(worlds):
            duration_s = world.quick_s if quick else world.scenario.duration_s
            title = f"{world.name}, {index + 1} of {len(worlds)} cells"
            own = run_cells(title, [scheme.cell(world) for scheme in columns], duration_s, numbers, submit)
            for file in (table.working(), table.kept()) if keep else (table.working(),):
                table.put(file, own)
            rows += own
            console.print(_shown(world, own))
    console.print(f"{len(rows)} runs in {table.working()}", soft_wrap=True)
    if json_file:
        write_json(json_file, provenance() | {"rows": rows})


def run_cells(
    title: str, chosen: Sequence[Cell], duration_s: float, seeds: range, submit: runs.Submit
) -> list[dict[str, Any]]:
    """A row for each of these simulations and seeds, in that order."""
    jobs = [
        simulation.prepare(cell.scenario.lasting(duration_s), cell.config, {}, seed)
        for cell in chosen
        for seed in seeds
    ]
    results = runs.run_all(jobs, f"{title}, {len(jobs)} runs", submit=submit)
    owners = [cell for cell in chosen for _ in seeds]
    return [table.row(cell, duration_s, result) for cell, result in zip(owners, results, strict=True)]


def _worlds(names: list[str] | None, quick: bool) -> list[World]:
    if names is None:
        return [world for world in cells.WORLDS if world.is_quick or not quick]
    return [cells.find(name) for name in (cells.names() if names == [ALL] else names)]


def _schemes(names: list[str] | None, quick: bool) -> list[Scheme]:
    if names == [ALL] or (names is None and not quick):
        return schemes.all_schemes()
    return schemes.find(names or list(schemes.QUICK))


def _shown(world: World, rows: Sequence[table.Row]) -> Table:
    """A cell's schemes, the best first by the measure that answers its question."""
    beside = [
        name for name in ("link_percent", "delay_mean_ms", "delay_p99_ms", "tcp_loss_percent") if name != world.headline
    ]
    shown = Table("scheme", title=f"{world.name}: {world.question}")
    for name in (world.headline, *beside):
        shown.add_column(name.replace("_", " "), justify="right")
    runs_of = ranking.by_scheme(rows)
    for scheme, answer in ranking.ranked(world, rows):
        others = (ranking.mean_of(runs_of[scheme], name) for name in beside)
        shown.add_row(scheme, str(answer), *("" if other is None else str(other) for other in others))
    return shown


def _explain() -> None:
    places = Table("cell", "RFC 7928", "question", "measure", "what", title="Cells")
    for world in cells.WORLDS:
        places.add_row(world.name, world.after, world.question, world.headline, world.scenario.summary)
    columns = Table("scheme", "as `sluice run`", title="Schemes")
    for scheme in schemes.all_schemes():
        own = (f" --set {key}={value:g}" for key, value in scheme.own.items())
        columns.add_row(scheme.name, f"--aqm {scheme.config}{''.join(own)}")
    numbers = Table("measure", "meaning", title="Measures")
    for measure in measures.MEASURES:
        numbers.add_row(measure.name, measure.meaning)
    for shown in (places, columns, numbers):
        console.print(shown)
    console.print((rule.__doc__ or "").strip())


def _draw() -> None:
    shown = table.shown()
    for file, text in (
        (paths.root() / "docs" / "figures" / "atlas.svg", picture.heat(shown)),
        (report.folder() / "atlas.html", explorer.page(shown, provenance()["command"])),
    ):
        write_text(file, text)
        console.print(f"drawn: {file}", soft_wrap=True)


def _check() -> None:
    shown, of_all_lengths = table.shown(), table.by_cell()
    held = [(claim.says, claim.findings(shown)) for claim in claims.CLAIMS]
    held.append(("ns-3's own schemes beside ours: intervals touch", agreement.with_ns3(shown)))
    held.append(("short runs have the schemes in the order of the long ones", agreement.of_lengths(of_all_lengths)))
    for says, findings in held:
        found = Table("of", "numbers", "holds", title=says)
        for finding in findings:
            found.add_row(finding.of, finding.numbers, "yes" if finding.holds else "no")
        console.print(found)
