# SPDX-License-Identifier: Apache-2.0
"""`sluice upsets`: single bits of a design's state inverted while traffic runs, and what comes of each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import rich_click as click
from rich.table import Table

from sluice.faults.upsets import campaign
from sluice.faults.upsets.outcome import OUTCOMES
from sluice.support import paths, results_table
from sluice.support.output import console, json_option, provenance, write_json


@click.command(name="upsets")
@click.argument("config")
@click.option(
    "--design",
    type=click.Choice(list(campaign.SHARES)),
    default="tile",
    show_default=True,
    help="What is upset: the tile of CONFIG, or the datapath of that name.",
)
@click.option("--count", type=click.IntRange(20, 100000), default=1000, show_default=True, help="Number of upsets.")
@click.option("--seed", type=click.IntRange(min=1), default=1, show_default=True, help="Which upsets are drawn.")
@click.option("--all", "is_all", is_flag=True, help="List registers too of which no upset did lasting harm.")
@json_option
def command(config: str, design: str, count: int, seed: int, is_all: bool, json_file: Path | None) -> None:
    """Invert single bits of the registers and memories of the tile of CONFIG, or of a datapath of 64 bits, at random clocks of
    traffic, one at a time, and say what comes of each: what a particle does to a flip-flop or a block memory.

    A clean run is recorded; at each upset's clock a copy of the run goes on with one bit inverted, and is held against the
    clean one: traffic at 1.2 times the link in bursts, then the queue is filled and drained; the same again; all parameters
    are written anew with COMMIT, traffic; a reset, traffic. Half of the upsets are spread over the names of registers, half
    over their bits, in strata (datapath, tile, core, register block, memories, tables that nothing writes). Of a datapath each
    frame that leaves is held byte for byte against what came.

    \b
      masked        nothing was seen, and all state is as without it
      latent        nothing was seen, and some state differs in the end
      transient     seen, and over by itself
      course        random words or averages go on differently, all that is promised holds
      counters      counters for the host are off until reset, and nothing else is
      until COMMIT  wrong until the parameters are written anew
      lost order bus leak rate
                    until reset: packets lost, made up or refused with room for them; other packets leave than were accepted;
                    registers do not answer; an empty queue is not counted as empty; another rate of drops or marks
      beyond reset  a table has another content: no reset helps

    The row of CONFIG and the seed in cocotb-tests/results/upsets.csv is replaced; it bears the digest of the RTL. `make docs`
    then brings the table of docs/trust/upsets.md up to date. 1,000 upsets take about a minute.

    \b
      sluice upsets red
      sluice upsets codel --count 3000 --seed 2
      sluice upsets fred --all --json fred.json
      sluice upsets red-64 --design datapath
    """
    found = campaign.run(config, design, count, seed)
    row = found.row(seed)
    entries = list(found.lines())
    _print(row, entries, is_all)
    results_table.merge_row(
        paths.root() / "cocotb-tests" / "results" / "upsets.csv", row, key=("config", "design", "seed")
    )
    if json_file:
        write_json(json_file, {**provenance(), **row, "registers": entries})


def _print(row: dict[str, Any], entries: list[dict[str, Any]], is_all: bool) -> None:
    table = Table(title=f"upsets of {row['config']}'s {row['design']}")
    for name in ("register", "bits", "line", "source", "upsets", "outcomes"):
        table.add_column(name, overflow="fold")
    for entry in entries:
        if is_all or campaign.lasts(entry):
            size = str(entry["bits"]) if entry["words"] == 1 else f"{entry['bits']} x {entry['words']}"
            outcomes = ", ".join(f"{number} {outcome}" for outcome, number in entry["outcomes"].items())
            cells = (entry["register"], size, entry["line"], entry["source"], entry["upsets"], outcomes)
            table.add_row(*map(str, cells))
    console.print(table)
    counts = ", ".join(f"{row[name.replace(' ', '_')]} {name}" for name in OUTCOMES)
    console.print(
        f"{row['config']}, {row['design']}, seed {row['seed']}: {row['count']} upsets: {counts};"
        f" harm until reset or longer outside of tables: {row['harmful_percent']} %",
        soft_wrap=True,
    )
