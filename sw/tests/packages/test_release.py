# SPDX-License-Identifier: Apache-2.0
"""One version everywhere, and every file says its licence: those under version control and those generated."""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from licences import LICENCES, licence

from sluice.support import paths

ROOT = Path(__file__).resolve().parents[3]
RTL = ROOT / "build" / "rtl"
CATALOG = json.loads((RTL / "catalog.json").read_text())
NAMES = [entry["name"] for key in ("configs", "datapaths") for entry in CATALOG[key]]
COUNTERS = [entry["name"] for entry in CATALOG["counters"]]
Sluice = Callable[..., tuple[int, str, str]]

WITHOUT_COMMENTS = {".csv", ".json", ".lock", ".svg", ".typed"}
"""Kinds of files that cannot carry a line of their own, or are another tool's output."""


def tracked() -> list[str]:
    """Files under version control, but for the texts of the licences themselves."""
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    return [name for name in listed if not name.startswith("LICENSES/") and Path(name).suffix not in WITHOUT_COMMENTS]


def test_every_file_has_the_licence_of_its_folder() -> None:
    asked = {name: next(terms for folder, terms in LICENCES if name.startswith(folder)) for name in tracked()}
    assert len(asked) > 300
    assert {name: licence(ROOT / name) for name in asked} == asked


def test_every_licence_has_its_text() -> None:
    named = {term for _, terms in LICENCES for term in terms.split(" OR ")}
    assert {text.stem for text in (ROOT / "LICENSES").iterdir()} == named


def generated() -> list[Path]:
    """Verilog and C headers of everything in the catalogue, and what is generated beside."""
    named = [
        file
        for name in NAMES
        for file in (RTL / name).iterdir()
        if re.fullmatch(
            rf"({'|'.join(paths.module(*kind, name) for kind in ((), ('tile',), ('core',)))})(\.sv|_registers\.h)",
            file.name,
        )
    ]
    assert len(named) >= 2 * len(NAMES)
    counters = [RTL / name / f"{paths.module(name)}.sv" for name in COUNTERS]
    folders = [RTL / entry["name"] for entry in CATALOG["shells"]]
    shells = [file for folder in folders for file in folder.iterdir() if file.name != "catalog.json"]
    crossing = RTL / "crossing" / "sluice_clock_crossing.sv"
    return [*named, *counters, *shells, crossing, *(RTL / "blocks").glob("*.sv"), *(RTL / "proofs").glob("*.sv")]


def test_every_generated_file_says_what_it_is() -> None:
    """Licence, version and configuration; no commit of the project and no date, as it shall change with the hardware only."""
    for file in generated():
        head = file.read_text().partition("\n\n")[0].partition("*/")[0]
        assert licence(file) == "Apache-2.0 OR GPL-2.0-only", file
        assert f"Sluice {CATALOG['version']}: " in head, file
        if file.parent.name not in {"blocks", "proofs"}:
            assert f"'{file.parent.name}'" in head, file
        assert not re.search(r"Git hash|Date|\d\d:\d\d", head), file


@pytest.mark.parametrize("name", NAMES)
def test_a_register_map_says_licence_and_version(name: str) -> None:
    declared = json.loads((RTL / name / "registers.json").read_text())
    assert declared["licence"] == "Apache-2.0 OR GPL-2.0-only"
    assert declared["version"] == CATALOG["version"]
    word = next(w["reset"] for w in declared["registers"] if w["name"] == "VERSION")
    assert ".".join(str(int(word) >> shift & 0xFF) for shift in (16, 8, 0)) == declared["version"]


def test_one_version(sluice: Sluice) -> None:
    """Hardware, both packages, the command and the changelog."""
    version = CATALOG["version"]
    for package in ("sw", "sim/golden"):
        assert tomllib.loads((ROOT / package / "pyproject.toml").read_text())["project"]["version"] == version
    status, out, _ = sluice("--version")
    assert status == 0
    assert version in out.split()[-1]
    releases = re.findall(r"^## \[([\w.]+)\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert releases[:2] == ["Unreleased", version]
