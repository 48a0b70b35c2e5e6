# SPDX-License-Identifier: Apache-2.0
"""A server of registers for tests, with Verilated datapaths behind it, and a client that speaks the bare protocol."""

from __future__ import annotations

import itertools
import socket
import struct
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import pytest
from built import built

from sluice.support import paths

HELLO, ACCESS, LOCK, UNLOCK = range(4)
DONE, REFUSED, MALFORMED, LOCKED, GONE, PROTOCOL = range(6)
COMMIT, BROKEN_RULES, SNAPSHOT, DIGEST, FORCE = 0x18, 0x1C, 0x20, 0x24, 0x800

WAIT_S = 20
"""Until a test gives up; nothing here takes a tenth of it."""


def write(address: int) -> int:
    """The address of a write in MIXED."""
    return address | 1 << 31


@dataclass(frozen=True)
class Answer:
    """An answer's parts."""

    op: int
    status: int
    tag: int
    words: tuple[int, ...]


class Wire:
    """A connection."""

    def __init__(self, path: Path, *, greets: bool = True) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._socket.settimeout(WAIT_S)
        self._socket.connect(str(path))
        self._tags = itertools.count(1)
        if greets:
            assert self.ask(HELLO, [(0, 1)]).status == DONE

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Go without a word."""
        self._socket.close()

    def send(self, op: int, pairs: Sequence[tuple[int, int]] = (), direction: int = 0) -> int:
        """Send a request and return its tag."""
        tag = next(self._tags)
        words = [word for pair in pairs for word in pair]
        self.send_raw(struct.pack(f"<BBHI{len(words)}I", op, direction, len(pairs), tag, *words))
        return tag

    def send_raw(self, message: bytes) -> None:
        """Send anything."""
        self._socket.send(message)

    def hear(self) -> Answer:
        """The next answer; EOFError when the server has gone."""
        data = self._socket.recv(4096)
        if not data:
            raise EOFError
        op, status, done, tag = struct.unpack_from("<BBHI", data)
        assert len(data) == 8 + 4 * done
        return Answer(op, status, tag, struct.unpack_from(f"<{done}I", data, 8))

    def ask(self, op: int, pairs: Sequence[tuple[int, int]] = (), direction: int = 0) -> Answer:
        """Send a request and hear the answer to it."""
        tag = self.send(op, pairs, direction)
        answer = self.hear()
        assert (answer.op, answer.tag) == (op | 0x80, tag)
        return answer

    def read(self, *addresses: int, direction: int = 0) -> tuple[int, ...]:
        """Words at these addresses."""
        answer = self.ask(ACCESS, [(address, 0) for address in addresses], direction)
        assert answer.status == DONE
        return answer.words

    def write(self, *words: tuple[int, int], direction: int = 0) -> None:
        """Write these words to these addresses."""
        assert self.ask(ACCESS, [(write(address), word) for address, word in words], direction).status == DONE


def until(holds: Callable[[], bool]) -> None:
    """Asks until it holds, for so long as nothing here takes."""
    end = time.monotonic() + WAIT_S
    while not holds():
        assert time.monotonic() < end


class Host:
    """The server's process."""

    def __init__(self, program: Path, path: Path, libraries: Sequence[Path]) -> None:
        self.path = path
        self.process = subprocess.Popen(
            [program, path, *libraries], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        assert self.said() == "ready"

    def said(self) -> str:
        """The next line that it prints."""
        return self.process.stdout.readline().rstrip("\n")

    def order(self, line: str) -> None:
        """Have it do something: see registers-host.cc."""
        self.process.stdin.write(line + "\n")
        assert self.said() == "ok"

    def close(self) -> int:
        """Let it end, and return its status."""
        self.process.communicate(timeout=WAIT_S)
        return self.process.returncode


Serve = Callable[..., Host]
"""Starts a server with datapaths of these names."""


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Starts a server with these datapaths; it must end without a fault."""
    with ExitStack() as stack:

        def start(*datapaths: str) -> Host:
            # Not tmp_path: an address has room for 107 characters.
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="sluice-")))
            program = built(paths.build() / "sanitize" / "live" / "registers-host")
            libraries = [built(paths.models() / name / "libsluice_datapath.so") for name in datapaths]
            host = Host(program, folder / "socket", libraries)
            stack.callback(lambda: _end(host))
            return host

        yield start


def _end(host: Host) -> None:
    assert host.process.poll() is not None or host.close() == 0
