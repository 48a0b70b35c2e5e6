# SPDX-License-Identifier: Apache-2.0
"""What `sluice new` lays down is a core before anybody changes a line: one is generated in a copy of the tree, where nothing
else is, and held against its model."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from lib.simulation import ROOT

from sluice.support import paths

PARTS = (
    *("Makefile", "build.mk", "bootstrap", "requirements.lock", "pyproject.toml", "conftest.py"),
    *("rtl", "sim", "sw", "cocotb-tests", "docs/algorithms", "docs/blocks"),
)
OTHERS = {"licence": "none", "algorithms": [], "configs": [{"name": "red"}, {"name": "gone"}], "witnesses": []}
"""A catalogue of some run before."""


def copy_of_the_tree(to: Path) -> None:
    """All that a core is made and tested by, and what is compiled of the hardware's sources."""
    for name in PARTS:
        (to / name).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, to / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(ROOT / name, to / name)
    (to / ".venv").symlink_to(sys.prefix)


def test_a_new_core_is_one(tmp_path: Path) -> None:
    copy_of_the_tree(tmp_path)
    env = paths.environment() | {"SLUICE_ROOT": str(tmp_path), "SLUICE_BUILD": str(tmp_path / "build")}
    env |= {"PYTHONPATH": str(tmp_path / "sim" / "golden"), "CCACHE_DIR": str(ROOT / "build" / "ccache")}
    env["PATH"] = os.pathsep.join((str(Path(sys.executable).parent), env["PATH"]))

    def run(*command: str) -> str:
        done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False, timeout=300)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    run("sluice", "new", "fresh-1")
    catalog = tmp_path / "build" / "rtl" / "catalog.json"
    catalog.parent.mkdir(parents=True)
    catalog.write_text(json.dumps(OTHERS))
    os.utime(catalog, (1, 1))
    # The tile is one for all, and tested around others.
    chosen = run("make", "check", "CONFIG=fresh-1", "ARGS=-n0 -p no:cacheprovider -rA -k 'not test_tile'")
    for test in ("test_traffic", "test_one_per_clock", "test_rules", "test_the_golden_model_has_the_same_parameters"):
        assert f"{test}[fresh-1]" in chosen
    assert "test_fresh_1.py::test_everything_from_the_threshold_on" in chosen
    assert "[red]" not in chosen

    merged = json.loads(catalog.read_text())
    assert [config["name"] for config in merged["configs"]] == ["red", "fresh-1"]
    assert [algorithm["name"] for algorithm in merged["algorithms"]] == ["fresh-1"]
    assert catalog.stat().st_mtime == 1  # as old as it was: what needs the others makes them
    assert {proof["name"] for proof in merged["proofs"]} >= {
        "buffer",
        "registers",
    }  # which stand for all that a core is in
    assert {file.name for file in catalog.parent.iterdir()} == {"catalog.json", "sluice_registers.h", "fresh-1"}
