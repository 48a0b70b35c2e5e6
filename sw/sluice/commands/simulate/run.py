# SPDX-License-Identifier: Apache-2.0
"""`sluice run`: one scenario with one AQM at the bottleneck."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import rich_click as click
from rich.table import Table

from sluice.loop import aqm, runs, scenario, simulation
from sluice.loop.reports import report
from sluice.support.output import console, json_option, provenance, write_json
from sluice.support.units import SimulatedSeconds


@click.command(name="run")
@click.argument("scenario_name", metavar="SCENARIO")
@click.option(
    "--aqm",
    "aqm_name",
    required=True,
    help="A configuration of `sluice list`, or one of ns-3's own (see above).",
)
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="KEY=VALUE",
    help="Set a parameter of the AQM; may be repeated.",
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
    scenario_name: str,
    aqm_name: str,
    settings: tuple[str, ...],
    seed: int,
    duration: float | None,
    json_file: Path | None,
) -> None:
    """Simulate SCENARIO, a name of `sluice list` or a YAML file, with one AQM at its bottleneck.

    What a scenario may say, and what those of `sluice list` are for: docs/simulate/scenarios.md.
    The AQM is a configuration of `sluice list`, then the RTL judges the packets; or one of ns-3's own:
    `ns3-fifo`, `ns3-red`, `ns3-ared`, `ns3-codel`, `ns3-fq-codel`, `ns3-pie`. Both kinds take the parameters of the
    register map (docs/reference/registers) and `weight`, the weight of RED's average; ns-3's own also take ns-3's attribute
    names, and `ns3-fq-codel` takes `quantum`, the bytes that a flow may send on its turn, and `salted`, 1: the seed counts in
    its hash of flows. The result is a table here and a page with plots in build/report.
    What is not built yet is built first; after a change of the RTL, run
    `make build/model/red/libsluice_tile.so`, or whichever the AQM is.

    \b
      sluice run main --aqm red
      sluice run bufferbloat --aqm ns3-codel
      sluice run main --aqm red --set min=10 --set max=30 --duration 20
      sluice run main --aqm ns3-red --set QW=0.004 --seed 7 --json run.json
    """
    chosen = scenario.load(scenario_name).lasting(duration)
    job = simulation.prepare(chosen, aqm_name, aqm.parse_settings(settings), seed)
    [result] = runs.run_all([job], f"{chosen.name} with {aqm_name}", use_cache=False)
    report.show(chosen.summary, [[result]])
    console.print(_reasons(result))
    file = report.folder() / f"{chosen.name}-{aqm_name}-seed{seed}.html"
    console.print(f"plots: {report.write(file, chosen, [[result]])}", soft_wrap=True)
    if json_file:
        write_json(json_file, provenance() | result)


def _reasons(result: dict[str, Any]) -> Table:
    table = Table("verdict", "reason", "packets", title="Drops and marks")
    for verdict, counts in (("drop", result["drops"]), ("mark", result["marks"])):
        for reason, count in counts.items():
            table.add_row(verdict, reason, str(count))
    return table
