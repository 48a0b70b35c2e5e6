# SPDX-License-Identifier: Apache-2.0
"""`sluice compare`: the same scenario with several AQMs side by side; the work of `make run`."""

from __future__ import annotations

from pathlib import Path

import rich_click as click

from sluice.loop import aqm, runs, scenario, simulation
from sluice.loop.reports import kept_rows, report
from sluice.support.errors import UserError
from sluice.support.output import console, json_option, provenance, write_json
from sluice.support.units import SimulatedSeconds

DEFAULT_AQMS = "droptail,red,care,ns3-fifo,ns3-red"


def _names(_context: click.Context, _parameter: click.Parameter, text: str) -> list[str]:
    """The names of a list, each once."""
    names = [name.strip() for name in text.split(",")]
    if not all(names):
        raise UserError(f"--aqm takes names with commas between them, not '{text}'")
    return list(dict.fromkeys(names))


@click.command(name="compare")
@click.argument("scenario_name", metavar="[SCENARIO]", default="main")
@click.option(
    "--aqm",
    "aqms",
    default=DEFAULT_AQMS,
    show_default=True,
    metavar="A,B,C",
    callback=_names,
    help="Configurations of `sluice list` and ns-3's own, with commas between them.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Seeds every random number; the first one if there are more.",
)
@click.option(
    "--seeds",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Runs of each AQM, each with the next seed; from two on with intervals.",
)
@click.option(
    "--duration",
    type=SimulatedSeconds(min=0.1),
    help="Simulated seconds, instead of the scenario's.",
)
@click.option("--keep", is_flag=True, help="Put each AQM's row into sim/results/compared.csv, which pages show.")
@json_option
def command(
    scenario_name: str,
    aqms: list[str],
    seed: int,
    seeds: int,
    duration: float | None,
    keep: bool,
    json_file: Path | None,
) -> None:
    """Simulate SCENARIO, a name of `sluice list` or a YAML file, with several AQMs and put them side by side.

    Without a scenario it is `main`; without AQMs these are DropTail, RED and CARE as RTL, and DropTail and RED
    as ns-3's own code: two independent implementations that should agree. With several seeds each number is a mean with its
    95 % interval. The report is build/report/index.html. Runs that nothing has changed are taken from build/cache.
    What a scenario may say: docs/simulate/scenarios.md.

    \b
      sluice compare
      sluice compare bufferbloat --aqm droptail,red,ns3-codel --seeds 5
      sluice compare --aqm droptail,blue --keep
      sluice compare my.yaml --aqm red,ns3-pie --duration 20 --json runs.json
    """
    if scenario_name in aqm.names():
        raise UserError(f"'{scenario_name}' is an AQM, not a scenario; name it by --aqm")
    chosen = scenario.load(scenario_name).lasting(duration)
    jobs = [simulation.prepare(chosen, name, {}, seed + index) for name in aqms for index in range(seeds)]
    results = runs.run_all(jobs, f"{chosen.name}, {len(aqms)} AQMs")
    groups = [results[first : first + seeds] for first in range(0, len(results), seeds)]
    report.show(chosen.summary, groups)
    if seeds > 1:
        console.print(f"mean ± 95 % interval over {seeds} seeds")
    file = report.write(report.folder() / "index.html", chosen, groups)
    console.print(f"report: {file}", soft_wrap=True)
    if keep:
        kept_rows.keep(chosen, groups)
    if json_file:
        write_json(json_file, [provenance() | result for result in results])
