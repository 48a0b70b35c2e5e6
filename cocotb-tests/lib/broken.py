# SPDX-License-Identifier: Apache-2.0
"""Deliberately broken copies of generated designs, one small fault each: what a suite must notice."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lib.files import kept
from lib.player import Player
from lib.simulation import BENCHES, core_source

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Fault:
    """Every match of a pattern in the text of a configuration's core, or of a block, replaced. `within`: arrivals after which it
    must have been noticed."""

    config: str
    name: str
    pattern: str
    replacement: str | Callable[[re.Match[str]], str]
    within: int

    def player(self, block: Path | None = None) -> Player:
        """The broken core, or block."""
        source = block or core_source(self.config)
        text, count = re.subn(self.pattern, self.replacement, source.read_text())
        assert count, f"{source.name} has nothing like {self.pattern!r}"
        copy = kept(BENCHES / "broken" / f"{self.config}-{self.name}" / source.name, text)
        return Player(copy, f"broken-{self.config}-{self.name}", level=0)


@dataclass(frozen=True, slots=True)
class Choice:
    """A fault of a tile's top module that a copy of it has on demand: an expression, the second of a pattern's three groups,
    gives way to another one, which may name it as `{}`."""

    name: str
    pattern: str
    instead: str


def told(port: str) -> str:
    """The pattern of what is told on an input port of a module within the tile."""
    return rf"(\.{port} +\()(\S+)( *\), //i)"


def with_choices(source: Path, choices: Sequence[Choice]) -> str:
    """The text of a tile in which `+fault=1` is the first fault, and nothing or 0 is none."""
    text = source.read_text()
    begin = re.search(rf"^module {source.stem} \(.*?^\);\n", text, re.MULTILINE | re.DOTALL)
    assert begin, f"{source} has no module {source.stem}"
    end = text.index("endmodule", begin.end())
    body = text[begin.end() : end]
    for number, choice in enumerate(choices, 1):

        def chosen(match: re.Match[str], number: int = number, choice: Choice = choice) -> str:
            return f"{match[1]}((fault == {number}) ? ({choice.instead.format(match[2])}) : ({match[2]})){match[3]}"

        body, count = re.subn(choice.pattern, chosen, body)
        assert count, f"{source.name} has nothing like {choice.pattern!r}"
    fault = '  integer fault;\n  initial if (!$value$plusargs("fault=%d", fault)) fault = 0;\n'
    return text[: begin.end()] + fault + body + text[end:]


def scaled(table: str, factor: float, mantissa_bits: int) -> tuple[str, Callable[[re.Match[str]], str]]:
    """All entries of a memory, or rather their lowest bits, times a factor: pattern and replacement."""

    def entry(match: re.Match[str]) -> str:
        word = int(match[2], 2)
        mantissa = word & ((1 << mantissa_bits) - 1)
        return f"{match[1]}{word - mantissa + round(mantissa * factor):0{len(match[2])}b}"

    return rf"({table}\[\d+\] = \d+'b)([01]+)", entry
