# SPDX-License-Identifier: Apache-2.0
"""Results that are kept under version control: a CSV file with one row per configuration, or per what its key says."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sluice.support.output import writing


def read(path: Path) -> list[dict[str, str]]:
    """The rows of a results table; none if it does not exist yet."""
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def row(path: Path, config: str) -> dict[str, str]:
    """The row of a configuration."""
    return next(row for row in read(path) if row["config"] == config)


def merge_row(path: Path, row: dict[str, Any], key: Sequence[str] = ("config",)) -> None:
    """Put a row into a results table, in place of the old one with the same key; rows stay sorted."""
    merge_rows(path, [row], key)


def merge_rows(path: Path, new: Sequence[Mapping[str, Any]], key: Sequence[str]) -> None:
    """The same of several rows, which have the same columns."""
    rows = {tuple(old[name] for name in key): old for old in read(path)}
    rows |= {tuple(str(row[name]) for name in key): {name: str(value) for name, value in row.items()} for row in new}
    write(path, [rows[place] for place in sorted(rows)], list(new[0]))


def write(path: Path, rows: Sequence[Mapping[str, str]], columns: Sequence[str]) -> None:
    """Write a results table anew; what a row does not tell stays empty."""
    with writing(path) as file:
        writer = csv.DictWriter(file, fieldnames=columns, lineterminator="\n", extrasaction="ignore", restval="")
        writer.writeheader()
        writer.writerows(rows)
