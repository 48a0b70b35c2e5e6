# SPDX-License-Identifier: Apache-2.0
"""`sluice compare`: the same scenario with several AQMs side by side; the work of `make run`."""

from __future__ import annotations

from pathlib import Path

import rich_click as click

from sluice import report, runs, scenario, simulation
from sluice.output import console, json_option, provenance, write_json
from sluice.units import SimulatedSeconds

DEFAULT_AQMS = ("droptail", "red", "care", "ns3-fifo", "ns3-red")


@click.command(name="compare")
@click.argument("aqms", nargs=-1, metavar="[AQM]...")
@click.option(
    "--scenario",
    "scenario_name",
    default="main",
    show_default=True,
    help="A name of `sluice list` or a YAML file.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Seeds every random number.",
)
@click.option(
    "--duration",
    type=SimulatedSeconds(min=0.1),
    help="Simulated seconds, instead of the scenario's.",
)
@json_option
def command(
    aqms: tuple[str, ...],
    scenario_name: str,
    seed: int,
    duration: float | None,
    json_file: Path | None,
) -> None:
    """Simulate one scenario with several AQMs and put them side by side.

    Without AQMs these are DropTail and RED, each as RTL and as ns-3's own code: two independent
    implementations that should agree. The report is build/report/index.html. Runs that nothing has changed
    are taken from build/cache.

    \b
      sluice compare
      sluice compare red ns3-codel ns3-pie --seed 3
    """
    chosen = scenario.load(scenario_name).lasting(duration)
    jobs = [simulation.prepare(chosen, name, {}, seed) for name in aqms or DEFAULT_AQMS]
    results = runs.run_all(jobs, f"{chosen.name}, {len(jobs)} AQMs")
    console.print(report.table(chosen.summary, results))
    file = report.write(report.folder() / "index.html", chosen, results)
    console.print(f"report: {file}", soft_wrap=True)
    if json_file:
        write_json(json_file, [provenance() | result for result in results])
