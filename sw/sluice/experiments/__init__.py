# SPDX-License-Identifier: Apache-2.0
"""Published experiments: each module of this package holds one as `experiment`."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sluice.catalog import unknown
from sluice.errors import UserError
from sluice.scenario import Scenario


@dataclass(frozen=True)
class Cell:
    """One AQM at one point of an experiment: what to run, and what others have measured there."""

    aqm: str
    """Column, as the paper names it."""
    point: str
    """Row, with its unit."""
    config: str
    """What `--aqm` would be given."""
    scenario: Scenario
    published: Mapping[str, float] = field(default_factory=dict)
    """The paper's number by metric."""
    ns2: Mapping[str, list[float]] = field(default_factory=dict)
    """ns-2's numbers by metric, one per seed."""


@dataclass(frozen=True)
class Experiment:
    """A table of a paper, ready to be run again."""

    name: str
    summary: str
    duration_s: float
    """Simulated time of a run unless the user says otherwise."""
    seeds: int
    """Runs per cell unless the user says otherwise."""
    settings: dict[str, str]
    """What the paper left open, and what stands here instead."""
    cells: Callable[[], list[Cell]]
    metrics: dict[str, Callable[[dict[str, Any]], float]]
    """For each metric, how to take it from the result of a run."""
    quick_points: tuple[str, ...] = ()
    """The points that `--quick` keeps."""


def registry() -> dict[str, Experiment]:
    """All experiments by name, in alphabetical order."""
    found: dict[str, Experiment] = {}
    for module in sorted(entry.name for entry in pkgutil.iter_modules(__path__)):
        experiment: Experiment = importlib.import_module(f"{__name__}.{module}").experiment
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
