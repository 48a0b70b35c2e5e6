# SPDX-License-Identifier: Apache-2.0
"""Whether rows that should say the same do: ours beside ns-3's own of the same scheme, short runs beside long ones.

Two means agree where their 95 % intervals touch, or where they are within `CLOSE` of each other.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import combinations

from sluice.experiments.atlas import cells, measures, ranking
from sluice.experiments.atlas.claims import Finding, Shown
from sluice.experiments.atlas.ranking import Mean

Means = Mapping[str, Mean]
"""Of one measure, by scheme."""

CLOSE = 0.01
"""Relative difference that is none."""

ENOUGH = 0.9
"""Part of a pair's cells and measures that has to agree."""

PAIRS = {
    "droptail": "ns3-fifo",
    "red": "ns3-red",
    "ared": "ns3-ared",
    "codel": "ns3-codel",
    "cobalt": "ns3-cobalt",
    "pie": "ns3-pie",
    "red-as-ns3": "ns3-red",
    "pie-as-ns3": "ns3-pie",
}
"""Ours and ns-3's own of the same name; and of ours that is not set as ns-3's is written, one that is."""


def agree(one: Mean, other: Mean) -> bool:
    """Whether two means may be the same; a mean of one run has no interval."""
    if math.isinf(one.value) or math.isinf(other.value):
        return one.value == other.value
    apart = abs(one.value - other.value)
    return apart <= max((one.half or 0) + (other.half or 0), CLOSE * max(abs(one.value), abs(other.value)))


def with_ns3(shown: Shown) -> Iterator[Finding]:
    """For each pair: in how many cells and measures they agree, and where they do not."""
    for ours, theirs in PAIRS.items():
        told, apart = 0, []
        for cell, rows in shown.items():
            by_scheme = ranking.by_scheme(rows)
            for measure in measures.MEASURES:
                one, other = (ranking.mean_of(by_scheme.get(scheme, []), measure.name) for scheme in (ours, theirs))
                if one and other:
                    told += 1
                    if not agree(one, other):
                        apart.append(f"{cell} {measure.name} {one} / {other}")
        if told:
            says = f"{told - len(apart)} of {told} agree"
            yield Finding(ours, "; ".join([says, *apart]), len(apart) <= (1 - ENOUGH) * told)


def of_lengths(rows: Shown) -> Iterator[Finding]:
    """For each cell that was run short and at full length: whether schemes come in the same order by its headline measure,
    where intervals tell them apart. `rows`: of all lengths.
    """
    for world in cells.WORLDS:
        short, full = (
            dict(ranking.ranked(world, [row for row in rows.get(world.name, []) if row["duration_s"] == f"{length:g}"]))
            for length in (world.quick_s, world.scenario.duration_s)
        )
        pairs = list(combinations([scheme for scheme in short if scheme in full], 2))
        turned = [f"{one}, {other}" for one, other in pairs if _is_turned(short, full, one, other)]
        if pairs:
            says = f"{len(turned)} of {len(pairs)} pairs in another order"
            yield Finding(world.name, "; ".join([says, *turned]), not turned)


def _is_turned(short: Means, full: Means, one: str, other: str) -> bool:
    if agree(short[one], short[other]) or agree(full[one], full[other]):
        return False
    return (short[one].value < short[other].value) != (full[one].value < full[other].value)
