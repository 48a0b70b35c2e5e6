# SPDX-License-Identifier: Apache-2.0
"""A Linux kernel in user mode, for as long as one script takes: it boots from the host's files and needs no privilege."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from sluice.support import paths
from sluice.support.errors import UserError

_PROGRAM = "linux.uml"
_MEMORY = "1G"  # sockets' buffers are in it
_WORDS = "rootfstype=hostfs rootflags=/ rw con=null con0=null,fd:1 ssl=null quiet"


@dataclass(frozen=True)
class Machine:
    """The kernel's program, and the folder of its modules."""

    program: Path
    modules: Path

    @property
    def version(self) -> str:
        """The kernel's, as its modules' folder is called."""
        return self.modules.name


def find(program: Path | None) -> Machine:
    """The kernel that was named, or the one on the path; its modules lie where Debian's package has them."""
    found = program or shutil.which(_PROGRAM)
    if not found or not Path(found).is_file():
        raise UserError(f"no {program or _PROGRAM} here; on Debian: apt-get install user-mode-linux, or --kernel FILE")
    path = Path(found).resolve()
    all_modules = path.parents[1] / "lib" / "uml" / "modules"
    version = _version(path)
    if not (all_modules / version / "kernel").is_dir():
        raise UserError(f"{path} has no modules in {all_modules} of the version that it says, '{version}'")
    return Machine(path, all_modules / version)


def _version(program: Path) -> str:
    """The last word of what a program says of its version."""
    command = [str(program), "--version"]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=10)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UserError(f"{program} does not say its version, so it is no kernel") from error
    return (done.stdout.decode(errors="replace").split() or [""])[-1]


def run(machine: Machine, lines: list[str], folder: Path, timeout_s: float) -> None:
    """Runs these lines of shell as the kernel's first process; the first that fails is the last, and a user error.

    In it `load NAME...` loads modules by their paths below `kernel`, and `guest` is the program of sim/linux.
    """
    folder.mkdir(parents=True, exist_ok=True)
    guest, registers = (
        paths.made(paths.build() / "linux" / name).resolve() for name in ("guest", "whole-registers.so")
    )
    script, done = folder.resolve() / "init", folder.resolve() / "done"
    done.unlink(missing_ok=True)
    script.write_text(
        f"""#!/bin/sh
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
mount -t proc proc /proc
guest() {{ '{guest}' "$@"; }}
load() {{ for name; do guest load '{machine.modules}/kernel/'"$name.ko" || return; done; }}
(
set -e
{chr(10).join(lines)}
: >'{done}'
)
guest off
"""
    )
    script.chmod(0o755)
    try:
        ran = subprocess.run(
            [machine.program, f"mem={_MEMORY}", *_WORDS.split(), f"init={script}"],
            env={**os.environ, "LD_PRELOAD": str(registers)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise UserError(f"the kernel did not end within {timeout_s:.0f} s; its script is {script}") from None
    if not done.exists():
        last = [line for line in ran.stdout.splitlines() if line.strip()][-3:]
        raise UserError(f"the kernel's script {script} failed: {' / '.join(last)}")
