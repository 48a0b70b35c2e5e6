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

from sluice import catalog, paths
from sluice.errors import UserError
from sluice.mutants import far_counters, recorder
from sluice.mutants.recording import Recording, Shape

TESTS = {
    "core": "cocotb-tests/cores/test_conformance.py::test_traffic[{config}]",
    "tile": "cocotb-tests/tile/test_tile.py::test_tile[{config}]",
}
"""The judges of each kind of design."""

SOURCES_OF_A_RECORDING = ("cocotb-tests", "sim/golden", "sw/sluice/mutants", "sw/sluice/synthesis")


@dataclass(frozen=True)
class Design:
    """The core or the tile of a configuration."""

    config: str
    kind: str

    @property
    def top(self) -> str:
        """Its Verilog module."""
        return f"sluice_{self.kind}_{self.config.replace('-', '_')}"

    @property
    def product(self) -> Path:
        """Its SystemVerilog."""
        return paths.made(paths.build() / "rtl" / self.config / f"{self.top}.sv")

    @property
    def source(self) -> Path:
        """Its SystemVerilog as the tests take it."""
        if (self.kind, self.config) != ("tile", far_counters.CONFIG):
            return self.product
        copy = self.folder / self.product.name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(far_counters.far(self.product.read_text()))
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
        """Run the tests. A core's leave a recording; a tile's, which are cocotb's, run on a copy of the build that records."""
        if self.kind == "core":
            self._test(paths.build())
            return [Recording.load(paths.build() / "conformance" / self.config / "traffic.npz")]
        copy = self.folder / "build"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(paths.build() / "rtl", copy / "rtl", copy_function=os.symlink)
        recording = copy / "rtl" / self.config / f"{self.top}.sv"
        recording.unlink()
        recording.write_text(recorder.instrumented(self.product.read_text(), self.top, shape))
        self._test(copy)
        return [recorder.read(file, shape) for file in sorted(copy.rglob(recorder.FILE))]

    def _test(self, build: Path) -> None:
        """The judges, on a build of the RTL."""
        tests = TESTS[self.kind].format(config=self.config)
        log = self.folder / "tests.log"
        with log.open("w") as output:
            done = subprocess.run(
                [sys.executable, "-m", "pytest", "-n0", tests],
                cwd=paths.root(),
                env=paths.environment() | {"SLUICE_BUILD": str(build)},
                stdout=output,
                stderr=output,
                check=False,
            )
        if done.returncode:
            raise UserError(f"the tests of {self.config}'s {self.kind} fail without any mutant; see {log}")


def find(config: str, kind: str) -> Design:
    """The design of that kind of a configuration in the catalogue."""
    return Design(catalog.load().config(config).name, kind)
