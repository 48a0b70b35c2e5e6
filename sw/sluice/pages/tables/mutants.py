# SPDX-License-Identifier: Apache-2.0
"""Tables of the mutants: how many the tests find, and which live."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from sluice.faults.mutants import survivors
from sluice.pages.tables.markdown import Lines, head, line
from sluice.support import results_table


def rates(_arguments: Sequence[str]) -> Lines:
    """How many mutants the tests find, by design and seed."""
    names = ("config", "design", "seed", "count", "killed", "equivalent", "survived", "rate_percent")
    lines = head(
        "config", "design", "seed", "faults", "killed", "no fault, by proof", "survived", "killed of the others, %"
    )
    return lines + [line(*(row[name] for name in names)) for row in results_table.read(survivors.rates())]


def living(_arguments: Sequence[str]) -> Lines:
    """Each mutant that lived and of which it is known why, with the line of the Verilog; and how many others there are."""
    lines = head("config", "design", "seed", "mutant", "fault", "place", "line", "why it lives")
    unknown: Counter[str] = Counter()
    for row in results_table.read(survivors.table()):
        if row["why"] == survivors.UNKNOWN:
            unknown[row["config"]] += 1
            continue
        cells = (row[name] for name in ("config", "design", "seed", "mutant", "fault"))
        lines.append(line(*cells, f"`{row['place']}`", row["line"], row["why"]))
    others = ", ".join(f"{count} of {config}" for config, count in unknown.items())
    return [
        *lines,
        "",
        f"{unknown.total()} others stand in that file with their lines, and why is not known: {others}.",
    ]
