# SPDX-License-Identifier: Apache-2.0
"""Links of the pages, which are those of a tree, made those of a site.

A link to a page stays one. A link to another file of the tree becomes a download of that file. A folder has no page: what
links to it keeps its text alone. The pages of the top folder have a place of the same name in `project`, where their text goes.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parents[1]
ROOT = DOCS.parent
_LINK = re.compile(r"(?<!\\)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")
_FENCE = re.compile(r"^(```.*?^```)", re.MULTILINE | re.DOTALL)
_LISTED = re.compile(r"^[\w/-]+$", re.MULTILINE)
_TOP = {ROOT / f"{place.stem.upper()}.md": place for place in (DOCS / "project").glob("*.md")}


def rewritten(text: str, source: Path, page: Path) -> str:
    """A text of the tree with the links of the site. `source` is its file, `page` the one in docs/ where it goes."""
    parts = _FENCE.split(text)
    return "".join(
        part if part.startswith("```") else _LINK.sub(lambda m: _link(m, source, page), part) for part in parts
    )


def _link(found: re.Match[str], source: Path, page: Path) -> str:
    text, target = found.groups()
    path, hash_, anchor = target.partition("#")
    if not path or "://" in path or path.startswith("mailto:"):
        return found[0]
    file = (source.parent / path).resolve()
    if file.is_dir():
        return text
    file = _TOP.get(file, file)
    new = os.path.relpath(file, page.parent)
    if file.suffix == ".md" and not file.is_relative_to(DOCS):
        return f"{{download}}`{text} <{new}>`"
    return f"[{text}]({new}{hash_}{anchor})"


def _others(index: str) -> str:
    """The list of pages that the front page has not put anywhere yet, so that each is within reach from the day it is written."""
    listed = {*_LISTED.findall(index), "index"}
    others = sorted(page.stem for page in DOCS.glob("*.md") if page.stem not in listed)
    return "\n".join(["", "```{toctree}", ":hidden:", ":caption: More", "", *others, "```", ""]) if others else ""


def _read(app: Any, name: str, content: list[str]) -> None:
    page = Path(app.srcdir) / f"{name}.md"
    source = {place: file for file, place in _TOP.items()}.get(page, page)
    text = source.read_text()
    content[0] = rewritten(text, source, page) + (_others(text) if name == "index" else "")


def setup(app: Any) -> dict[str, bool]:
    """Sphinx calls this."""
    app.connect("source-read", _read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
