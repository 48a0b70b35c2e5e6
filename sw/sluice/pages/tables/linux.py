# SPDX-License-Identifier: Apache-2.0
"""What the kernel's own queue disciplines and the RTL made of the same packets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sluice.experiments.linux import kept
from sluice.experiments.linux.disciplines import DISCIPLINES
from sluice.hardware import rtl_digest
from sluice.pages.tables.markdown import DAGGER, Lines, head, line
from sluice.support import paths, results_table

_MEASURED = ("drops", "marks", "queue", "delay_ms")


def beside(_arguments: Sequence[str]) -> Lines:
    """A row for each discipline and trace: the kernel's figure, then the RTL's."""
    lines = head("trace", "discipline", "packets", "drops", "marks", "queue, packets", "delay, ms", "kernel", "run")
    tile = {discipline.name: discipline.config for discipline in DISCIPLINES}
    is_any_old = False
    rows = results_table.read(kept.table())
    for row in sorted(rows, key=lambda row: (row["trace"], list(tile).index(row["discipline"]))):
        verilog = paths.made(paths.tile_verilog(tile[row["discipline"]])).read_text()
        is_old = row["rtl"] != rtl_digest.digest(verilog)
        is_any_old |= is_old
        name = f"`{row['discipline']}`{DAGGER if is_old else ''}"
        trace = f"{row['trace']}, {row['rate_mbps']} Mbit/s"
        both = (_both(row, measured) for measured in _MEASURED)
        lines.append(line(trace, name, f"{int(row['packets']):,}", *both, row["kernel"], row["date"]))
    return [*lines, *(["", "† of earlier RTL; `sluice oracle --keep` runs anew."] if is_any_old else [])]


def _both(row: Mapping[str, str], measured: str) -> str:
    """Linux's and the RTL's, and how far the second is from the first."""
    linux, rtl = float(row[f"linux_{measured}"]), float(row[f"rtl_{measured}"])
    apart = f" ({100 * (rtl / linux - 1):+.1f} %)" if linux else ""
    shown = "{:,.0f}" if measured in {"drops", "marks"} else "{:.2f}"
    return f"{shown.format(linux)} / {shown.format(rtl)}{apart}"
