# SPDX-License-Identifier: Apache-2.0
"""Plays long stimuli on a generated module without Python in the loop: arrays in, arrays out.

For benches whose inputs do not depend on the outputs; the others are cocotb's.
"""

from __future__ import annotations

import fcntl
import functools
import os
import re
import shutil
import subprocess
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lib.memories import played
from lib.simulation import BENCHES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

RESET_CYCLES = 4
_WORD = 32
_FLAGS = ("-std=c++20", "-O1", "-w", "-DVM_SC=0", "-DVM_COVERAGE=0", "-DVM_TRACE=0")


@dataclass(frozen=True, slots=True)
class Port:
    """A port of a module, as the generator writes it."""

    name: str
    is_input: bool
    width: int

    @property
    def words(self) -> int:
        """32-bit words that it takes in a row."""
        return -(-self.width // _WORD)

    @property
    def type(self) -> np.dtype:
        """The narrowest type that holds it."""
        return np.dtype(next(t for t in (np.uint8, np.uint16, np.uint32, np.uint64) if 8 * t().itemsize >= self.width))


def ports_of(source: Path) -> list[Port]:
    """The ports of the module that is named like its file, but for the clock. None is wider than 64 bits."""
    head = re.search(rf"^module {source.stem} \((.*?)^\);", source.read_text(), re.MULTILINE | re.DOTALL)
    assert head, f"{source} has no module {source.stem}"
    found = re.findall(r"^  (input|output) +(?:wire|reg) +(?:\[(\d+):0\])? *(\w+),?$", head[1], re.MULTILINE)
    return [Port(name, way == "input", int(high or 0) + 1) for way, high, name in found if name != "clk"]


def _call(*command: str | Path) -> str:
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command[0]} failed:\n{done.stdout}{done.stderr}"
    return done.stdout


def _verilator() -> str:
    found = shutil.which("verilator")
    assert found, "no Verilator on the path"
    return found


@functools.cache
def _includes() -> list[str]:
    root = Path(_call(_verilator(), "--getenv", "VERILATOR_ROOT").strip())
    return [f"-I{root / 'include'}", f"-I{root / 'include' / 'vltstd'}"]


def _runtime() -> list[Path]:
    """Verilator's own part of every model, compiled once for all."""
    folder = BENCHES / "player-runtime"
    folder.mkdir(parents=True, exist_ok=True)
    objects = [folder / f"{name}.o" for name in ("verilated", "verilated_threads")]
    with _locked(folder):
        for made in objects:
            source = Path(_includes()[0].removeprefix("-I")) / f"{made.stem}.cpp"
            if not made.exists() or made.stat().st_mtime < source.stat().st_mtime:
                _call("g++", *_FLAGS, *_includes(), "-c", source, "-o", made)
    return objects


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Two workers may want the same thing made."""
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


class Player:
    """One Verilated module. `name` tells broken copies of a module from the module."""

    def __init__(self, source: Path, name: str = "") -> None:
        ports = ports_of(source)
        self.inputs = [port for port in ports if port.is_input]
        self.outputs = [port for port in ports if not port.is_input]
        self.folder = BENCHES / f"player-{name or source.stem}"
        self.folder.mkdir(parents=True, exist_ok=True)
        with _locked(self.folder):
            self._build(played(source, self.folder / "played"))

    def _build(self, source: Path) -> None:
        binary, main = self.folder / "player", Path(__file__).with_name("player.cc")
        if binary.exists() and binary.stat().st_mtime > max(file.stat().st_mtime for file in (source, main)):
            return
        lines = [f"INPUT({port.name})" for port in self.inputs] + [f"OUTPUT({port.name})" for port in self.outputs]
        (self.folder / "ports.h").write_text("\n".join(lines) + "\n")
        made = self.folder / "verilated"
        shutil.rmtree(made, ignore_errors=True)
        _call(
            *(_verilator(), "--cc", "-O3", "--x-initial", "fast", "--noassert", "-Wno-fatal", "-Wno-lint"),
            *("--prefix", "Vtop", "--top-module", source.stem, "--Mdir", made, source),
        )
        # One file is compiled sooner than ten; and it takes longer to compile than it runs, so what runs once, Verilator's
        # "Slow", is not optimized.
        files = sorted(made.glob("Vtop*.cpp"))
        once = [file for file in files if file.stem.endswith("Slow")]
        lines = [f'#include "{file}"' for file in [main, *(file for file in files if file not in once)]]
        lines += ['#pragma GCC optimize("O0")', *(f'#include "{file}"' for file in once)]
        whole = made / "all.cc"
        whole.write_text("\n".join(lines) + "\n")
        _call(
            "g++", *_FLAGS, f"-I{made}", f"-I{self.folder}", *_includes(), whole, *_runtime(), "-pthread", "-o", binary
        )

    def run(self, inputs: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """What the outputs are in each row of the inputs. Inputs that are not given are 0."""
        unknown = inputs.keys() - {port.name for port in self.inputs}
        assert not unknown, f"no such inputs: {unknown}"
        rows = np.zeros((len(next(iter(inputs.values()))), sum(port.words for port in self.inputs)), dtype=np.uint32)
        at = 0
        for port in self.inputs:
            if port.name in inputs:
                column = inputs[port.name].astype(np.uint64)
                for word in range(port.words):
                    rows[:, at + word] = (column >> np.uint64(_WORD * word)) & np.uint64(2**_WORD - 1)
            at += port.words

        given, taken = (self.folder / f"{name}-{os.getpid()}.bin" for name in ("stimulus", "response"))
        rows.tofile(given)
        subprocess.run([str(self.folder / "player"), str(given), str(taken)], check=True)
        answers = np.fromfile(taken, dtype=np.uint32).reshape(len(rows), -1)
        given.unlink()
        taken.unlink()

        seen, at = {}, 0
        for port in self.outputs:
            column = answers[:, at].astype(port.type)
            for word in range(1, port.words):
                column |= answers[:, at + word].astype(port.type) << np.uint64(_WORD * word)
            seen[port.name], at = column, at + port.words
        return seen

    def play(self, inputs: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """The same with a reset of RESET_CYCLES before row 0."""
        begun = {name: np.concatenate([np.zeros(RESET_CYCLES, c.dtype), c]) for name, c in inputs.items()}
        if any(port.name == "rst" for port in self.inputs):
            rows = len(next(iter(begun.values())))
            begun["rst"] = begun.get("rst", np.zeros(rows)) + (np.arange(rows) < RESET_CYCLES)
        return {name: column[RESET_CYCLES:] for name, column in self.run(begun).items()}
