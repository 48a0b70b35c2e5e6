# SPDX-License-Identifier: Apache-2.0
"""The C driver as a process that calls it word for word: driver-shell.c."""

from __future__ import annotations

import errno
import os
import subprocess
from pathlib import Path
from typing import Self

from built import built

from sluice.support import paths

COMPILERS = ("gcc", "clang", "g++", "clang++")


class Shell:
    """A process with one handle; it must end without a fault."""

    def __init__(self, compiler: str = "gcc") -> None:
        program = built(paths.build() / "driver" / compiler / "driver-shell")
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.communicate(timeout=30)
        assert self.process.returncode in (0, -9)

    def ask(self, *words: object) -> tuple[str, str]:
        """Make a call: the error's name, "" if there is none, and what was given or said."""
        self.tell(*words)
        return self.hear()

    def tell(self, *words: object) -> None:
        """Make a call, and do not wait for it."""
        self.process.stdin.write(" ".join(map(str, words)) + "\n")

    def hear(self) -> tuple[str, str]:
        """What came of a call."""
        error, _, text = self.process.stdout.readline().rstrip("\n").partition(" ")
        return (errno.errorcode[-int(error)] if int(error) else ""), text

    def get(self, *words: object) -> str:
        """Make a call that must not fail."""
        error, text = self.ask(*words)
        assert not error, (words, error, text)
        return text

    def open(self, path: Path, datapath: str = "red-64") -> Self:
        """Have a handle of a socket, with the datapath's map."""
        self.get("open", f"unix:{os.fspath(path)}")
        self.get("bind", datapath)
        return self
