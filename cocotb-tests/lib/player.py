# SPDX-License-Identifier: Apache-2.0
"""Plays long stimuli on a generated module without Python in the loop: arrays in, arrays out.

For benches whose inputs do not depend on the outputs; the others are cocotb's.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lib.simulation import BENCHES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

RESET_CYCLES = 4


class Player:
    """One Verilated module with named 32-bit inputs and outputs."""

    def __init__(self, source: Path, inputs: Sequence[str], outputs: Sequence[str]) -> None:
        self.inputs = ["rst", *inputs]
        self.outputs = list(outputs)
        self.folder = BENCHES / f"player-{source.stem}"
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / "lock").open("w") as lock:  # two workers may want the same module
            fcntl.flock(lock, fcntl.LOCK_EX)
            self._build(source)

    def _build(self, source: Path) -> None:
        ports = [f"INPUT({name})" for name in self.inputs] + [f"OUTPUT({name})" for name in self.outputs]
        self._write("ports.h", "\n".join(ports) + "\n")
        verilator = shutil.which("verilator")
        assert verilator, "no Verilator on the path"
        command = [verilator, "--cc", "--exe", "--build", "-O3", "--x-initial", "fast", "--noassert"]
        command += ["-Wno-fatal", "-Wno-lint", "--prefix", "Vtop", "--top-module", source.stem, "-o", "player"]
        command += ["-CFLAGS", f"-I{self.folder}", "--Mdir", str(self.folder)]
        command += ["-MAKEFLAGS", "OPT_FAST=-O1 OPT_SLOW=-O0"]  # compiling costs more than running
        command += [str(source), str(Path(__file__).with_name("player.cc"))]
        built = subprocess.run(command, capture_output=True, text=True, check=False)
        assert built.returncode == 0, built.stdout + built.stderr

    def _write(self, name: str, text: str) -> None:
        file = self.folder / name
        if not file.exists() or file.read_text() != text:
            file.write_text(text)

    def play(self, stimulus: Mapping[str, np.ndarray], cycles: int) -> dict[str, np.ndarray]:
        """Inputs that are not given are 0. A reset of RESET_CYCLES comes before row 0; the response starts with row 0."""
        rows = np.zeros((RESET_CYCLES + cycles, len(self.inputs)), dtype=np.uint32)
        rows[:RESET_CYCLES, 0] = 1
        unknown = stimulus.keys() - set(self.inputs)
        assert not unknown, f"no such inputs: {unknown}"
        for i, name in enumerate(self.inputs):
            if name in stimulus:
                rows[RESET_CYCLES:, i] = stimulus[name]
        given, taken = (self.folder / f"{name}-{os.getpid()}.bin" for name in ("stimulus", "response"))
        rows.tofile(given)
        subprocess.run([str(self.folder / "player"), str(given), str(taken)], check=True)
        response = np.fromfile(taken, dtype=np.uint32).reshape(len(rows), len(self.outputs))
        given.unlink()
        taken.unlink()
        return {name: response[RESET_CYCLES:, i] for i, name in enumerate(self.outputs)}
