# SPDX-License-Identifier: Apache-2.0
"""Lines of a table, as Markdown has them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

Lines = list[str]

DAGGER = " †"
"""Behind what was found on other RTL than is generated now."""


def head(*names: str) -> Lines:
    return [line(*names), "|" + "---|" * len(names)]


def line(*cells: Any) -> str:
    return f"| {' | '.join(map(str, cells))} |".replace("|  |", "| |").replace("|  |", "| |")


def title(page: Path) -> str:
    """The name in a page's heading, without the explanation behind the comma."""
    found = re.search(r"^# ([^,\n]+)", page.read_text(), re.MULTILINE)
    return found[1] if found else page.stem
