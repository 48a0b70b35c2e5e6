# SPDX-License-Identifier: Apache-2.0
"""A user's SpinalHDL design takes a tile and a counter of flows out of the published library, in an empty folder."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from built import built
from pyslang import driver

from sluice.hardware import catalog
from sluice.support import paths

ROOT = Path(__file__).resolve().parents[3]
EXAMPLE = ROOT / "examples" / "spinalhdl"
SBT = re.search(r"jgo (.*?) --warn", (ROOT / "build.mk").read_text())


def test_the_example_asks_for_what_this_tree_publishes() -> None:
    version = catalog.load().version
    assert f'"sluice" %% "sluice" % "{version}"' in (EXAMPLE / "build.sbt").read_text()
    for file, key in (("build.sbt", "scalaVersion"), ("project/build.properties", "sbt.version")):
        here, there = (
            next(line for line in (folder / file).read_text().splitlines() if key in line)
            for folder in (EXAMPLE, ROOT / "rtl")
        )
        assert here == there


def test_it_elaborates_from_an_empty_folder(tmp_path: Path) -> None:
    home = built(paths.build() / "library" / ".made").parent
    shutil.copytree(EXAMPLE, tmp_path / "mine", ignore=shutil.ignore_patterns("target"))
    cache = os.environ.get("COURSIER_CACHE") or Path.home() / ".cache/coursier/v1"
    options = f"-Duser.home={home} -Dsbt.global.base={tmp_path / 'sbt'}"
    assert SBT
    done = subprocess.run(
        [Path(sys.executable).with_name("jgo"), *SBT[1].replace("$(HOME)", str(Path.home())).split(), "--warn", "run"],
        cwd=tmp_path / "mine",
        env=paths.environment()
        | {"JAVA_TOOL_OPTIONS": options, "COURSIER_MODE": "offline", "COURSIER_CACHE": str(cache)},
        capture_output=True,
        text=True,
        check=False,
    )
    if "ResolveException" in done.stdout + done.stderr:
        pytest.skip("sbt has not all in its cache; with a network: make library, and sbt run in examples/spinalhdl")
    assert done.returncode == 0, done.stdout + done.stderr
    verilog = tmp_path / "mine" / "FairPort.sv"
    modules = re.findall(r"^module (\w+)", verilog.read_text(), re.MULTILINE)
    assert {"FairPort", "FairPort_AqmTile", "FairPort_CareCore", "FairPort_MinCount"} <= set(modules)
    slang = driver.Driver()
    slang.addStandardArgs()
    assert slang.parseCommandLine(f"slang {verilog} --top FairPort")
    assert slang.processOptions()
    assert slang.parseAllSources()
    assert [str(d.code) for d in slang.createCompilation().getAllDiagnostics() if d.isError()] == []
