# SPDX-License-Identifier: Apache-2.0
"""The waveform of the clocks around something, of all signals within a module, with what shows it in GTKWave and in Surfer.

`pytest --waves` asks for one of every core that a bench checks: around the first mismatch, or around the last verdict of a run
that has none, or around the cycle that `--waves-at` says. A clock is a nanosecond, and cycle N of a bench stands at
N + RESET_CYCLES ns.

Beside the waveform lie a save file for GTKWave (`gtkwave core.gtkw`) and a command file for Surfer (`surfer --command-file
core.sucl`). Both show the module's own signals: its ports by what they belong to, then each stage of its pipelines, then its
state.
"""

from __future__ import annotations

import os
import re
import subprocess
from typing import TYPE_CHECKING

from lib.simulation import BUILD

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

AROUND = 200
"""Clocks that a waveform shows, three quarters of them before the one that it is about."""

Signal = tuple[str, int]
"""Name and width."""

_PORT = re.compile(r"^  (?:input|output) +(?:wire|reg|logic) +(?:\[(\d+):0\])? *(\w+),?$", re.MULTILINE)
_INNER = re.compile(r"^  (?:wire|reg|logic) +(?:\[(\d+):0\])? *([a-zA-Z]\w*) *(?:=.*)?;", re.MULTILINE)
_STAGE = re.compile(r"(stage|head)(\d+)_")


def lacking() -> str:
    """What the system lacks for them, as a sentence; nothing, if all is there."""
    done = subprocess.run(
        ["g++", "-E", "-x", "c++", "-"], input="#include <lz4.h>\n", text=True, capture_output=True, check=False
    )
    return "waveforms need the header lz4.h; on Debian: apt-get install liblz4-dev" if done.returncode else ""


def are_asked_for() -> bool:
    """Whether this run of the tests leaves waveforms."""
    return "SLUICE_WAVES" in os.environ


def asked_cycle() -> int | None:
    """The cycle around which they were asked for; None: whatever the run is about."""
    asked = os.environ.get("SLUICE_WAVES")
    return int(asked) if asked else None


def rows_around(row: int, rows: int) -> range:
    """The clocks to be shown of so many."""
    first = max(0, min(row - AROUND * 3 // 4, rows - AROUND))
    return range(first, min(rows, first + AROUND))


def place(module: str) -> Path:
    """Where the waveform of a module goes: a folder for each test, whose last run stays."""
    test = os.environ.get("PYTEST_CURRENT_TEST", "by-hand").split(" ")[0]
    folder = BUILD / "waves" / re.sub(r"[^\w.-]+", "-", test.rpartition("/")[2]).strip("-")
    folder.mkdir(parents=True, exist_ok=True)
    return folder / f"{module}.fst"


def groups(source: Path) -> dict[str, list[Signal]]:
    """Signals of the module that is named like its file, by the title under which they are shown."""
    body = re.search(rf"^module {source.stem} \((.*?)^endmodule", source.read_text(), re.MULTILINE | re.DOTALL)
    assert body, f"{source} has no module {source.stem}"
    found: dict[str, list[Signal]] = {}
    for high, name in _PORT.findall(body[1]):
        title = name.partition("_")[0] if "_" in name else "clock"
        found.setdefault(title, []).append((name, int(high or 0) + 1))
    stages: dict[tuple[str, int], list[Signal]] = {}
    state: list[Signal] = []
    for high, name in _INNER.findall(body[1]):
        stage = _STAGE.match(name)
        kind = stages.setdefault((stage[1], int(stage[2])), []) if stage else state
        kind.append((name, int(high or 0) + 1))
    found |= {f"{kind} {number}": stages[kind, number] for kind, number in sorted(stages)}
    return found | ({"state": state} if state else {})


def write_views(fst: Path, source: Path, row: int) -> None:
    """The files for GTKWave and Surfer beside a waveform, with a marker at the clock that it is about."""
    grouped = groups(source)
    fst.with_suffix(".gtkw").write_text("\n".join(_gtkwave(fst, source.stem, grouped, row)) + "\n")
    fst.with_suffix(".sucl").write_text("\n".join(_surfer(fst, source.stem, grouped, row)) + "\n")


def _gtkwave(fst: Path, module: str, grouped: dict[str, list[Signal]], row: int) -> Iterator[str]:
    """Flags before each line: 0x800200 and 0x1000200 open and close a group (a blank trace), 0x22 is a hexadecimal value."""
    yield f'[dumpfile] "{fst.resolve()}"'
    yield f"*-13.0 {1000 * row}" + " -1" * 26
    for title, signals in grouped.items():
        yield from ("@800200", f"-{title}", "@22")
        yield from (f"TOP.{module}.{name}" + (f"[{width - 1}:0]" if width > 1 else "") for name, width in signals)
        yield from ("@1000200", f"-{title}")


def _surfer(fst: Path, module: str, grouped: dict[str, list[Signal]], row: int) -> Iterator[str]:
    yield f"load_file {fst.resolve()}"
    for title, signals in grouped.items():
        yield f"divider_add {title}"
        yield from (f"variable_add TOP.{module}.{name}" for name, _ in signals)
    yield from (f"cursor_set {1000 * row}", "zoom_fit")
