# SPDX-License-Identifier: Apache-2.0
"""What long runs of bare tiles came to."""

from __future__ import annotations

from collections.abc import Sequence

from sluice.faults import soak
from sluice.hardware import rtl_digest
from sluice.pages.tables.markdown import DAGGER, Lines, head, line
from sluice.support import paths, results_table

_COUNTS = ("arrivals", "accepted", "resets", "quiet", "live", "wraps_32", "wraps_48", "rate")


def soaked(_arguments: Sequence[str]) -> Lines:
    """A row for each run of `sluice soak`, and how far all of them are."""
    lines = head(
        "tile",
        "seed",
        "arrivals",
        "accepted",
        "resets",
        "checks when quiet",
        "in traffic",
        "past 2^32",
        "past 2^48",
        "arrivals/s",
        "broken",
        "RTL",
        "run",
    )
    total, present, is_any_old = 0, 0, False
    for row in results_table.read(soak.table()):
        is_old = row["rtl"] != rtl_digest.digest(paths.made(paths.tile_verilog(row["config"])).read_text())
        is_any_old |= is_old
        total += int(row["arrivals"])
        present += 0 if is_old else int(row["arrivals"])
        counts = (f"{int(row[name]):,}" for name in _COUNTS)
        name = f"`{row['config']}`{DAGGER if is_old else ''}"
        lines.append(line(name, row["seed"], *counts, row["broken"] or "nothing", f"`{row['rtl']}`", row["date"]))
    of_goal = f"{100 * total / soak.GOAL:.0f} % of the {soak.GOAL:,} that are aimed at"
    lines += ["", f"In all {total:,} arrivals, {of_goal}; {present:,} of them on the present RTL."]
    return [*lines, *(["", "† of earlier RTL; `sluice soak` runs anew."] if is_any_old else [])]
