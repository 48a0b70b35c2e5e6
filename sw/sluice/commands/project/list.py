# SPDX-License-Identifier: Apache-2.0
"""`sluice list`: what the generator makes, from algorithms to boards, and the scenarios and experiments."""

from __future__ import annotations

import json
from typing import Any

import rich_click as click
from rich.table import Table

from sluice import experiments
from sluice.hardware import boards, catalog, counters, datapaths, shells
from sluice.loop import scenario
from sluice.support.output import console


@click.command(name="list")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of tables.")
def command(as_json: bool) -> None:
    """List algorithms, configurations, datapaths, counters of flows, wrappers for shells, boards, scenarios and experiments.

    The names under *configurations* are what `--aqm` of `sluice run` and the argument of `sluice synth`
    take; besides them `--aqm` knows ns-3's own queue disciplines. *Datapaths* are for `sluice replay` and
    `sluice synth`, *counters* for `sluice synth`, *boards* for `sluice bitstream`, *scenarios* for
    `sluice run` and `sluice compare` (docs/simulate/scenarios.md), *experiments* for `sluice reproduce`.
    """
    found = catalog.load()
    if as_json:
        click.echo(json.dumps(_as_json(found), indent=2))
        return
    algorithms = Table("algorithm", "latency, cycles", "summary", title="Algorithms")
    for algorithm in found.algorithms:
        algorithms.add_row(algorithm.name, str(algorithm.latency_cycles), algorithm.summary)
    configs = Table("configuration", "algorithm", "grade", "latency, cycles", title="Configurations")
    for config in found.configs:
        configs.add_row(config.name, config.algorithm, config.grade, str(config.latency_cycles))
    wrapped = Table("datapath", "configuration", "bits", "bytes of buffer", "latency, cycles", title="Datapaths")
    for d in datapaths.load():
        wrapped.add_row(d.name, d.config, str(d.data_bits), str(d.buffer_bytes), str(d.latency_cycles))
    counted = Table("counter", "buckets", "values", "estimate", "latency, cycles", title="Counters of flows")
    for counter in counters.load():
        counted.add_row(
            counter.name, str(counter.buckets), str(counter.values), counter.estimate, str(counter.latency_cycles)
        )
    fitted = Table("wrapper", "shell", "datapath", title="Shells")
    for shell in shells.load():
        fitted.add_row(shell.name, shell.shell, shell.datapath)
    whole = Table("design", "board", "configuration", title="Boards")
    for board in boards.load():
        whole.add_row(board.name, board.board, board.config)
    scenarios = Table("scenario", "summary", title="Scenarios")
    for name in scenario.names():
        scenarios.add_row(name, scenario.load(name).summary)
    papers = Table("experiment", "summary", title="Experiments")
    for experiment in experiments.registry().values():
        papers.add_row(experiment.name, experiment.summary)
    for table in (algorithms, configs, wrapped, counted, fitted, whole, scenarios, papers):
        console.print(table)


def _as_json(found: catalog.Catalog) -> dict[str, Any]:
    return {
        "version": found.version,
        "cores": [{"name": entry.name, "latency_cycles": entry.latency_cycles} for entry in found.algorithms],
        "configs": found.config_names,
        "datapaths": [datapath.name for datapath in datapaths.load()],
        "counters": [counter.name for counter in counters.load()],
        "shells": [shell.name for shell in shells.load()],
        "boards": [board.name for board in boards.load()],
        "scenarios": scenario.names(),
        "experiments": list(experiments.registry()),
    }
