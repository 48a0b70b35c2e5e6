# SPDX-License-Identifier: Apache-2.0
"""`sluice sizes`: what a tile of lists takes with fewer queues, and with more."""

from __future__ import annotations

from pathlib import Path

import rich_click as click
from rich.table import Table

from sluice import synthesis
from sluice.support import results_table
from sluice.support.errors import UserError
from sluice.support.output import console, json_option, progress, provenance, write_json
from sluice.synthesis import sizes


def _read(_ctx: click.Context, _parameter: click.Parameter, words: tuple[str, ...]) -> list[sizes.Size]:
    found = set()
    for word in words:
        queues, _, entries = word.partition("x")
        if not (queues.isdigit() and entries.isdigit()):
            raise UserError(f"--size {word}: say it as 1024x4096, queues and packets")
        found.add(sizes.Size(int(queues), int(entries)))
    return sorted(found)


@click.command(name="sizes")
@click.argument("config")
@click.option(
    "--size",
    "chosen",
    metavar="QUEUESxPACKETS",
    multiple=True,
    default=("64x4096", "1024x4096", "2048x8192", "4096x8192"),
    show_default=True,
    callback=_read,
    help="So many queues, 9 to 4096, and so many packets in all, a power of two; may be given several times.",
)
@click.option(
    "--target", type=click.Choice(list(synthesis.TARGETS)), default="ecp5", show_default=True, help="FPGA family."
)
@json_option
def command(config: str, chosen: list[sizes.Size], target: str, json_file: Path | None) -> None:
    """Count what the tile of CONFIG, one whose queues are lists, takes with other numbers of queues and packets, by Yosys.

    Each size is generated for this and placed nowhere. Its row in fpga/results/sizes.csv is replaced; it bears the digest of
    CONFIG's own RTL, and `make docs` then brings the tables of pages up to date. A size takes some minutes, and one that Yosys
    has not the memory for keeps no other from its row: it is told of at the end.

    \b
      sluice sizes fq-1k
      sluice sizes wred-1k --size 256x4096 --size 1024x16384
      sluice sizes fq-codel-1k --target xcup
    """
    found, failed = [], None
    with progress() as bar:
        task = bar.add_task(f"{config} on {target}", total=1 + len(chosen))
        sizes.generate(config, chosen)
        bar.advance(task)
        for size in chosen:
            try:
                found.append(sizes.row(config, size, target))
                results_table.merge_row(sizes.table(), found[-1], sizes.KEY)
            except UserError as error:
                failed = failed or error
            bar.advance(task)
    area = list(synthesis.TARGETS[target].cells)
    table = Table("queues", "packets", *area, title=f"{config} on {target}")
    for row in found:
        table.add_row(*(str(row[key]) for key in ("queues", "entries", *area)))
    console.print(table)
    if json_file:
        write_json(json_file, {**provenance(), "sizes": found})
    if failed:
        raise failed
