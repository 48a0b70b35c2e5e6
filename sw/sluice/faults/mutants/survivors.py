# SPDX-License-Identifier: Apache-2.0
"""Mutants that lived, each with why: rows that `sluice mutants` writes, and a column that people fill.

A reason is kept as long as the fault is: the same kind of fault at the same place of the same design, in any seed. One that
was found out since has no row any more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from sluice.support import paths, results_table

COLUMNS = ("config", "design", "seed", "mutant", "fault", "place", "line", "source", "why")
_NUMBERS = ("seed", "mutant")

UNKNOWN = "not looked into yet: the tests may miss it"
"""The reason of who has not been followed yet; the worst is to be thought of it."""


def rates() -> Path:
    """The table of how many die."""
    return paths.root() / "cocotb-tests" / "results" / "mutants.csv"


def table() -> Path:
    """The table of those that live."""
    return paths.root() / "cocotb-tests" / "results" / "survivors.csv"


def merge(path: Path, run: Mapping[str, Any], entries: Iterable[Mapping[str, Any]]) -> None:
    """Put the survivors of a run in place of those of the same design and seed."""
    before = results_table.read(path)
    reasons = {_fault(row): row["why"] for row in before if row["why"]}
    here = {name: str(run[name]) for name in ("config", "design", "seed")}
    rows = [row for row in before if any(row[name] != value for name, value in here.items())]
    for entry in entries:
        row = here | {name: str(entry[name]) for name in ("mutant", "fault", "place", "line", "source")}
        rows.append(row | {"why": reasons.get(_fault(row), "")})
    rows.sort(key=lambda row: [int(row[name]) if name in _NUMBERS else row[name] for name in COLUMNS[:4]])
    results_table.write(path, rows, COLUMNS)


def _fault(row: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(row[name] for name in ("config", "design", "fault", "place"))
