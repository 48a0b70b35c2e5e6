# SPDX-License-Identifier: Apache-2.0
"""Published numbers and ns-2's own results; README.md in this folder says where each comes from."""

from __future__ import annotations

import csv
import json
from importlib import resources
from typing import Any

_FOLDER = resources.files("sluice.experiments.data")


def published(table: str) -> dict[str, Any]:
    """The printed numbers of one table."""
    found: dict[str, Any] = json.loads((_FOLDER / "published.json").read_text())[table]
    return found


def rows(name: str) -> list[dict[str, str]]:
    """The rows of a CSV file."""
    return list(csv.DictReader((_FOLDER / name).read_text().splitlines()))
