# SPDX-License-Identifier: Apache-2.0
"""Records what a tile's own tests present to it and see of it, so that every mutant can be shown the same.

The recorder is Verilog, put into a copy of the design's source: the tests run on that copy and know nothing of it. The outputs
are those of the good design, which the tests find equal to the model: a recording of tests that fail is not used. Which of
them count is what the tests look at and no more.

The inputs stay as recorded whatever a mutant answers. So where a test only waits for an answer, as for that of a register, a
mutant that gives the right one in another clock counts as killed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from sluice.faults.mutants.recording import WORD, Array, Columns, Layout, Recording, Shape, port_words
from sluice.synthesis import harness

FILE = "recording.hex"
"""Written into the working folder of the simulation."""

_VALID = re.compile(r"(.*)valid$")


def instrumented(source: str, top: str, shape: Shape) -> str:
    """The source with the recorder in its top module."""
    start = re.search(rf"^module {top}\b", source, re.MULTILINE)
    if not start:
        raise ValueError(f"no module {top}")
    end = source.index("endmodule", start.start())
    row = f"{_row(shape.inputs)}, {_row(shape.outputs)}"
    recorder = f"""\
  integer recording;
  initial recording = $fopen("{FILE}", "w");
  always @(posedge clk) $fwrite(recording, "%h %h\\n", {row});
"""
    return source[:end] + recorder + source[end:]


def _row(layout: Layout) -> str:
    """The ports side by side, the first one lowest, each filled up to whole words."""
    parts = [
        f"{{{port_words(port) * WORD - port.width}'b0, {port.name}}}" if port.width % WORD else port.name
        for port in layout.ports
    ]
    spare = layout.words - sum(map(port_words, layout.ports))
    return "{" + ", ".join([f"{spare * WORD}'b0"] * (spare > 0) + parts[::-1]) + "}"


def read(file: Path, shape: Shape) -> Recording:
    """What was recorded."""
    inputs, outputs = shape.inputs.words, shape.outputs.words
    text = np.frombuffer(file.read_bytes(), dtype=np.uint8)
    length = 8 * (inputs + outputs) + 2
    digits = text[: len(text) // length * length].reshape(-1, length)  # a last row may be cut short
    given = shape.inputs.columns(_words(digits[:, : 8 * inputs]))
    seen = shape.outputs.columns(_words(digits[:, 8 * inputs + 1 : -1]))
    return Recording(given, seen, masks(given, seen))


def _words(digits: Array) -> Array:
    values = np.where(digits < ord("a"), digits - ord("0"), digits - ord("a") + 10).astype(np.uint8)
    octets = np.ascontiguousarray(values[:, 0::2] << 4 | values[:, 1::2])
    return octets.view(">u4")[:, ::-1].astype(np.uint32)


def masks(given: Columns, seen: Columns) -> Columns:
    """Where each output counts: nowhere in reset, what goes with a `valid` while that is high, everything else always."""
    running = _is_running(given)
    counts: Columns = {}
    for name in seen:
        valid = guard(name, seen)
        counts[name] = running & (seen[valid] == 1) if valid else running
    return counts


def guard(name: str, outputs: Iterable[str]) -> str | None:
    """The `valid` that an output goes with: the one that has the rest of its name in common with the output's beginning."""
    if _VALID.match(name):
        return None
    found = (output for output in outputs if (match := _VALID.match(output)) and name.startswith(match[1]))
    return next(found, None)


def _is_running(given: Columns) -> Array:
    """From the first reset on, where there is none."""
    (reset,) = (given[name] == 1 for name in harness.RESET_NAMES if name in given)
    running: Array = np.logical_or.accumulate(reset) & ~reset
    return running
