# SPDX-License-Identifier: Apache-2.0
"""The site builds without a warning, every link in it leads somewhere, and what its pages say of names and clocks is so."""

from __future__ import annotations

import json
import re
from functools import cached_property
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from built import built

from sluice.hardware import catalog
from sluice.support import paths

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"


class Page(HTMLParser):
    """What a page of the site links to and loads, and the places in it that can be linked to."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.places: set[str] = set()
        self.feed(file.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collects."""
        values = {name: value or "" for name, value in attrs}
        self.places.update(values[key] for key in ("id", "name") if key in values)
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        self.loads += [values[key] for key in ("src", "href") if key in values and tag in ("img", "script", "link")]


class Site:
    """All pages of a built site."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @cached_property
    def pages(self) -> dict[Path, Page]:
        """Pages by file."""
        return {file: Page(file) for file in sorted(self.folder.rglob("*.html"))}

    def dead(self) -> list[str]:
        """Links that lead nowhere within the site."""
        return [
            f"{file.relative_to(self.folder)}: {link}"
            for file, page in self.pages.items()
            for link in (*page.links, *page.loads)
            if not self._leads(file, link)
        ]

    def _leads(self, file: Path, link: str) -> bool:
        parts = urlsplit(link)
        if parts.scheme or not (parts.path or parts.fragment):
            return True
        target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
        if not target.is_file():
            return False
        return not parts.fragment or target.suffix != ".html" or unquote(parts.fragment) in self.pages[target].places


def test_the_site() -> None:
    """Every page is there, no link is dead, nothing comes from elsewhere, diagrams are drawn. A warning is no site."""
    site = Site(built(paths.build() / "site" / ".made").parent / "html")
    pages = {page.relative_to(DOCS).with_suffix(".html") for page in DOCS.rglob("*.md")}
    assert pages <= {file.relative_to(site.folder) for file in site.pages}
    assert len(pages) > 100
    assert site.dead() == []

    assert [load for page in site.pages.values() for load in page.loads if urlsplit(load).netloc] == []
    styles = [file.read_text() for file in site.folder.rglob("*.css")]
    assert not re.search(r"url\(['\"]?https?:|@import", "\n".join(styles))

    assert '<a href="../atlas-explorer.html">' in (site.folder / "compare/atlas.html").read_text()

    timing = (site.folder / "timing.html").read_text()
    fences = (DOCS / "timing.md").read_text().count("```{wavedrom}")
    assert timing.count('<div class="wavedrom"') == timing.count("</svg></div>") == fences == 5


def test_a_dead_link_is_found(tmp_path: Path) -> None:
    (tmp_path / "there.html").write_text('<p id="here"></p>')
    (tmp_path / "page.html").write_text(
        '<a href="there.html#here">1</a><a href="there.html#gone">2</a><a href="gone.html">3</a><img src="gone.svg">'
    )
    assert Site(tmp_path).dead() == [f"page.html: {link}" for link in ("there.html#gone", "gone.html", "gone.svg")]


def test_the_page_about_timing_has_the_latencies_of_the_hardware() -> None:
    """The numbers, and in the diagram the verdicts in the clock of each arrival with the gap in between."""
    text = (DOCS / "timing.md").read_text()
    red = catalog.load().config("red").latency_cycles
    frame = json.loads(paths.register_map("red-64").read_text())["latency_cycles"]
    assert f"{red} here" in text
    assert f"arrival to verdict: {red} clocks" in text
    assert f"the verdict is on the port {frame} clocks after that beat" in text
    assert f"last beat to verdict: {frame} clocks" in text


def test_the_glossary_knows_the_parameters() -> None:
    """Each name stands under the schemes that have it."""
    known = {a.name: {p["name"] for p in a.parameters} | {"limit"} for a in catalog.load().algorithms}
    named = 0
    for part in re.split(r"^Of (?=`)", (DOCS / "glossary.md").read_text(), flags=re.MULTILINE)[1:]:
        schemes = re.findall(r"`([\w-]+)`", part.partition("\n")[0])
        first_cells = "".join(re.findall(r"^\| ([^|]*)\|", part, re.MULTILINE))
        for name in re.findall(r"`(\w+)`", first_cells):
            named += 1
            assert any(name in known[scheme] for scheme in schemes), f"{schemes} have no {name}"
        assert set(schemes) <= set(known)
    assert named > 40
