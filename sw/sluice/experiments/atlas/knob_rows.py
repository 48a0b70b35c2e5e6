# SPDX-License-Identifier: Apache-2.0
"""Rows of `sluice sensitivity`: one for each run, as the atlas' but with the knob and its factor, and what seeds come to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sluice.experiments.atlas import knobs, picture, ranking
from sluice.experiments.atlas.cells import World
from sluice.experiments.atlas.knobs import Knob
from sluice.experiments.atlas.ranking import Mean
from sluice.experiments.atlas.table import Row
from sluice.support import paths, results_table

KEY = ("scheme", "knob", "cell", "factor", "seed")


def working() -> Path:
    """Where all runs of this tree go."""
    return paths.build() / "atlas" / "knobs.csv"


def kept() -> Path:
    """Where those are that pages show."""
    return paths.root() / "sim" / "results" / "knobs.csv"


def put(file: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Put rows into a table, in place of those of the same runs."""
    results_table.merge_rows(file, rows, KEY)


class Found:
    """What rows say of a knob in a cell."""

    def __init__(self, rows: Sequence[Row], knob: Knob, world: World) -> None:
        self._world = world
        self._of = {
            factor: [
                row
                for row in rows
                if (row["scheme"], row["knob"], row["cell"]) == (knob.scheme, knob.name, world.name)
                and float(row["factor"]) == factor
            ]
            for factor in knobs.FACTORS
        }

    @property
    def rows(self) -> list[Row]:
        """All of them."""
        return [row for own in self._of.values() for row in own]

    def answer(self, factor: float) -> Mean | None:
        """The cell's headline measure at a factor; nothing where that is not legal, or was not run."""
        return ranking.mean_of(self._of[factor], self._world.headline)

    def is_idle(self, factor: float) -> bool:
        """Whether the link stood empty there, by the part that `picture` has."""
        own, plain = (ranking.mean_of(self._of[f], "goodput_mbps") for f in (factor, 1.0))
        return own is not None and plain is not None and own.value < picture.IDLE_PART * plain.value

    def spread(self) -> tuple[float, float] | None:
        """The least and the most of the answers."""
        values = [mean.value for factor in knobs.FACTORS if (mean := self.answer(factor)) is not None]
        return (min(values), max(values)) if values else None
