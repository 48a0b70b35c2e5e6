# SPDX-License-Identifier: Apache-2.0
"""A guest's files as Linux takes them at its start: `initramfs.py OUTPUT NAME=FILE...`, all of them programs."""

from __future__ import annotations

import sys
from pathlib import Path

_EXECUTABLE, _CONSOLE = 0o100755, 0o020600


def _entry(name: str, mode: int, data: bytes = b"", device: tuple[int, int] = (0, 0)) -> bytes:
    """One of the archive format newc: 13 hexadecimal numbers, name and data, both to multiples of four bytes."""
    numbers = (0, mode, 0, 0, 1, 0, len(data), 0, 0, *device, len(name) + 1, 0)
    head = b"070701" + "".join(f"{number:08x}" for number in numbers).encode() + name.encode() + b"\0"
    return head + bytes(-len(head) % 4) + data + bytes(-len(data) % 4)


def archive(files: dict[str, bytes]) -> bytes:
    """With a console, which the kernel's first program writes to."""
    entries = [_entry("dev", 0o040755), _entry("dev/console", _CONSOLE, device=(5, 1))]
    entries += [_entry(name, _EXECUTABLE, data) for name, data in files.items()]
    return b"".join(entries) + _entry("TRAILER!!!", 0)


if __name__ == "__main__":
    output, *pairs = sys.argv[1:]
    Path(output).write_bytes(
        archive({name: Path(file).read_bytes() for name, file in (pair.split("=") for pair in pairs)})
    )
