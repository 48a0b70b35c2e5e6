# SPDX-License-Identifier: Apache-2.0
"""What came of it, under version control: a row for each discipline and trace."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sluice.experiments.linux.comparison import Comparison
from sluice.experiments.linux.disciplines import Discipline
from sluice.experiments.linux.traffic import Packet
from sluice.hardware import rtl_digest
from sluice.support import paths, results_table

_KEY = ("discipline", "trace")


def table() -> Path:
    """Where rows are kept."""
    return paths.root() / "sim" / "results" / "linux.csv"


def row(
    discipline: Discipline, trace: str, rate_bps: float, packets: Sequence[Packet], version: str, found: Comparison
) -> dict[str, Any]:
    """What both made of a trace, and of which kernel and RTL it is."""
    measured = {
        f"{who}_{name}": round(getattr(each, name), 3)
        for name in ("drops", "marks", "queue", "delay_ms")
        for who, each in (("linux", found.linux), ("rtl", found.rtl))
    }
    return {
        "discipline": discipline.name,
        "trace": trace,
        "rate_mbps": f"{rate_bps / 1e6:g}",
        "packets": len(packets),
        **measured,
        "late_ms": round(found.late_ms, 3),
        "link": round(found.link, 4),
        "kernel": version,
        "rtl": rtl_digest.digest(paths.made(paths.tile_verilog(discipline.config)).read_text()),
        "date": datetime.date.today().isoformat(),
    }


def keep(rows: Sequence[dict[str, Any]]) -> None:
    """Puts rows in place of older ones of the same discipline and trace."""
    for each in rows:
        results_table.merge_row(table(), each, _KEY)
