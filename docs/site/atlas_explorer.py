# SPDX-License-Identifier: Apache-2.0
"""The atlas' page that sorts and filters, made with the site and linked where its text names the file that a tree has of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sluice.experiments.atlas import explorer, table

PAGE = "atlas-explorer.html"
_FILE = "`build/report/atlas.html`"


def _write(app: Any) -> None:
    (Path(app.outdir) / PAGE).write_text(explorer.page(table.shown(), "make site"))


def _link(_app: Any, name: str, content: list[str]) -> None:
    if name == "compare/atlas":
        content[0] = content[0].replace(_FILE, f'<a href="../{PAGE}">this page</a>')


def setup(app: Any) -> dict[str, bool]:
    """Sphinx calls this."""
    app.connect("builder-inited", _write)
    app.connect("source-read", _link)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
