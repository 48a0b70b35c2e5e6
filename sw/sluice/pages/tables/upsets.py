# SPDX-License-Identifier: Apache-2.0
"""What became of single-bit upsets, of each tile and seed."""

from __future__ import annotations

from collections.abc import Sequence

from sluice.faults.upsets.outcome import OUTCOMES
from sluice.hardware import rtl_digest
from sluice.pages.tables.markdown import DAGGER, Lines, head, line
from sluice.support import paths, results_table


def upsets(_arguments: Sequence[str]) -> Lines:
    """A row for each run of `sluice upsets`."""
    lines = head("tile", "seed", "upsets", *OUTCOMES, "harm until reset, %")
    is_any_old = False
    for row in results_table.read(paths.root() / "cocotb-tests" / "results" / "upsets.csv"):
        verilog = paths.made(paths.tile_verilog(row["config"])).read_text()
        is_old = row["rtl"] != rtl_digest.digest(verilog)
        is_any_old |= is_old
        names = ("seed", "count", *(outcome.replace(" ", "_") for outcome in OUTCOMES), "harmful_percent")
        lines.append(line(f"`{row['config']}`{DAGGER if is_old else ''}", *(row[name] for name in names)))
    return [*lines, *(["", "† of earlier RTL; `sluice upsets` measures anew."] if is_any_old else [])]
