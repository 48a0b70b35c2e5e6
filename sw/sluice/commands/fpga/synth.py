# SPDX-License-Identifier: Apache-2.0
"""`sluice synth`: what a configuration costs on an FPGA family, and how fast it runs."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import rich_click as click
from rich.table import Column, Table

from sluice import synthesis
from sluice.hardware import designs
from sluice.support import results_table
from sluice.support.errors import UserError
from sluice.support.output import console, json_option, progress, provenance, write_json
from sluice.synthesis import measurement
from sluice.synthesis.timing import common_paths


@click.command(name="synth")
@click.argument("config", required=False)
@click.option("--all", "is_all", is_flag=True, help="Every row of the target that is missing or out of date.")
@click.option(
    "--target",
    type=click.Choice(list(synthesis.TARGETS)),
    default="ecp5",
    show_default=True,
    help="FPGA family: Lattice ECP5, Lattice Nexus, Xilinx 7 series, Xilinx UltraScale+.",
)
@click.option(
    "--seeds",
    type=click.IntRange(min=0),
    default=5,
    show_default=True,
    help="Place-and-route runs; the median counts. ECP5 and Nexus only.",
)
@click.option("--plain", is_flag=True, help="Stock Yosys and nextpnr, without the netlist passes of this project.")
@click.option(
    "--paths",
    type=click.IntRange(min=0),
    default=0,
    help="Show so many of the slowest paths, by signal and line of Scala; nothing is written to fpga/results.",
)
@click.option("--scheduler", metavar="ADDRESS", help="With --all: Dask scheduler of a cluster, tcp://host:8786.")
@click.option(
    "--workers", type=click.IntRange(min=1), help="With --all: designs at one time on this machine; one otherwise."
)
@json_option
def command(
    config: str | None,
    is_all: bool,
    target: str,
    seeds: int,
    plain: bool,
    paths: int,
    scheduler: str | None,
    workers: int | None,
    json_file: Path | None,
) -> None:
    """Synthesize the tile, datapath or counter CONFIG with Yosys; for ECP5 and Nexus also place and route it with nextpnr.

    Area is that of the bare design. The clock rate is for an ECP5-85F of speed 8 or a LIFCL-40 of speed 9, of the design in
    a wrapper that needs four pins, on ECP5 with registers moved into multipliers and block memories as vendors' tools do. The row
    of CONFIG in fpga/results/TARGET.csv is replaced. Without seeds nothing is placed. With --plain the registers
    stay where Yosys put them, and the result is printed only.

    With --paths each of the slowest paths is shown, with the seed of the median rate: its cells by the signal that they are
    called after, when that is there after the clock, how much of the time since the one before was logic and how much wire,
    and the line of Scala that declares it. Of other designs whose paths were looked at before, and whose RTL is still the same,
    it says which have the path among theirs, by the lines of its two ends.

    Xilinx' families are not placed. The clock rate of these is an estimate: of the longest path by levels of logic, with the time
    that AMD's report_failfast gives a level in parts of speed -2. --paths shows these paths cell by cell.

    Each row bears a digest of the RTL that it was measured on. --all measures what has no row, was measured on other
    RTL or with fewer seeds; each row is written when it is known, and an interrupted run goes on where it stopped.
    Each design is as many runs of nextpnr at one time as there are cores, here or on a worker of a Dask cluster that sees
    this project, built, under the same path. `make docs` then brings the tables of README and pages up to date.

    \b
      sluice synth red
      sluice synth red-64
      sluice synth red --target nexus --seeds 3
      sluice synth red --target xcup
      sluice synth red --plain --seeds 1
      sluice synth red --seeds 1 --json red.json
      sluice synth red --seeds 1 --paths 5
      sluice synth red --target xcup --paths 5
      sluice synth --all --seeds 3 --scheduler tcp://head:8786
    """
    if is_all == bool(config):
        raise UserError("name a configuration, or say --all")
    if is_all and (plain or json_file or paths):
        raise UserError("--all writes the tables of fpga/results: it goes with neither --plain nor --paths nor --json")
    if paths and not seeds and synthesis.TARGETS[target].placement:
        raise UserError("--paths shows what is placed: it goes with seeds")
    if scheduler and workers:
        raise UserError("--workers is for this machine; a cluster has the workers that it has")
    if config:
        _one(designs.find(config), target, seeds, plain, paths, json_file)
    else:
        _all(target, seeds, scheduler, workers or 1)


def _one(design: designs.Design, target: str, seeds: int, is_plain: bool, paths: int, json_file: Path | None) -> None:
    runs = seeds if synthesis.TARGETS[target].placement else 0
    with progress() as bar:
        task = bar.add_task(f"{design.name} on {target}", total=1 + runs)
        result = measurement.measure(design, target, seeds, is_plain, partial(bar.advance, task), paths)
    _print(result)
    if paths:
        _print_paths(design, target, result["paths"])
    if not (is_plain or paths):
        results_table.merge_row(synthesis.table(target), measurement.row(result))
    if json_file:
        write_json(json_file, {**provenance(), **result})


def _all(target: str, seeds: int, scheduler: str | None, workers: int) -> None:
    due = measurement.due(target, seeds)
    console.print(f"{target}: {len(due)} rows are missing or out of date")
    if not due:
        return
    cluster = importlib.import_module("sluice.loop.cluster")  # Dask takes a second to load
    with progress() as bar, cluster.executor(scheduler, workers) as pool:
        task = bar.add_task(f"{len(due)} designs on {target}", total=len(due))

        def measured(result: dict[str, Any]) -> None:
            bar.advance(task)
            _print(result)

        measurement.measure_all(due, target, seeds, pool, measured)


def _print(result: dict[str, Any]) -> None:
    table = Table("LUT", "carry", "FF", "BRAM", "DSP", "MHz, median", "MHz, each seed", "latency, cycles")
    table.title = f"{result['config']} on {result['target']}{', plain' if result['plain'] else ''}"
    rates, rule = result["fmax_mhz"], synthesis.TARGETS[result["target"]].levels
    if rule:
        estimate = result["estimate"]
        table.caption = (
            f"estimate, not placed: {estimate['mhz']:.0f} MHz of {rule.part}, by the {estimate['levels']} levels of the "
            "longest path"
        )
    table.add_row(
        *(f"{result[key]:g}" for key in ("lut", "carry", "ff", "bram", "dsp")),
        f"{rates['median']:.1f}" if rates["median"] else "not placed",
        " ".join(f"{rate:.1f}" for rate in rates["runs"]),
        str(result["latency_cycles"]),
    )
    console.print(table)


def _print_paths(design: designs.Design, target: str, paths: Sequence[dict[str, Any]]) -> None:
    others = {name: ends for name, ends in common_paths.looked_at(target).items() if name != design.name}
    for number, path in enumerate(paths, 1):
        table = _placed(path) if "ns" in path else _estimated(path)
        table.title = f"{number}: {table.title}"
        ends = common_paths.ends_of(path)
        having = [name for name, theirs in others.items() if ends in theirs]
        if having:
            table.caption = f"in {len(having)} of {len(others)} others that were looked at: {', '.join(having)}"
        console.print(table)


def _placed(path: dict[str, Any]) -> Table:
    table = Table("ns", "logic", "wire", Column("signal", overflow="fold"), "Scala")
    table.title = (
        f"{path['ns']:.2f} ns, {path['mhz']:.1f} MHz, {path['levels']} levels of logic, {path['wire_percent']} % wire"
    )
    for step in path["steps"]:
        times = (f"{step[key]:.2f}" for key in ("at_ns", "logic_ns", "wire_ns"))
        table.add_row(*times, step["signal"], step["scala"])
    return table


def _estimated(path: dict[str, Any]) -> Table:
    table = Table("cell", Column("signal", overflow="fold"), "Scala")
    table.title = (
        f"{path['levels']} levels, {path['luts']} LUTs and {path['carries']} blocks of carries, {path['mhz']:.0f} MHz "
        "as an estimate"
    )
    for step in path["steps"]:
        table.add_row(step["cell"], step["signal"], step["scala"])
    return table
