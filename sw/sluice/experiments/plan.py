# SPDX-License-Identifier: Apache-2.0
"""Which runs an experiment takes, and the options by which a user changes that."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import rich_click as click

from sluice.experiments import Cell, Experiment
from sluice.loop import runs, simulation
from sluice.loop.aqm import Settings
from sluice.loop.series import Result
from sluice.loop.simulation import Job
from sluice.support.errors import UserError
from sluice.support.units import SimulatedSeconds

QUICK_SEEDS = 2
"""Runs per cell with `--quick`."""


@dataclass(frozen=True)
class Plan:
    """Cells of an experiment, each run for the same time with the same seeds."""

    experiment: Experiment
    cells: list[Cell]
    duration_s: float
    seeds: range

    def jobs(self, overrides: Settings) -> list[Job]:
        """The runs, cell by cell and in each cell seed by seed, with settings on top of the cells' own."""
        if self.experiment.measure:
            raise UserError(f"{self.experiment.name} is not run with ns-3; `sluice reproduce` runs it")
        return [
            simulation.prepare(cell.scenario.lasting(self.duration_s), cell.config, overrides, seed)
            for cell in self.cells
            for seed in self.seeds
        ]

    def results(self) -> list[list[Result]]:
        """What comes of all cells as they are, a list with one result per seed for each."""
        measure = self.experiment.measure
        if measure:
            lasting = [replace(cell, scenario=cell.scenario.lasting(self.duration_s)) for cell in self.cells]
            return [[measure(cell, seed) for seed in self.seeds] for cell in lasting]
        jobs = self.jobs({})
        found = runs.run_all(jobs, f"{self.experiment.name}, {len(jobs)} runs")
        count = len(self.seeds)
        return [found[index * count : (index + 1) * count] for index in range(len(self.cells))]


def plan(
    experiment: Experiment,
    seeds: int | None,
    duration_s: float | None,
    quick: bool,
    points: Sequence[str] = (),
    columns: Sequence[str] = (),
) -> Plan:
    """The experiment as it is, but for what the options below say."""
    cells = experiment.cells()
    _refuse_strange(experiment, "point", points, [cell.point for cell in cells])
    _refuse_strange(experiment, "column", columns, [cell.aqm for cell in cells])
    wanted = points or (experiment.quick_points if quick else ())
    return Plan(
        experiment,
        [cell for cell in cells if (not wanted or cell.point in wanted) and (not columns or cell.aqm in columns)],
        duration_s or experiment.duration_s * (experiment.quick_part if quick else 1),
        range(1, 1 + (seeds or (QUICK_SEEDS if quick else experiment.seeds))),
    )


def _refuse_strange(experiment: Experiment, kind: str, wanted: Sequence[str], known: Sequence[str]) -> None:
    for name in wanted:
        if name not in known:
            separator = "; " if any("," in one for one in known) else ", "
            raise UserError(f"{experiment.name} has no {kind} '{name}'; it has: {separator.join(dict.fromkeys(known))}")


def options(command: Callable[..., None]) -> Callable[..., None]:
    """Add `--seeds`, `--duration`, `--quick`, `--point` and `--aqm` to a command."""
    for option in (
        click.option("--aqm", "columns", multiple=True, help="Only this column of the experiment; may be repeated."),
        click.option("--point", "points", multiple=True, help="Only this point of the experiment; may be repeated."),
        click.option(
            "--quick", is_flag=True, help="A few points, two seeds, less time (mostly a quarter): a first impression."
        ),
        click.option(
            "--duration", type=SimulatedSeconds(min=1), help="Simulated seconds of a run, instead of the experiment's."
        ),
        click.option(
            "--seeds", type=click.IntRange(min=1), help="Runs per cell; the experiment's own number otherwise."
        ),
    ):
        command = option(command)
    return command
