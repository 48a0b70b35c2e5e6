# SPDX-License-Identifier: Apache-2.0
"""A new version is set in all places at once, and the changelog keeps its form."""

from __future__ import annotations

import hashlib
import os
import re
from datetime import date
from pathlib import Path

import pytest

from sluice.packages import version
from sluice.support.errors import UserError

ROOT = Path(__file__).resolve().parents[3]
DAY = date(2027, 1, 2)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """What of the tree has a version, and a change that is unreleased, which right after a release there is not."""
    for name in (*version.PLACES, "CHANGELOG.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    changes = tmp_path / "CHANGELOG.md"
    changes.write_text(changes.read_text().replace("## [Unreleased]\n", "## [Unreleased]\n\n### Added\n\n- This.\n", 1))
    return tmp_path


def test_one_version_is_there_now() -> None:
    assert len(set(version.found(ROOT).values())) == 1


def test_all_places_get_it(tree: Path) -> None:
    old = (tree / "CHANGELOG.md").read_text()
    version.bump(tree, "99.0.1", DAY)
    assert set(version.found(tree).values()) == {"99.0.1"}
    text = (tree / "CHANGELOG.md").read_text()
    assert text == old.replace("## [Unreleased]\n", "## [Unreleased]\n\n## [99.0.1] - 2027-01-02\n", 1)
    changed = [name for name in version.PLACES if (tree / name).read_text() != (ROOT / name).read_text()]
    assert changed == list(version.PLACES)


@pytest.mark.parametrize(("new", "says"), [("", "no version"), ("1.2", "no version"), ("0.0.1", "is not later than")])
def test_what_is_no_later_version_is_refused(tree: Path, new: str, says: str) -> None:
    with pytest.raises(UserError, match=says):
        version.bump(tree, new, DAY)
    assert version.found(tree) == version.found(ROOT)


def test_a_release_without_a_change_is_refused(tree: Path) -> None:
    version.bump(tree, "99.0.1", DAY)
    with pytest.raises(UserError, match="nothing unreleased"):
        version.bump(tree, "99.0.2", DAY)


def test_the_jars_are_those_that_were_locked() -> None:
    """Every library that build.sbt names is in the list, and what lies in coursier's cache is what the list says."""
    lines = (ROOT / "rtl" / "jars.sha256").read_text().splitlines()[1:]
    locked = {name: digest for digest, name in (line.split() for line in lines)}
    build = (ROOT / "rtl" / "build.sbt").read_text()
    spinal = re.search(r'spinalVersion = "([^"]+)"', build)
    assert spinal
    libraries = re.findall(r'% +"([\w-]+)" +% +(?:"([\d.]+)"|spinalVersion)', build)
    assert len(libraries) == 6
    for library, number in libraries:
        assert any(name.startswith(library) and name.endswith(f"-{number or spinal[1]}.jar") for name in locked)
    cache = Path(os.environ.get("COURSIER_CACHE") or Path.home() / ".cache/coursier/v1")
    jars = [jar for jar in cache.rglob("*.jar") if jar.name in locked]
    wrong = [jar.name for jar in jars if hashlib.sha256(jar.read_bytes()).hexdigest() != locked[jar.name]]
    assert wrong == []


def test_the_changelog_keeps_its_form() -> None:
    """Unreleased, then versions with their days, the latest first; in each the kinds of changes, each once, in entries."""
    text = (ROOT / "CHANGELOG.md").read_text()
    parts = re.split(r"^## ", text, flags=re.MULTILINE)[1:]
    heads = [part.partition("\n")[0] for part in parts]
    assert heads[0] == "[Unreleased]"
    assert all(re.fullmatch(r"\[\d+\.\d+\.\d+\] - \d{4}-\d{2}-\d{2}", head) for head in heads[1:])
    assert heads[1:] == sorted(heads[1:], key=lambda head: [int(n) for n in re.findall(r"\d+", head)], reverse=True)
    for part in parts:
        kinds = re.findall(r"^### (.*)$", part, re.MULTILINE)
        assert kinds == sorted(set(kinds), key=["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"].index)
        for entries in re.split(r"^### .*$", part, flags=re.MULTILINE)[1:]:
            assert all(re.match(r"- |  \S|$", line) for line in entries.splitlines()), entries
