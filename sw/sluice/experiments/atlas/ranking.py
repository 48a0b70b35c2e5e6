# SPDX-License-Identifier: Apache-2.0
"""Rows of several seeds as one number with its interval, and schemes in the order of a cell's headline measure."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import mean

from sluice.experiments.atlas import table
from sluice.experiments.atlas.cells import World
from sluice.experiments.atlas.table import Row
from sluice.loop import metrics


@dataclass(frozen=True)
class Mean:
    """A measure over seeds."""

    value: float
    """Infinite if a run never came to it."""
    half: float | None
    """Half of its 95 % interval; nothing for one seed, nor where a run never came to it."""
    seeds: int

    def __str__(self) -> str:
        if math.isinf(self.value):
            return "never"
        return f"{self.value:.3g}" + ("" if self.half is None else f" ±{self.half:.2g}")


def mean_of(rows: Iterable[Row], measure: str) -> Mean | None:
    """A measure of the runs of one scheme in one cell; nothing where the cell has it not."""
    values = [value for row in rows if (value := table.value(row, measure)) is not None]
    if not values:
        return None
    half = metrics.ci95(values) if all(map(math.isfinite, values)) else None
    return Mean(mean(values), half, len(values))


def by_scheme(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """The rows of each scheme."""
    found = defaultdict(list)
    for row in rows:
        found[row["scheme"]].append(row)
    return dict(found)


def ranked(world: World, rows: Iterable[Row]) -> list[tuple[str, Mean]]:
    """The schemes of a cell with its headline measure, the best first."""
    found = [(scheme, mean_of(own, world.headline)) for scheme, own in by_scheme(rows).items()]
    known = [(scheme, value) for scheme, value in found if value is not None]
    return sorted(known, key=lambda pair: pair[1].value, reverse=world.is_more_better)


def places(found: Sequence[tuple[str, Mean]]) -> dict[str, int]:
    """How many of these schemes are better than each, from the ranked list; equals have one place."""
    values = [mean.value for _, mean in found]
    return {scheme: values.index(mean.value) for scheme, mean in found}
