# SPDX-License-Identifier: Apache-2.0
"""Published experiments: a package for each paper, in it a module for each table or figure that holds it as `experiment`.

What the experiments of a paper share is in its package itself, and in its modules whose names begin with an underscore.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from sluice.hardware.catalog import unknown
from sluice.loop.scenario import Scenario
from sluice.loop.series import Curve, Result, Steps
from sluice.support.errors import UserError


@dataclass(frozen=True)
class Cell:
    """One AQM at one point of an experiment: what to run, and what others have measured there."""

    aqm: str
    """Column, as the paper names it."""
    point: str
    """Row, with its unit."""
    config: str
    """What `--aqm` would be given; or a datapath, where the experiment sends frames through it."""
    scenario: Scenario
    published: Mapping[str, float | str] = field(default_factory=dict)
    """The paper's number by metric, or its words where it gives no number."""
    ns2: Mapping[str, list[float]] = field(default_factory=dict)
    """ns-2's numbers by metric, one per seed."""


@dataclass(frozen=True)
class TimePlot:
    """Something over time: a panel per point, in it a curve per AQM, the median over the seeds."""

    title: str
    axis: str
    """What the vertical axis shows, with its unit."""
    curve: Curve
    """Takes the samples from a run; `series.status(...)` for a status register."""
    truth: Callable[[Scenario, Result], Steps] | None = None
    """What the curves should follow in the first run of the scenario, as `active_flows` for an estimated number of flows."""
    band: tuple[float, float] | None = None
    """Where the curves should stay."""


@dataclass(frozen=True)
class Experiment:
    """A table or a figure of a paper, ready to be run again."""

    name: str
    summary: str
    duration_s: float
    """Simulated time of a run unless the user says otherwise."""
    seeds: int
    """Runs per cell unless the user says otherwise."""
    settings: dict[str, str]
    """What the paper left open, and what stands here instead."""
    cells: Callable[[], list[Cell]]
    metrics: dict[str, Callable[[Result], float]]
    """For each metric, how to take it from the result of a run."""
    measure: Callable[[Cell, int], Result] | None = None
    """What is done with a cell and a seed instead of a simulation with ns-3, one after the other; nothing of it is kept."""
    quick_points: tuple[str, ...] = ()
    """The points that `--quick` keeps."""
    quick_part: float = 0.25
    """Share of the usual simulated time that `--quick` takes."""
    medians: tuple[str, ...] = ()
    """Metrics that a run may miss (infinity): their median over the seeds is shown, not their mean."""
    compare_to: str | None = None
    """The column that all others are subtracted from, seed by seed."""
    time_plots: tuple[TimePlot, ...] = ()
    """What to draw over time."""


def registry() -> dict[str, Experiment]:
    """All experiments by name, in alphabetical order."""
    papers = importlib.import_module(f"{__name__}.papers")
    packages = [
        importlib.import_module(f"{papers.__name__}.{entry.name}") for entry in pkgutil.iter_modules(papers.__path__)
    ]
    modules = (f"{paper.__name__}.{entry.name}" for paper in packages for entry in pkgutil.iter_modules(paper.__path__))
    found: dict[str, Experiment] = {}
    for module in sorted(name for name in modules if not name.rpartition(".")[2].startswith("_")):
        experiment: Experiment = importlib.import_module(module).experiment
        if experiment.name in found:
            raise RuntimeError(f"two experiments are called {experiment.name}")
        found[experiment.name] = experiment
    return found


def load(name: str) -> Experiment:
    """The experiment of that name; a user error that names the nearest ones otherwise."""
    found = registry()
    if name not in found:
        raise UserError(unknown("experiment", name, list(found)))
    return found[name]
