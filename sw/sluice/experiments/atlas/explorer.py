# SPDX-License-Identifier: Apache-2.0
"""The atlas as one HTML page that sorts, filters and plots without a server: every measure of every cell, with its interval.

What is chosen stands behind the page's `#`, so a view can be sent to somebody: `atlas.html#cell=udp-mix&sort=deaf_shares`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import stdev
from typing import Any

from sluice import __version__, synthesis
from sluice.experiments import kept_results
from sluice.experiments.atlas import cells, measures, picture, ranking, schemes, table
from sluice.experiments.atlas.schemes import Scheme
from sluice.experiments.atlas.table import Row
from sluice.loop.ns3_disciplines import NS3
from sluice.support import results_table, templates

GATES, PAPER, NS3_OWN = "in gates", "paper's form", "ns-3's own"
"""What a scheme is; the page filters by it."""


def page(shown: Mapping[str, Sequence[Row]], command: str) -> str:
    """The page, of these rows by cell, as made by that command."""
    worlds = [world for world in cells.WORLDS if shown.get(world.name)]
    cost = {row["config"]: row for row in results_table.read(synthesis.table("ecp5"))}
    data = {
        "schemes": {scheme.name: _described(scheme, cost.get(scheme.config)) for scheme in schemes.all_schemes()},
        "cells": {
            world.name: {
                "question": world.question,
                "traffic": world.scenario.summary,
                "headline": world.headline,
                "more": world.is_more_better,
                "seconds": shown[world.name][0]["duration_s"],
                "idle": sorted(picture.idle_schemes(shown[world.name])),
                "rows": _rows(shown[world.name]),
                "old": _old(world, shown[world.name]),
            }
            for world in worlds
        },
        "measures": {measure.name: measure.meaning for measure in measures.MEASURES},
    }
    return templates.render("atlas.html.j2", data=data, version=__version__, command=command)


def _described(scheme: Scheme, cost: Mapping[str, str] | None) -> dict[str, Any]:
    """What it is, and what its tile costs on ECP5."""
    kind = NS3_OWN if scheme.config in NS3 else PAPER if scheme.name.endswith("-paper") else GATES
    if cost is None:
        return {"kind": kind}
    return {"kind": kind, "lut": round(float(cost["lut"])), "mhz": round(float(cost["fmax_mhz_median"]))}


def _rows(rows: Sequence[Row]) -> dict[str, dict[str, list[float | str | None]]]:
    """By scheme and measure: the mean, half of its 95 % interval and the standard deviation; "never" for infinity."""
    return {
        scheme: {
            measure.name: _number(mean, own, measure.name)
            for measure in measures.MEASURES
            if (mean := ranking.mean_of(own, measure.name))
        }
        for scheme, own in ranking.by_scheme(rows).items()
    }


def _number(mean: ranking.Mean, rows: Sequence[Row], measure: str) -> list[float | str | None]:
    if math.isinf(mean.value):
        return ["never", None, None]
    values = [value for row in rows if (value := table.value(row, measure)) is not None]
    spread = stdev(values) if len(values) > 1 else None
    return [None if number is None else float(f"{number:.4g}") for number in (mean.value, mean.half, spread)]


def _old(world: cells.World, rows: Sequence[Row]) -> list[str]:
    """Schemes with a row of earlier RTL or of another simulation."""
    columns = {scheme.name: scheme.cell(world) for scheme in schemes.all_schemes()}
    return sorted({row["scheme"] for row in rows if kept_results.is_old(row, columns[row["scheme"]])})
