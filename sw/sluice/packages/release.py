# SPDX-License-Identifier: Apache-2.0
"""A release: what users of the hardware take, without the tools that make it, the same bytes from the same sources.

Of every supported configuration, datapath and counter there is a folder with its SystemVerilog, its register map as JSON,
C header, SystemRDL and IP-XACT, and a FuseSoC core; beside them are the wrappers for shells and the crossing of clocks. In
`packages` are the wheels of the golden models and of the command, and the RTL as a Scala library; in `site` the pages as HTML.
Pages, C driver, examples, constraints and the texts of the licences come from the tree under version control. `SHA256SUMS`
lists all, and the archive holds them in the order of their names, with no times and no owners.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import shutil
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path

from sluice.hardware import catalog, counters, datapaths, designs, shells
from sluice.hardware.designs import Design
from sluice.packages import system_rdl
from sluice.support import paths, templates
from sluice.support.errors import UserError
from sluice.support.output import writing

TRACKED = (
    "README.md",
    "CHANGELOG.md",
    "SECURITY.md",
    "LICENSE",
    "NOTICE",
    "LICENSES",
    "constraints",
    "docs",
    "examples",
    "fpga",
    "rtl/lint",
    "sw/driver",
    ":!fpga/fusesoc/*.core",
)
"""What comes from version control; the cores there call the generator, which a release is without."""

SUMS = "SHA256SUMS"

_LEVEL = 6
"""Of compression: the highest, 9, takes five times as long for a fourteenth less."""


def write(output: Path) -> Path:
    """Write the release into an empty folder below `output`, and its archive beside it, whose path is returned."""
    version = catalog.load().version
    folder = output / f"sluice-{version}"
    shutil.rmtree(folder, ignore_errors=True)
    for name in _tracked():
        _put(folder / name, (paths.root() / name).read_bytes())
    for design in supported():
        for name, data in _files(design, version):
            _put(folder / "rtl" / design.name / name, data)
    for shell in shells.load():
        for file in shell.files:
            _put(folder / "rtl" / shell.name / file.name, file.read_bytes())
    for name, data in _built(version):
        _put(folder / name, data)
    crossing = paths.made(paths.build() / "rtl" / "crossing" / "sluice_clock_crossing.sv")
    _put(folder / "rtl" / "crossing" / crossing.name, crossing.read_bytes())
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    sums = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.relative_to(folder)}\n" for file in files]
    _put(folder / SUMS, "".join(sums).encode())
    archive = output / f"{folder.name}.tar.gz"
    _pack(archive, folder, [*files, folder / SUMS])
    return archive


def supported() -> list[Design]:
    """Designs of the grade that is supported, in the generator's order."""
    grades = {config.name: config.grade for config in catalog.load().configs}
    grades |= {datapath.name: datapath.grade for datapath in datapaths.load()}
    grades |= {counter.name: counter.grade for counter in counters.load()}
    return [design for name, design in designs.load().items() if grades[name] == "supported"]


def _tracked() -> list[str]:
    done = subprocess.run(["git", "ls-files", *TRACKED], cwd=paths.root(), capture_output=True, text=True, check=False)
    if done.returncode:
        raise UserError(f"a release is made of a clone: {done.stderr.strip()}")
    return done.stdout.splitlines()


def _built(version: str) -> Iterator[tuple[str, bytes]]:
    """What `make` builds of the tree: the packages, and the site."""
    wheels, library, site = (
        paths.made(paths.build() / name / ".made").parent for name in ("wheels", "library", "site")
    )
    jars = [
        file for file in library.rglob(f"*-{version}*") if file.suffix in {".jar", ".pom"}
    ]  # others may be left there
    for file in [*wheels.glob(f"*-{version}-*.whl"), *jars]:
        yield f"packages/{file.name}", file.read_bytes()
    html = site / "html"
    for file in html.rglob("*"):
        if file.is_file() and file.name != ".buildinfo":  # of the machine that made it
            yield f"site/{file.relative_to(html)}", file.read_bytes()


def _files(design: Design, version: str) -> Iterator[tuple[str, bytes]]:
    yield design.verilog.name, design.verilog.read_bytes()
    core = templates.render("release.core.j2", design=design, version=version)
    yield f"{design.module}.core", core.encode()
    if not (file := paths.register_map(design.name)).exists():
        return  # a counter has no registers
    register_map = json.loads(file.read_text())
    name = system_rdl.name(register_map)
    yield file.name, file.read_bytes()
    yield f"{name}.h", (file.parent / f"{name}.h").read_bytes()
    yield f"{name}.rdl", system_rdl.text(register_map).encode()
    yield f"{name}.xml", system_rdl.ip_xact(register_map).encode()


def _put(file: Path, data: bytes) -> None:
    with writing(file, "wb") as out:
        out.write(data)


def _pack(archive: Path, folder: Path, files: list[Path]) -> None:
    with (
        writing(archive, "wb") as raw,
        gzip.GzipFile("", "wb", _LEVEL, raw, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar,
    ):
        for file in files:
            entry = tarfile.TarInfo(str(file.relative_to(folder.parent)))
            entry.size = file.stat().st_size
            with file.open("rb") as data:
                tar.addfile(entry, data)
