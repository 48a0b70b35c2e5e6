# SPDX-License-Identifier: Apache-2.0
"""`sluice netlist`: whether the netlist that is placed does what the RTL does."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import rich_click as click
from click.exceptions import Exit

from sluice import synthesis
from sluice.hardware import designs
from sluice.support import results_table
from sluice.support.errors import UserError
from sluice.support.output import console, json_option, progress, provenance, write_json
from sluice.synthesis import lockstep

COUNTED = ("arrivals", "departures", "clocks", "resets", "writes", "reads")


@click.command(name="netlist")
@click.argument("config", required=False)
@click.option("--all", "is_all", is_flag=True, help="Every design whose row is missing, of other RTL, or differs.")
@click.option(
    "--arrivals", type=click.IntRange(min=1), default=20000, show_default=True, help="Packets that each seed brings."
)
@click.option("--seeds", type=click.IntRange(min=1), default=2, show_default=True, help="Runs with other traffic.")
@json_option
def command(config: str | None, is_all: bool, arrivals: int, seeds: int, json_file: Path | None) -> None:
    """Run the ECP5 netlist of the tile, datapath or counter CONFIG, as Yosys maps it and the passes of this project change it,
    side by side with the RTL, and compare every output in every clock.

    Packets, departures, registers and resets are random; in half of the time the queue stands for many intervals of a
    control law. The row of CONFIG in fpga/results/netlists.csv is replaced. It bears the digest of the RTL and that of the
    netlist; mapping and building are kept, so that to run again costs seconds. Exit status 1 if anything differed.

    \b
      sluice netlist droptail
      sluice netlist care --seeds 4 --arrivals 100000
      sluice netlist --all
    """
    if is_all == bool(config):
        raise UserError("name a configuration, or say --all")
    if is_all and json_file:
        raise UserError("--all writes the table of fpga/results: it does not go with --json")
    if config:
        chosen = [designs.find(config)]
    else:
        chosen = [design for design in designs.load().values() if lockstep.is_due(design)]
        console.print(f"{len(chosen)} rows are missing or out of date")
    rows = []
    with progress() as bar:
        task = bar.add_task("netlists", total=len(chosen) * (2 + seeds))
        for design in chosen:
            bar.update(task, description=design.name)
            rows.append(_row(design, seeds, arrivals, partial(bar.advance, task)))
            results_table.merge_row(lockstep.table(), rows[-1])
    for row in rows:
        _print(row)
    if json_file:
        write_json(json_file, {**provenance(), **rows[0]})
    if any(row["differs"] != "no" for row in rows):
        raise Exit(1)


def _row(design: designs.Design, seeds: int, arrivals: int, done: Any) -> dict[str, Any]:
    prepared = lockstep.prepare(design, done)
    told = []
    for seed in range(1, seeds + 1):
        told.append(lockstep.run(prepared, seed, arrivals))
        done()
    reasons = [sum(run["reasons"][code] for run in told) for code in range(16)]
    wrong = [run["differs"] for run in told if run["differs"]]
    return {
        "config": design.name,
        "rtl": design.rtl,
        "netlist": prepared.digest,
        "moved": prepared.moved,
        "seeds": seeds,
        **{name: sum(run[name] for run in told) for name in COUNTED},
        "reasons": " ".join(f"{code}:{count}" for code, count in enumerate(reasons) if count and code),
        "longest_series": max(run["longest_series"] for run in told),
        "differs": wrong[0] if wrong else "no",
        "yosys": synthesis.tool_versions(synthesis.TARGETS[lockstep.FAMILY])["yosys"],
    }


def _print(row: dict[str, Any]) -> None:
    counted = ", ".join(f"{row[name]:,} {name}" for name in COUNTED)
    differs = "no difference" if row["differs"] == "no" else f"{row['differs']} differs"
    console.print(
        f"{row['config']}: netlist {row['netlist']} with {row['moved']:,} registers moved, beside RTL {row['rtl']}: {counted}; "
        f"drops and marks by reason {row['reasons'] or '-'}, longest series in the queue {row['longest_series']:,}: {differs}",
        soft_wrap=True,
    )
