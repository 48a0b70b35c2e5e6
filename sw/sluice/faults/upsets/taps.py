# SPDX-License-Identifier: Apache-2.0
"""The registers and memories of generated SystemVerilog, and how Verilator makes them reachable."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_MODULE = re.compile(r"\s*module (\w+)")
_DECLARED = re.compile(
    r"\s*(?:\(\*.*?\*\)\s*)?(?:output\s+)?(?:reg|logic)\s+(?:\[(\d+):0\])?\s*(\w+)\s*(?:\[0:(\d+)\]|\[(\d+):0\])?\s*[;,]?\s*$"
)
_BLOCK = re.compile(r"\s*(always\w*|assign|initial|function|endmodule)\b")
_WRITTEN = re.compile(r"\s*(?:\w+\s*:\s*)?(?:if\(.*\) )?(\w+)\s*(?:\[.*?\]\s*)*<=\s")


@dataclass(frozen=True)
class Tap:
    """A register, or a memory of more than one word; a table is a memory that nothing writes."""

    module: str
    name: str
    bits: int
    words: int
    is_table: bool
    line: int
    """Of its declaration in the SystemVerilog."""


def find(verilog: str) -> list[Tap]:
    """All that keeps a state."""
    declared: dict[tuple[str, str], tuple[int, int, int]] = {}
    written: set[tuple[str, str]] = set()
    module, is_clocked = "", False
    for number, line in enumerate(verilog.splitlines(), 1):
        if begun := _MODULE.match(line):
            module = begun[1]
        elif found := _DECLARED.match(line):
            high, name, last, depth = found.groups()
            declared[module, name] = (int(high or 0) + 1, int(last or depth or 0) + 1, number)
        if block := _BLOCK.match(line):
            is_clocked = block[1].startswith("always") and "posedge" in line
        elif is_clocked and (found := _WRITTEN.match(line)):
            written.add((module, found[1]))
    return [
        Tap(*place, bits, words, place not in written, line)
        for place, (bits, words, line) in declared.items()
        if place in written or words > 1
    ]


def directives(taps: Sequence[Tap]) -> Iterator[str]:
    """Lines of a Verilator configuration that make them public."""
    yield "`verilator_config"
    for tap in taps:
        yield f'public_flat_rw -module "{tap.module}" -var "{tap.name}"'


def on_both_edges(verilog: str) -> str:
    """The same design in which either edge of the clock is one, as it is simulated faster."""
    return verilog.replace("posedge clk", "edge clk")
