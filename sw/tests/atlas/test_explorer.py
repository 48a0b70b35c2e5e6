# SPDX-License-Identifier: Apache-2.0
"""The page that sorts and filters, in a real browser: what its table shows, and that its console stays silent."""

from __future__ import annotations

import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest

from sluice.experiments.atlas import cells, explorer, table

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
PAGE_BYTES = 2_000_000

pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")


class Shown(HTMLParser):
    """The rows of the table, and what the plot names."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self._at = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Opens a row or a cell."""
        self._at = tag
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_data(self, data: str) -> None:
        """Text of a cell; not what is small in it."""
        if self._at in ("td", "th") and self.rows:
            self.rows[-1][-1] += data


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of the kept rows."""
    file = tmp_path_factory.mktemp("explorer") / "atlas.html"
    file.write_text(explorer.page(table.shown(), "sluice atlas --draw"))
    assert file.stat().st_size < PAGE_BYTES
    return file


def opened(page: Path, view: str, home: Path) -> list[list[str]]:
    """The table as the browser has it; whatever the page says on the console is a fault."""
    assert BROWSER
    # Without a sandbox, which needs more rights than tests have; its sounds on stderr are not the page's.
    done = subprocess.run(
        [
            BROWSER,
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            f"--user-data-dir={home}",
            "--enable-logging=stderr",
            "--host-resolver-rules=MAP * ~NOTFOUND",
            "--virtual-time-budget=2000",
            "--dump-dom",
            f"{page.as_uri()}#{view}",
        ],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert "CONSOLE" not in done.stderr, re.findall(r".*CONSOLE.*", done.stderr)
    return Shown(done.stdout).rows


def test_all_schemes_and_situations_in_the_order_of_the_catalogue(page: Path, tmp_path: Path) -> None:
    head, *rows = opened(page, "", tmp_path)
    assert [name.partition(":")[0] for name in head[4:]] == [
        world.name for world in cells.WORLDS if world.name in table.shown()
    ]
    schemes = {row["scheme"] for found in table.shown().values() for row in found}
    assert {row[0] for row in rows} == schemes
    assert [row[0] for row in rows][:3] == ["droptail", "red", "ared"]


def test_it_sorts_and_filters(page: Path, tmp_path: Path) -> None:
    head, *rows = opened(page, "cell=udp-mix&sort=deaf_shares&down=1&find=red,pie&kinds=in+gates", tmp_path)
    values = [float(row[head.index("deaf_shares")].rstrip("▾†")) for row in rows]
    assert values == sorted(values, reverse=True)
    assert len(values) > 3
    assert all("red" in row[0] or "pie" in row[0] for row in rows)
    assert {row[1] for row in rows} == {"in gates"}


def test_a_scheme_that_never_comes_to_it_is_last(page: Path, tmp_path: Path) -> None:
    head, *rows = opened(page, "sort=rate-slow", tmp_path)
    column = next(index for index, name in enumerate(head) if name.startswith("rate-slow"))
    values = [row[column].rstrip("▾†") for row in rows]
    known = [value for value in values if value]
    assert known[-1] == "never"
    assert known.index("never") + known.count("never") == len(known)
