# SPDX-License-Identifier: Apache-2.0
"""Comparisons that pages show, kept under version control: a row for each AQM in one of the built-in scenarios.

A row bears the digest of the tile's RTL and that of the scenario, and is old when either is another now. ns-3's own disciplines
have no RTL.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from sluice.hardware import catalog, rtl_digest
from sluice.loop import scenario
from sluice.loop.reports import report
from sluice.loop.scenario import Scenario
from sluice.support import paths, results_table
from sluice.support.errors import UserError

KEY = ("scenario", "aqm")


def table() -> Path:
    return paths.root() / "sim" / "results" / "compared.csv"


def keep(chosen: Scenario, groups: Sequence[report.Seeds]) -> None:
    """Put the row of each AQM into the table, as the comparison shows it, with its first seed and how many there were."""
    if chosen.name not in scenario.names() or chosen != scenario.load(chosen.name):
        raise UserError("only built-in scenarios are kept, at their own length")
    for seeds in groups:
        name, *cells = report.row(seeds, report.COLUMNS)
        row = {
            "scenario": chosen.name,
            "aqm": name,
            "rtl": rtl(name),
            "setting": _setting(chosen.name),
            "seed": seeds[0]["seed"],
            "seeds": len(seeds),
            **dict(zip((column.name for column in report.COLUMNS), cells, strict=True)),
        }
        results_table.merge_row(table(), row, key=KEY)


def rows(name: str) -> dict[str, dict[str, str]]:
    """What is kept of a scenario, by AQM."""
    return {row["aqm"]: row for row in results_table.read(table()) if row["scenario"] == name}


def is_old(row: Mapping[str, str]) -> bool:
    """Whether a row is of other RTL than is generated now, or of a scenario that was another."""
    return (row["rtl"], row["setting"]) != (rtl(row["aqm"]), _setting(row["scenario"]))


def rtl(aqm: str) -> str:
    """Digest of a tile's RTL; nothing of ns-3's own disciplines."""
    if aqm not in catalog.load().config_names:
        return ""
    file = paths.made(paths.tile_verilog(aqm))
    return _digest(file, file.stat().st_mtime_ns)


@functools.cache
def _digest(file: Path, _written_ns: int) -> str:
    """Pages ask it of thousands of rows."""
    return rtl_digest.digest(file.read_text())


def _setting(name: str) -> str:
    switch = scenario.load(name).switch
    of_switch = switch.text() if switch else ""
    return hashlib.sha256((scenario.text(name) + of_switch).encode()).hexdigest()[: rtl_digest.LENGTH]
