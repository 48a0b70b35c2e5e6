# SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
"""What `make sanitize` does at length, in short: a tile and a datapath that watch their own memory and arithmetic, at work."""

from __future__ import annotations

import fcntl
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from sluice.support import paths

ROOT = paths.root()
TILE = "build/sanitize/droptail/libsluice_tile.so"
DATAPATH = "build/sanitize/red-64/libsluice_datapath.so"

DRIVE = f"""
import dataclasses, sys
from pathlib import Path
import numpy as np
from sluice.packets import capture
from sluice.packets.datapath import Datapath
model = Datapath(Path("{DATAPATH}"))
came = capture.read(Path(sys.argv[1]))
came = dataclasses.replace(came, data=came.data.copy())  # whose end is an end of the heap's
try:
    model.read(0x7FC)
except ValueError:
    pass
at = np.arange(len(came), dtype=np.uint64) * np.uint64(500)
outcome = model.replay(came, at, lambda _: None)
assert outcome.output.tobytes() == came.data.tobytes()
model.close()
"""


def sanitized(*command: str) -> subprocess.CompletedProcess[str]:
    """A command to its end, with models that watch themselves."""
    return subprocess.run(["sim/sanitized", *command], cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module", autouse=True)
def _built() -> None:
    command = ["make", "-s", TILE, DATAPATH, "build/model/tile-bench"]
    with (paths.build() / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        made = subprocess.run(command, cwd=ROOT, env=paths.environment(), capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr


def test_tile() -> None:
    """Tiles at every place in a page of the heap: arrivals beyond what the link takes, and departures."""
    done = sanitized("build/model/tile-bench", TILE, "20")
    assert done.returncode == 0, done.stderr
    assert not done.stderr


def test_datapath(tmp_path: Path) -> None:
    """Frames of every length that matters to 8 lanes, and one of no use; a register that is not there."""
    frames = [bytes(range(12)) + b"\x08\x00\x45" + bytes(length) for length in (*range(40, 60), 1485, 1, 9000)]
    head = struct.pack("<I2H4I", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)
    records = (struct.pack("<4I", 1, i, len(f), len(f)) + f for i, f in enumerate(frames))
    (tmp_path / "made.pcap").write_bytes(head + b"".join(records))
    done = sanitized(sys.executable, "-c", DRIVE, str(tmp_path / "made.pcap"))
    assert done.returncode == 0, done.stderr
    assert not done.stderr


def test_a_fault_is_told(tmp_path: Path) -> None:
    """A write beyond an array of the heap ends in a report and status 1, whatever the program makes of it."""
    program = tmp_path / "broken"
    source = tmp_path / "broken.cc"
    source.write_text("int main(int n, char**) { volatile char* a = new char[n]; a[n] = 1; return 0; }\n")
    subprocess.run(["g++", "-fsanitize=address", "-o", program, source], check=True)
    done = sanitized("sh", "-c", f"{program} || true")
    assert done.returncode == 1
    assert "heap-buffer-overflow" in done.stderr
