# SPDX-License-Identifier: Apache-2.0
"""`sluice bench`: what the RTL in the loop costs beside ns-3's own code, in wall time."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import rich_click as click
from rich.box import SIMPLE_HEAD
from rich.progress import track
from rich.table import Table

from sluice.loop import scenario, simulation
from sluice.support import paths
from sluice.support.output import console, json_option, provenance, write_json
from sluice.support.units import SimulatedSeconds

BUDGET = 1.3
"""The RTL may take this many times ns-3's own wall time."""

BARE_PACKETS = 500
"""Packets that the bare tile judges in each of its turns."""

COPIES = 8
"""Copies of the model that the bare tile is measured with, under longer and longer names: each looks for good pages of memory of
its own."""


@dataclass(frozen=True)
class BareTile:
    """What the bare tile does without ns-3 around it."""

    packets_per_s: list[float]
    """Of each copy of the model, at its fastest place in the heap."""
    heap_ratio: float
    """Time at the slowest place in the heap over that at the fastest, in the copy where that is most."""
    cycles: float
    """Clock cycles per packet."""


@click.command(name="bench")
@click.option(
    "--scenario", "scenario_name", default="main", show_default=True, help="A name of `sluice list` or a YAML file."
)
@click.option("--aqm", "tile", default="red", show_default=True, help="The RTL: a configuration of `sluice list`.")
@click.option("--against", default="ns3-red", show_default=True, help="What it is compared with.")
@click.option("--repeats", type=click.IntRange(min=1), default=5, show_default=True, help="Pairs of runs.")
@click.option("--duration", type=SimulatedSeconds(min=0.1), help="Simulated seconds, instead of the scenario's.")
@json_option
def command(
    scenario_name: str, tile: str, against: str, repeats: int, duration: float | None, json_file: Path | None
) -> None:
    """Measure the wall time of a scenario with the RTL and with ns-3's own queue discipline.

    The two run in turn, one at a time, each pair with a seed of its own; the figure is the median of the
    pairs' ratios, so that a slow moment of the machine hits both. Nothing else should run meanwhile. Then
    the bare tile judges packets without ns-3 around it, in processor time: in several copies of the model,
    and in each at every place in the heap.

    \b
      sluice bench
      sluice bench --aqm droptail --against ns3-fifo --repeats 9
    """
    chosen = scenario.load(scenario_name).lasting(duration)
    pairs: list[tuple[float, float]] = []
    for seed in track(range(1, repeats + 1), "pairs", console=console, transient=True, disable=not console.is_terminal):
        jobs = [simulation.prepare(chosen, name, {}, seed) for name in (tile, against)]
        ours, theirs = (simulation.simulate(job)["wall_s"] for job in jobs)
        pairs.append((ours, theirs))
    ratio = median(ours / theirs for ours, theirs in pairs)
    table = Table("seed", f"{tile}, s", f"{against}, s", "ratio", box=SIMPLE_HEAD, title=chosen.summary)
    for seed, (ours, theirs) in enumerate(pairs, start=1):
        table.add_row(str(seed), f"{ours:.2f}", f"{theirs:.2f}", f"{ours / theirs:.2f}")
    console.print(table)
    console.print(f"{tile} takes {ratio:.2f} times the wall time of {against} (median of {repeats}; budget {BUDGET})")
    bare = bare_tile(paths.made(paths.model(tile)))
    console.print(
        f"bare tile: {median(bare.packets_per_s):,.0f} packets/s, {bare.cycles:.1f} simulated clock cycles per packet; "
        f"{min(bare.packets_per_s):,.0f} to {max(bare.packets_per_s):,.0f} in {COPIES} copies of the model, "
        f"within {100 * (bare.heap_ratio - 1):.0f} % wherever the heap puts it"
    )
    if json_file:
        result = {
            "scenario": chosen.name,
            "duration_s": chosen.duration_s,
            "aqm": tile,
            "against": against,
            "wall_s": [{"aqm": ours, "against": theirs} for ours, theirs in pairs],
            "ratio": ratio,
            "bare_packets_per_s": median(bare.packets_per_s),
            "bare_packets_per_s_of_copies": bare.packets_per_s,
            "bare_heap_ratio": bare.heap_ratio,
            "bare_cycles_per_packet": bare.cycles,
        }
        write_json(json_file, provenance() | result)


def bare_tile(model: Path) -> BareTile:
    """Measures the tile alone in several copies of the model's library."""
    bench = str(paths.made(paths.tile_bench()))
    rates, heap_ratios, cycles = [], [], 0.0
    with TemporaryDirectory() as folder:
        for number in range(COPIES):
            copy = Path(folder) / f"{'x' * (1 + 16 * number)}.so"
            shutil.copyfile(model, copy)
            answer = subprocess.run([bench, str(copy), str(BARE_PACKETS)], capture_output=True, text=True, check=True)
            packets, fastest_s, slowest_s, clocks = (float(word) for word in answer.stdout.split())
            rates.append(packets / fastest_s)
            heap_ratios.append(slowest_s / fastest_s)
            cycles = clocks / packets
    return BareTile(rates, max(heap_ratios), cycles)
