# SPDX-License-Identifier: Apache-2.0
"""What can be mutated, and which of the project's tests judge its mutants."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sluice.faults.mutants import far_counters, recorder, upset_port
from sluice.faults.mutants.recording import ARRIVALS, Recording, Shape
from sluice.hardware import catalog, datapaths
from sluice.support import paths
from sluice.support.errors import UserError

_PARSED = (
    "test_fields",
    "test_headers_anywhere",
    "test_the_outermost_tunnel_counts",
    "test_a_pptp_call_is_one_tunnel",
    "test_it_cut_at_any_byte",
)
TESTS = {
    "core": ("cocotb-tests/cores/test_conformance.py::test_traffic[{config}]",),
    "tile": ("cocotb-tests/tile/test_tile.py::test_tile[{config}]",),
    "parser": tuple(f"cocotb-tests/datapath/test_parser.py::{test}[{{config}}]" for test in _PARSED),
    "buffer": ("cocotb-tests/datapath/test_datapath.py::test_datapath[{config}]",),
}
"""The judges of each kind of design."""

PARTS = {"parser": "Parser", "buffer": "PacketBuffer"}
"""Modules within a datapath."""

SOURCES_OF_A_RECORDING = ("cocotb-tests", "sim/golden", "sw/sluice/faults/mutants", "sw/sluice/synthesis")


@dataclass(frozen=True)
class Design:
    """The core or the tile of a configuration, or a part of a datapath."""

    config: str
    kind: str

    @property
    def top(self) -> str:
        """Its Verilog module."""
        return paths.module(*([self.config, PARTS[self.kind]] if self.kind in PARTS else [self.kind, self.config]))

    @property
    def product(self) -> Path:
        """The SystemVerilog in which it is."""
        whole = self.top.removesuffix(f"_{PARTS[self.kind]}") if self.kind in PARTS else self.top
        return paths.made(paths.build() / "rtl" / self.config / f"{whole}.sv")

    @property
    def source(self) -> Path:
        """Its SystemVerilog as the tests take it."""
        if (self.kind, self.config) != ("tile", far_counters.CONFIG):
            return self.product
        copy = self.folder / self.product.name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(upset_port.added(far_counters.far(self.product.read_text()), self.top))
        return copy

    @property
    def folder(self) -> Path:
        """Where everything about its mutants is kept."""
        return paths.build() / "mutants" / f"{self.config}-{self.kind}"

    def fingerprint(self) -> str:
        """Hash of the design and of all that judges it."""
        text = hashlib.sha256(self.source.read_bytes())
        for folder in SOURCES_OF_A_RECORDING:
            for file in sorted((paths.root() / folder).rglob("*")):
                if file.suffix in (".py", ".cc"):
                    text.update(file.read_bytes())
        return text.hexdigest()

    def rows(self, shape: Shape) -> Path:
        """The recording of its tests, in the player's form; the tests run first if anything has changed."""
        file, stamp = self.folder / "recording.bin", self.folder / "recording.sha256"
        if not file.exists() or not stamp.exists() or stamp.read_text() != self.fingerprint():
            stamp.unlink(missing_ok=True)
            np.concatenate([recording.rows(shape) for recording in self._record(shape)]).tofile(file)
            stamp.write_text(self.fingerprint())
        return file

    def _record(self, shape: Shape) -> list[Recording]:
        """Run the tests. A core's leave a recording; those of others run on a copy of the project that records."""
        if self.kind == "core":
            self._test(paths.root(), paths.build())
            return [Recording.load(paths.build() / "conformance" / self.config / "traffic.npz")]
        copy = self.folder / "project"
        shutil.rmtree(copy, ignore_errors=True)
        copy.mkdir(parents=True)
        for part in paths.root().iterdir():
            if part.name != "build":
                (copy / part.name).symlink_to(part)
        shutil.copytree(paths.build() / "rtl", copy / "build" / "rtl", copy_function=os.symlink)
        catalogue = copy / "build" / "rtl" / "catalog.json"
        catalogue.unlink()
        shutil.copyfile(paths.catalog(), catalogue)  # newer than all: what is built is of this RTL
        recording = copy / "build" / "rtl" / self.config / self.product.name
        recording.unlink()
        recording.write_text(recorder.instrumented(self.product.read_text(), self.top, shape))
        self._test(copy, copy / "build")
        return [recorder.read(file, shape) for file in sorted(copy.rglob(recorder.FILE))]

    def _test(self, root: Path, build: Path) -> None:
        """The judges, on a build of the RTL. What a test simulates in its own process records where it runs."""
        tests = [paths.root() / test.format(config=self.config) for test in TESTS[self.kind]]
        environment = {"SLUICE_ROOT": str(root), "SLUICE_BUILD": str(build), "SLUICE_WIDTHS": "all"}
        log = self.folder / "tests.log"
        with log.open("w") as output:
            pytest = [sys.executable, "-m", "pytest", "-n0", "-c", str(paths.root() / "pyproject.toml")]
            done = subprocess.run(
                [*pytest, "--arrivals", str(ARRIVALS), *map(str, tests)],
                cwd=root,
                env=paths.environment() | environment,
                stdout=output,
                stderr=output,
                check=False,
            )
        if done.returncode:
            raise UserError(f"the tests of {self.config}'s {self.kind} fail without any mutant; see {log}")


def find(config: str, kind: str) -> Design:
    """The design of that kind of a configuration, or of a datapath, in the catalogue."""
    chosen = datapaths.find(config) if kind in PARTS else catalog.load().config(config)
    return Design(chosen.name, kind)
