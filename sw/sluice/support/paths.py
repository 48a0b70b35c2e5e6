# SPDX-License-Identifier: Apache-2.0
"""Where things are in the project tree, and how a missing built file comes into being.

In the project's own .venv the package is installed in editable mode, so the tree is found from this file's own place; the
environment variable SLUICE_ROOT names another checkout, and SLUICE_MODELS another folder of Verilated models. A wheel has no
tree: it carries what the generator says of the hardware (setup.py), and all else is refused in one line.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import subprocess
import sys
from pathlib import Path

from sluice.support.errors import UserError

_PACKAGE = Path(__file__).resolve().parents[1]
_IN_TREE = (_PACKAGE.parents[1] / "rtl" / "configs.yaml").is_file()
"""Whether this file is the tree's, and not one that a wheel has laid somewhere."""


def root() -> Path:
    """Top folder of the project; a user error where there is none."""
    if named := os.environ.get("SLUICE_ROOT"):
        return Path(named)
    if _IN_TREE:
        return _PACKAGE.parents[1]
    raise UserError("this needs Sluice's source tree: clone it and run ./bootstrap, or let SLUICE_ROOT name a clone")


def build() -> Path:
    """Folder of everything generated; not under version control."""
    return root() / "build"


def _described() -> Path:
    """Folder of what the generator says of the hardware: the tree's own, or without a tree what the wheel carries."""
    if _IN_TREE or "SLUICE_ROOT" in os.environ:
        return build() / "rtl"
    return _PACKAGE / "hardware" / "generated"


def catalog() -> Path:
    """The generator's list of algorithms and configurations."""
    return _described() / "catalog.json"


def module(*words: str) -> str:
    """Name of a Verilog module, its file and its C table: of a name of the catalogue, or of `tile` or `core` and a name."""
    return "_".join(["sluice", *words]).replace("-", "_")


def tile_verilog(config: str) -> Path:
    """SystemVerilog of a configuration's tile."""
    return build() / "rtl" / config / f"{module('tile', config)}.sv"


def core_verilog(config: str) -> Path:
    """SystemVerilog of a configuration's bare core."""
    return build() / "rtl" / config / f"{module('core', config)}.sv"


def proof_verilog(name: str) -> Path:
    """SystemVerilog of a design to prove."""
    return build() / "rtl" / "proofs" / f"sluice_proof_{name}.sv"


def register_map(config: str) -> Path:
    """Register map of a configuration."""
    return _described() / config / "registers.json"


def models() -> Path:
    """Folder of the Verilated models."""
    return Path(os.environ.get("SLUICE_MODELS") or build() / "model")


def model(config: str) -> Path:
    """Verilated tile of a configuration, a shared library."""
    return models() / config / "libsluice_tile.so"


def tile_bench() -> Path:
    """Program that lets a bare Verilated tile judge packets."""
    return build() / "model" / "tile-bench"


def mincount_bench() -> Path:
    """Program that counts flows in software."""
    return build() / "model" / "mincount-bench"


def ns3_module() -> Path:
    """The simulator as a Python module of the worker."""
    return build() / "ns3" / "sluice_ns3.so"


def mutant_player() -> Path:
    """Source of the program that shows a recording to mutants of a design."""
    return root() / "sim" / "model" / "mutant-player.cc"


def worker() -> Path:
    """The process that runs one ns-3 simulation."""
    return root() / "sim" / "ns3" / "worker.py"


def environment() -> dict[str, str]:
    """The environment without what a surrounding make would tell an inner one."""
    return {key: value for key, value in os.environ.items() if not key.startswith(("MAKE", "MFLAGS"))}


def _is_stale(model: Path) -> bool:
    """Whether this is a Verilated model of other RTL than build/rtl holds now, for which it must not pass.

    Beside it lies what it was made of, as sha256sum prints it.
    """
    if model.suffix != ".so" or not model.is_relative_to(models()):
        return False
    stamp = model.with_name(f"{model.name}.rtl")
    lines = stamp.read_text().splitlines() if stamp.exists() else ["- nothing known"]
    files = {root() / name: digest for digest, name in (line.split(maxsplit=1) for line in lines)}
    return any(not f.exists() or hashlib.sha256(f.read_bytes()).hexdigest() != digest for f, digest in files.items())


def made(path: Path) -> Path:
    """The same path, after `make` has built it if it was not there, or was a Verilated model of other RTL than is there.

    One process builds at a time.
    """
    if path.exists() and not _is_stale(path):
        return path
    build().mkdir(parents=True, exist_ok=True)
    with (build() / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        target = path.relative_to(root())
        if _is_stale(path):
            # Its files' times may be older than the model's, and make would leave it.
            path.unlink(missing_ok=True)
        if not path.exists():
            print(f"building {target}, which may take minutes", file=sys.stderr, flush=True)
        try:
            done = subprocess.run(
                ["make", "-s", str(target)], cwd=root(), env=environment(), capture_output=True, check=False
            )
        except FileNotFoundError:
            raise UserError(f"{target} is not built and there is no make to build it") from None
        if done.returncode or not path.exists() or _is_stale(path):
            raise UserError(f"cannot build {target}; `make {target}` in {root()} shows why")
    return path
