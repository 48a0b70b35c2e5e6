# SPDX-License-Identifier: Apache-2.0
"""The atlas as tables: what its cells are, and schemes by cells with what they cost in gates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sluice import synthesis
from sluice.experiments import kept_results
from sluice.experiments.atlas import cells, picture, ranking, schemes, table
from sluice.experiments.atlas.schemes import Scheme
from sluice.experiments.atlas.table import Row
from sluice.pages.tables.markdown import DAGGER, Lines, head, line
from sluice.support import results_table


def atlas(arguments: Sequence[str]) -> Lines:
    """Schemes by these cells, by the measure of each; in bold the best three of a cell. LUT4 and MHz are the tile's on ECP5."""
    worlds = [cells.find(name) for name in arguments]
    shown = table.shown()
    cost = {row["config"]: row for row in results_table.read(synthesis.table("ecp5"))}
    ranked = {world.name: ranking.ranked(world, shown.get(world.name, [])) for world in worlds}
    answers = {name: dict(found) for name, found in ranked.items()}
    places = {name: ranking.places(found) for name, found in ranked.items()}
    idle = {world.name: picture.idle_schemes(shown.get(world.name, [])) for world in worlds}
    lines = head("scheme", "LUT4", "MHz", *(f"`{world.name}`<br>{world.headline}" for world in worlds))
    is_any_old = False
    for scheme in schemes.all_schemes():
        if not any(scheme.name in found for found in answers.values()):
            continue
        written = []
        for world in worlds:
            mean = answers[world.name].get(scheme.name)
            text = "" if mean is None else picture.short(mean.value)
            text += picture.IDLE if scheme.name in idle[world.name] else ""
            own = [row for row in shown.get(world.name, []) if row["scheme"] == scheme.name]
            is_old = bool(own) and any(_is_old(row, scheme) for row in own)
            is_any_old |= is_old
            written.append(
                (f"**{text}**" if places[world.name].get(scheme.name, BEST) < BEST else text)
                + (DAGGER if is_old else "")
            )
        lines.append(line(f"`{scheme.name}`", *_cost(cost.get(scheme.config)), *written))
    legend = [f"{picture.IDLE} carries less than {100 * picture.IDLE_PART:.0f} % of what the best one does."]
    legend += ["† of earlier RTL or another simulation; `sluice atlas --keep` runs it anew."] if is_any_old else []
    return [*lines, "", "<br>".join(legend)]


BEST = 3
"""So many of a cell are in bold."""


def atlas_cells(_arguments: Sequence[str]) -> Lines:
    """The cells: what is asked, by which measure, and how much was run."""
    lines = head("cell", "RFC 7928", "traffic", "question", "answered by", "seconds", "schemes", "seeds")
    shown = table.shown()
    for world in cells.WORLDS:
        rows = shown.get(world.name, [])
        runs = [len(own) for own in ranking.by_scheme(rows).values()]
        seeds = f"{min(runs)} to {max(runs)}" if runs and min(runs) < max(runs) else str(max(runs, default=0))
        ran = rows[0]["duration_s"] if rows else "-"
        lines.append(
            line(
                f"`{world.name}`",
                world.after,
                world.scenario.summary,
                world.question,
                world.headline,
                ran,
                len(runs),
                seeds,
            )
        )
    return lines


def _is_old(row: Row, scheme: Scheme) -> bool:
    return kept_results.is_old(row, scheme.cell(cells.find(row["cell"])))


def _cost(row: Mapping[str, str] | None) -> tuple[str, str]:
    if row is None:
        return "", ""
    return f"{float(row['lut']):,.0f}", f"{float(row['fmax_mhz_median']):.0f}"
