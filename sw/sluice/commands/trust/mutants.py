# SPDX-License-Identifier: Apache-2.0
"""`sluice mutants`: small faults in a design, and whether its tests notice them."""

from __future__ import annotations

import importlib
from collections import Counter
from pathlib import Path
from typing import Any

import rich_click as click
from rich.table import Table

from sluice.faults.mutants import design as designs
from sluice.faults.mutants import survivors
from sluice.faults.mutants.campaign import Campaign
from sluice.faults.mutants.recording import Recording
from sluice.support import results_table
from sluice.support.errors import UserError
from sluice.support.output import console, json_option, progress, provenance, write_json


@click.command(name="mutants")
@click.argument("config")
@click.option(
    "--design",
    "kind",
    type=click.Choice(list(designs.TESTS)),
    default="core",
    show_default=True,
    help="What of CONFIG is mutated, and so which tests judge.",
)
@click.option("--count", type=click.IntRange(1, 65535), default=200, show_default=True, help="Number of mutants.")
@click.option("--seed", type=click.IntRange(min=1), default=1, show_default=True, help="Which mutants are drawn.")
@click.option("--scheduler", metavar="ADDRESS", help="Dask scheduler of a cluster, tcp://host:8786.")
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    help="Mutants at one time on this machine; the number of its cores otherwise.",
)
@click.option(
    "--recording",
    "given",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Show this recording (.npz) instead of that of the design's tests.",
)
@json_option
def command(
    config: str,
    kind: str,
    count: int,
    seed: int,
    scheduler: str | None,
    workers: int | None,
    given: Path | None,
    json_file: Path | None,
) -> None:
    """Put small faults into the core or tile of CONFIG, or into a part of the datapath CONFIG, one at a time, and list those that
    its tests do not see.

    Yosys draws the faults: a bit of a cell's port stands still or is inverted; bits of tables are inverted too. The
    design's own tests run once and are recorded; each mutant is shown the recording. Of those that give no wrong answer
    Yosys' SAT solver proves some to be no fault at all. Interrupted, the command goes on where it stopped. The row of
    CONFIG and SEED in cocotb-tests/results/mutants.csv is replaced, but for a recording from elsewhere, and so are its
    survivors in survivors.csv beside it, which keeps the reasons that were given for them; `make docs` shows both. The rate
    is that of the killed among those not proved equivalent.

    \b
      sluice mutants red
      sluice mutants droptail --design tile
      sluice mutants red-64 --design parser
      sluice mutants red --recording mine.npz
      sluice mutants red --count 1000 --seed 7 --scheduler tcp://head:8786
    """
    if scheduler and workers:
        raise UserError("--workers is for this machine; a cluster has the workers that it has")
    chosen = designs.find(config, kind)
    cluster = importlib.import_module("sluice.loop.cluster")  # Dask takes a second to load
    with progress() as bar:
        task = bar.add_task(f"{config}: building {count} mutants", total=None)
        campaign = Campaign.prepare(chosen, count, seed)
        bar.update(task, description=f"{config}: recording its tests")
        recording = campaign.rows_of(Recording.load(given)) if given else chosen.rows(campaign.shape)
        with cluster.executor(scheduler, workers) as pool:
            bar.update(task, description=f"{config}: {count} mutants", total=count)
            campaign.judge(recording, pool, lambda done: bar.advance(task, done))
            task = bar.add_task(f"{config}: are survivors equivalent?", total=len(campaign.survivors))
            campaign.prove(pool, lambda done: bar.advance(task, done))
    entries = list(campaign.lines())
    row = _row(chosen, seed, Counter(entry["outcome"] for entry in entries))
    _print(row, entries)
    if not given:
        results_table.merge_row(survivors.rates(), row, key=("config", "design", "seed"))
        survivors.merge(survivors.table(), row, [entry for entry in entries if entry["outcome"] == "survived"])
    if json_file:
        write_json(json_file, {**provenance(), **row, "mutants": entries})


def _row(design: designs.Design, seed: int, outcomes: Counter[str]) -> dict[str, Any]:
    count, killed, equivalent = outcomes.total(), outcomes["killed"], outcomes["equivalent"]
    return {
        "config": design.config,
        "design": design.kind,
        "count": count,
        "seed": seed,
        "killed": killed,
        "equivalent": equivalent,
        "survived": outcomes["survived"],
        "rate_percent": round(100 * killed / max(1, count - equivalent), 1),
    }


def _print(row: dict[str, Any], entries: list[dict[str, Any]]) -> None:
    table = Table(title=f"survivors of {row['config']}'s {row['design']}")
    for name in ("mutant", "fault", "place", "line", "source"):
        table.add_column(name, overflow="fold")
    for entry in entries:
        if entry["outcome"] == "survived":
            table.add_row(*(str(entry[key]) for key in ("mutant", "fault", "place", "line", "source")))
    console.print(table)
    console.print(
        f"{row['config']}, {row['design']}: {row['killed']} of {row['count']} killed, {row['equivalent']} proved equivalent,"
        f" {row['survived']} survived: {row['rate_percent']} %",
        soft_wrap=True,
    )
