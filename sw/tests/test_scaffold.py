# SPDX-License-Identifier: Apache-2.0
"""`sluice new`: what it lays down fits the tree that it is laid into, and what it refuses leaves that tree alone."""

from __future__ import annotations

import ast
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from licences import LICENCES, licence

Sluice = Callable[..., tuple[int, str, str]]
ROOT = Path(__file__).resolve().parents[2]

KEPT = ("rtl/src/main/scala", "rtl/configs.yaml", "sim/golden/sluice_golden", "cocotb-tests/cores", "docs/algorithms")
"""Where names of cores come from."""


@pytest.fixture
def tree(project: Path) -> Path:
    """The small project with the sources of all cores."""
    for name in KEPT:
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, project / name)
    return project


def texts(tree: Path) -> dict[str, str]:
    """All sources by their path."""
    files = [file for name in KEPT for file in [tree / name, *(tree / name).rglob("*")]]
    kinds = {".scala", ".yaml", ".py", ".md"}
    return {str(file.relative_to(tree)): file.read_text() for file in files if file.suffix in kinds}


def test_four_files_and_a_line(sluice: Sluice, tree: Path) -> None:
    before = texts(tree)
    status, out, _ = sluice("new", "fresh-1")
    after = texts(tree)
    new = set(after) - set(before)
    assert status == 0
    assert new == {
        "rtl/src/main/scala/sluice/cores/Fresh1Core.scala",
        "sim/golden/sluice_golden/fresh_1.py",
        "cocotb-tests/cores/test_fresh_1.py",
        "docs/algorithms/fresh-1.md",
    }
    assert all(name in out for name in new)
    changed = {name for name in before if after[name] != before[name]}
    assert changed == {"rtl/src/main/scala/sluice/Catalog.scala"}
    [catalogue] = changed
    added = after[catalogue].splitlines()
    at = added.index("    Fresh1,")
    assert added[:at] + added[at + 1 :] == before[catalogue].splitlines()
    assert added[at + 1] == "  )"


def test_the_files_are_of_one_core(sluice: Sluice, tree: Path) -> None:
    """Each names it as its language does, says its folder's licence, and leaves nothing of the template."""
    before = set(texts(tree))
    sluice("new", "fresh-1")
    new = {name: text for name, text in texts(tree).items() if name not in before}
    for name, text in new.items():
        assert licence(tree / name) == next(terms for folder, terms in LICENCES if name.startswith(folder))
        assert not any(mark in text for mark in ("{{", "{%", "{#"))
        assert text.strip() + "\n" == text
        if name.endswith(".py"):
            ast.parse(text)
        if not name.endswith(".md"):
            assert text.count('"fresh-1"') == 1
    scala = new["rtl/src/main/scala/sluice/cores/Fresh1Core.scala"]
    assert "object Fresh1 extends Algorithm" in scala
    assert "class Fresh1Core extends AqmCore(Fresh1)" in scala
    assert "(../reference/registers/fresh-1.md)" in new["docs/algorithms/fresh-1.md"]


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("Blue", "'Blue' is no name of a core: words of lower-case letters and digits with hyphens between them"),
        ("fresh_1", "'fresh_1' is no name of a core"),
        ("2-blue", "'2-blue' is no name of a core"),
        ("blue-", "'blue-' is no name of a core"),
        ("../blue", "'../blue' is no name of a core"),
        ("thirteen-char", "at most 12 characters"),
        ("red", "the name 'red' is taken: there is rtl/src/main/scala/sluice/cores/red/RedCore.scala"),
        ("re-ared", "the name 're-ared' is taken: there is sim/golden/sluice_golden/red/re_ared.py"),
        ("droptail", "the name 'droptail' is taken: there is sim/golden/sluice_golden/droptail.py"),
        ("care-50", "the name 'care-50' is taken by configs.yaml"),
        ("red-512", "the name 'red-512' is taken by configs.yaml"),
        ("ns3-pie", "the name 'ns3-pie' is taken by ns-3"),
        ("all", "the name 'all' has a meaning of its own"),
        ("lambda", "the name 'lambda' has a meaning of its own"),
        ("rules", "the name 'rules' is taken: there is cocotb-tests/cores/test_rules.py"),
        ("trend", "taken: rtl/src/main/scala/sluice/cores/red/AdaptiveRed.scala has a Scala type like it"),
    ],
)
def test_a_name_that_will_not_do(sluice: Sluice, tree: Path, name: str, says: str) -> None:
    before = texts(tree)
    status, _, err = sluice("new", name)
    assert (status, len(err.splitlines())) == (2, 1)
    assert says in err
    assert texts(tree) == before


def test_a_name_is_new_once(sluice: Sluice, tree: Path) -> None:
    assert sluice("new", "fresh")[0] == 0
    before = texts(tree)
    assert sluice("new", "fresh")[0] == 2
    assert texts(tree) == before


def test_a_tree_without_sources(sluice: Sluice, project: Path) -> None:
    status, _, err = sluice("new", "fresh")
    assert (status, len(err.splitlines())) == (2, 1)
    assert f"{project} has no rtl/src/main/scala/sluice/Catalog.scala" in err


def test_a_catalogue_that_is_not_understood(sluice: Sluice, tree: Path) -> None:
    catalogue = tree / "rtl/src/main/scala/sluice/Catalog.scala"
    catalogue.write_text(catalogue.read_text().replace("    Red,\n", "    Red, // first\n"))
    before = texts(tree)
    status, _, err = sluice("new", "fresh")
    assert status == 2
    assert "Catalog.scala has no list of algorithms" in err
    assert texts(tree) == before
