# SPDX-License-Identifier: Apache-2.0
"""`sluice bitstream`: what a board is loaded with."""

from __future__ import annotations

import statistics

import rich_click as click
from rich.table import Table

from sluice import synthesis
from sluice.hardware import boards
from sluice.support import results_table
from sluice.support.output import console, progress
from sluice.synthesis import bitstream

KEPT_FROM = 3
"""Seeds from which on a result goes into the table: fewer make a bitstream, but no median."""


@click.command(name="bitstream")
@click.argument("board", metavar="BOARD")
@click.option(
    "--seeds", type=click.IntRange(min=1), default=1, show_default=True, help="Place-and-route runs; the best is taken."
)
def command(board: str, seeds: int) -> None:
    """Make the bitstream of BOARD with Yosys, nextpnr and ecppack, into build/boards.

    It ends in a mistake, without a bitstream, if no seed reaches what the constraints ask of every clock. With three seeds
    or more the row of BOARD in fpga/results/boards.csv is replaced; `make docs` then brings the board's page up to date.
    What the board then does, and how it is loaded, stands in docs/boards. Boards and their configurations are in
    rtl/configs.yaml.

    \b
      sluice bitstream lattice-versa-ecp5
      sluice bitstream lattice-versa-ecp5-care --seeds 3
    """
    chosen = boards.named(board)
    with progress() as bar:
        task = bar.add_task(board, total=1 + seeds)
        area, placed, files = bitstream.make(chosen, seeds, lambda: bar.advance(task))
    console.print(", ".join(f"{count:g} {resource}" for resource, count in area.items()))
    table = Table("clock", "asked, MHz", "median, MHz", "each seed")
    for clock, asked in placed[0].asked.items():
        rates = [run.reached[clock] for run in placed]
        table.add_row(clock, f"{asked:g}", f"{statistics.median(rates):.1f}", " ".join(f"{rate:.1f}" for rate in rates))
    console.print(table)
    if seeds >= KEPT_FROM:
        results_table.merge_row(synthesis.table("boards"), bitstream.row(chosen, area, placed))
    for file in files:
        console.print(str(file))
