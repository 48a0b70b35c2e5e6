# SPDX-License-Identifier: Apache-2.0
"""What became of single-bit upsets, of each tile or datapath and seed."""

from __future__ import annotations

from collections.abc import Sequence

from sluice.faults.upsets.outcome import OUTCOMES
from sluice.hardware import datapaths, rtl_digest
from sluice.pages.tables.markdown import DAGGER, Lines, head, line
from sluice.support import paths, results_table


def upsets(_arguments: Sequence[str]) -> Lines:
    """A row for each run of `sluice upsets`."""
    lines = head("tile or datapath", "seed", "upsets", *OUTCOMES, "harm until reset, %")
    is_any_old = False
    for row in results_table.read(paths.root() / "cocotb-tests" / "results" / "upsets.csv"):
        is_datapath = row["design"] == "datapath"
        source = datapaths.find(row["config"]).verilog if is_datapath else paths.tile_verilog(row["config"])
        is_old = row["rtl"] != rtl_digest.digest(paths.made(source).read_text())
        is_any_old |= is_old
        names = ("seed", "count", *(outcome.replace(" ", "_") for outcome in OUTCOMES), "harmful_percent")
        lines.append(line(f"`{row['config']}`{DAGGER if is_old else ''}", *(row[name] for name in names)))
    return [*lines, *(["", "† of earlier RTL; `sluice upsets` measures anew."] if is_any_old else [])]
