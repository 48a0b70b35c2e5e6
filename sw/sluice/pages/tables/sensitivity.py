# SPDX-License-Identifier: Apache-2.0
"""How far each knob of `sluice sensitivity` moves the answers of its cells."""

from __future__ import annotations

from collections.abc import Sequence

from sluice.experiments import kept_results
from sluice.experiments.atlas import knob_rows, knobs, picture
from sluice.experiments.atlas.cells import World
from sluice.experiments.atlas.knob_rows import Found
from sluice.experiments.atlas.knobs import Knob
from sluice.experiments.atlas.table import Row
from sluice.pages.tables.markdown import DAGGER, Lines, head, line
from sluice.support import results_table


def sensitivity(_arguments: Sequence[str]) -> Lines:
    """The least and the most of each cell's measure over a knob's factors, and at which of them the link stands empty."""
    rows = results_table.read(knob_rows.kept())
    lines = head(
        "scheme", "moved", *(f"`{world.name}`<br>{world.headline}" for world in knobs.WORLDS), f"{picture.IDLE} at"
    )
    is_any_old = False
    for knob in knobs.KNOBS:
        found = {world: Found(rows, knob, world) for world in knobs.WORLDS}
        if not any(own.rows for own in found.values()):
            continue
        is_old = any(_is_old(row, knob, world) for world, own in found.items() for row in own.rows)
        is_any_old |= is_old
        idle = [factor for factor in knobs.FACTORS if any(own.is_idle(factor) for own in found.values())]
        lines.append(
            line(
                f"`{knob.scheme}`" + (DAGGER if is_old else ""),
                ", ".join(f"`{name}`" for name in knob.parameters),
                *(_span(own) for own in found.values()),
                ", ".join(f"{factor:g}" for factor in idle),
            )
        )
    legend = [f"{picture.IDLE} carries less than {100 * picture.IDLE_PART:.0f} % of what the scheme carries at 1."]
    legend += (
        ["† of earlier RTL or another simulation; `sluice sensitivity --keep` runs it anew."] if is_any_old else []
    )
    return [*lines, "", "<br>".join(legend)]


def _span(found: Found) -> str:
    spread = found.spread()
    return "" if spread is None else " to ".join(dict.fromkeys(map(picture.short, spread)))


def _is_old(row: Row, knob: Knob, world: World) -> bool:
    cell = knobs.cell(knob, world, float(row["factor"]))
    return cell is None or kept_results.is_old(row, cell)
