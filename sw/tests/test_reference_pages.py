# SPDX-License-Identifier: Apache-2.0
"""The reference pages under version control are those of the present register maps."""

from __future__ import annotations

from pathlib import Path

import pytest

from sluice import cli, paths


def pages(folder: Path) -> dict[str, str]:
    """Texts of all pages by their path."""
    return {str(page.relative_to(folder)): page.read_text() for page in folder.rglob("*.md")}


def test_reference_pages_are_up_to_date(tmp_path: Path) -> None:
    with pytest.raises(SystemExit):
        cli.main(["docs", "--output", str(tmp_path)])
    generated = pages(tmp_path)
    kept = pages(paths.root() / "docs" / "reference")
    stale = [name for name in generated if kept.get(name) != generated[name]]
    assert generated
    assert not stale, f"`make docs` is due: {', '.join(stale)}"
