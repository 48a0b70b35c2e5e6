# SPDX-License-Identifier: Apache-2.0
"""The generated pages under version control are those of the present register maps and scenario format."""

from __future__ import annotations

import re

import pytest

from sluice.commands import cli
from sluice.loop import scenario
from sluice.support import paths
from sluice.support.errors import UserError


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Texts of all generated files by their path in the project."""
    folder = tmp_path_factory.mktemp("docs")
    with pytest.raises(SystemExit):
        cli.main(["docs", "--output", str(folder)])
    return {str(page.relative_to(folder)): page.read_text() for page in folder.rglob("*.*") if page.is_file()}


def test_reference_pages_are_up_to_date(generated: dict[str, str]) -> None:
    root = paths.root()
    stale = [name for name, text in generated.items() if not (kept := root / name).exists() or kept.read_text() != text]
    assert {"README.md", "docs/simulate/scenarios.md", "docs/reference/scenario.schema.json"} <= set(generated)
    assert not stale, f"`make docs` is due: {', '.join(stale)}"


def test_pages_of_what_is_gone_are_gone(generated: dict[str, str]) -> None:
    kept = paths.root() / "docs" / "reference"
    left = [str(page.relative_to(paths.root())) for page in kept.rglob("*.*") if page.is_file()]
    assert set(left) <= set(generated)


def test_the_scenario_that_the_page_shows_is_one(generated: dict[str, str]) -> None:
    example = generated["docs/simulate/scenarios.md"].partition("```yaml\n")[2].partition("```")[0]
    assert len(scenario.expand(scenario.parse("mine", example), 1)) == 11
    with pytest.raises(UserError, match="line 12: unknown key 'rate' in flows"):
        scenario.parse("mine", example.replace("udp_cbr, rate_mbps", "udp_cbr, rate"))


def test_every_key_of_the_page_is_explained(generated: dict[str, str]) -> None:
    assert "|  |" not in generated["docs/simulate/scenarios.md"]


def test_every_row_of_a_table_has_as_many_cells_as_its_heading(generated: dict[str, str]) -> None:
    for name, text in generated.items():
        cells = 0
        for line in text.splitlines() if name.endswith(".md") else ():
            found = len(re.findall(r"(?<!\\)\|", line)) if line.startswith("|") else 0
            assert found in (cells or found, 0), f"{name}: {line}"
            cells = found
