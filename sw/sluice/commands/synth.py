# SPDX-License-Identifier: Apache-2.0
"""`sluice synth`: what a configuration costs on an FPGA family, and how fast it runs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import rich_click as click
from rich.table import Table

from sluice import catalog, counters, paths, synthesis
from sluice.output import console, json_option, progress, provenance, write_json
from sluice.packets import datapaths
from sluice.synthesis import results_table


@click.command(name="synth")
@click.argument("config")
@click.option(
    "--target",
    type=click.Choice(list(synthesis.TARGETS)),
    default="ecp5",
    show_default=True,
    help="FPGA family: Lattice ECP5, Xilinx 7 series, Xilinx UltraScale+.",
)
@click.option(
    "--seeds",
    type=click.IntRange(min=0),
    default=5,
    show_default=True,
    help="Place-and-route runs; the median counts. ECP5 only.",
)
@click.option("--plain", is_flag=True, help="Stock Yosys and nextpnr, without the netlist passes of this project.")
@json_option
def command(config: str, target: str, seeds: int, plain: bool, json_file: Path | None) -> None:
    """Synthesize the tile, datapath or counter CONFIG with Yosys; for ECP5 also place and route it with nextpnr.

    Area is that of the bare design. The clock rate is for an ECP5-85F of speed 8, of the design in a wrapper
    that needs four pins, with registers moved into multipliers and block memories as vendors' tools do. The row
    of CONFIG in fpga/results/TARGET.csv is replaced. Without seeds nothing is placed. With --plain the registers
    stay where Yosys put them, and the result is printed only.

    \b
      sluice synth red
      sluice synth red-64
      sluice synth red --target xcup
      sluice synth red --plain --seeds 1
      sluice synth red --seeds 1 --json red.json
    """
    chosen = _design(config)
    family = synthesis.TARGETS[target]
    work = synthesis.work_folder(config, target)
    runs = seeds if family.has_place_and_route else 0
    with progress() as bar:
        task = bar.add_task(f"{config} on {target}", total=1 + runs)
        area = synthesis.area(family, paths.made(chosen.verilog), chosen.module, work)
        bar.advance(task)
        passes = () if plain else synthesis.PASSES
        advance = partial(bar.advance, task)
        rates = synthesis.clock_rates(chosen.module, work, chosen.placer, passes, runs, advance) if runs else []
    result = {
        **provenance(),
        "config": config,
        "parameters": chosen.settings,
        "target": target,
        "plain": plain,
        "placer": chosen.placer,
        **area,
        "fmax_mhz": {
            "median": synthesis.median_or_none(rates),
            "runs": [round(rate, 2) for rate in rates],
        },
        "latency_cycles": chosen.latency_cycles,
        "tool_versions": synthesis.tool_versions(),
    }
    _print(result)
    if not plain:
        results_table.merge_row(paths.root() / "fpga" / "results" / f"{target}.csv", _row(result))
    if json_file:
        write_json(json_file, result)


@dataclass(frozen=True)
class _Design:
    """What can be synthesized."""

    module: str
    verilog: Path
    settings: dict[str, Any]
    latency_cycles: int
    placer: str
    """nextpnr's: `heap`, its default, or `static`, the electrostatic one. With `heap` the 64-bit datapath takes a fifth
    more wire and twice the time; with `static` CARE's tile is no faster, with a counted list of 800 a tenth slower."""


def _design(name: str) -> _Design:
    """The datapath or counter of flows of that name, or the tile of that configuration."""
    for datapath in datapaths.load():
        if datapath.name == name:
            settings = {
                "config": datapath.config,
                "data_bits": datapath.data_bits,
                "buffer_bytes": datapath.buffer_bytes,
            }
            return _Design(datapath.module, datapath.verilog, settings, datapath.latency_cycles, "static")
    for counter in counters.load():
        if counter.name == name:
            settings = {"buckets": counter.buckets, "values": counter.values, "estimate": counter.estimate}
            return _Design(counter.module, counter.verilog, settings, counter.latency_cycles, "heap")
    config = catalog.load().config(name)
    return _Design(paths.tile_module(name), paths.tile_verilog(name), config.settings, config.latency_cycles, "heap")


def _row(result: dict[str, Any]) -> dict[str, Any]:
    return {
        **{key: result[key] for key in ("config", "lut", "carry", "ff", "bram", "dsp")},
        "fmax_mhz_median": result["fmax_mhz"]["median"] or "",
        "seeds": len(result["fmax_mhz"]["runs"]) or "",
        "latency_cycles": result["latency_cycles"],
        **result["tool_versions"],
    }


def _print(result: dict[str, Any]) -> None:
    table = Table("LUT", "carry", "FF", "BRAM", "DSP", "MHz, median", "MHz, each seed", "latency, cycles")
    table.title = f"{result['config']} on {result['target']}{', plain' if result['plain'] else ''}"
    rates = result["fmax_mhz"]
    table.add_row(
        *(f"{result[key]:g}" for key in ("lut", "carry", "ff", "bram", "dsp")),
        f"{rates['median']:.1f}" if rates["median"] else "not placed",
        " ".join(f"{rate:.1f}" for rate in rates["runs"]),
        str(result["latency_cycles"]),
    )
    console.print(table)
