# SPDX-License-Identifier: Apache-2.0
"""Results that are kept under version control: a CSV file with one row per configuration."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from sluice.output import writing


def merge_row(path: Path, row: dict[str, Any]) -> None:
    """Put a row into a results table, in place of the same configuration's old one; rows stay sorted."""
    rows: dict[str, dict[str, str]] = {}
    if path.exists():
        with path.open(newline="") as file:
            rows = {old["config"]: old for old in csv.DictReader(file)}
    rows[row["config"]] = {key: str(value) for key, value in row.items()}
    with writing(path) as file:
        writer = csv.DictWriter(file, fieldnames=list(row), lineterminator="\n", extrasaction="ignore", restval="")
        writer.writeheader()
        writer.writerows(rows[config] for config in sorted(rows))
