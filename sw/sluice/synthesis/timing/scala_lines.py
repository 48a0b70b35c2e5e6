# SPDX-License-Identifier: Apache-2.0
"""Where a signal of the generated Verilog stands in Scala, found by its name.

SpinalHDL names hardware by what holds it: `descriptorRing.addresses_filled_payload` is the payload of `filled`, which an object
`addresses` has, in the module DescriptorRing. A module is a class of its name, a part of a name a `val` in it, in an area below
it or in the class that it is made of. The name is followed as far as it leads; where it ends in what a library made of a value (a
`payload`, a pipeline's register), the place is that value's.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from sluice.support import paths

SOURCES = Path("rtl/src/main/scala")

_CLASS = re.compile(r"^(?:[a-z]\w*(?:\[\w+\])? )*(?:class|trait|object) (\w+)")
_STAGE = re.compile(r"(?:stage|head)\d+")
_MADE_OF = re.compile(r"= *(?:new )?([A-Z]\w+)")
_MADE_BY = re.compile(r"= *([a-z]\w*)\(")
_PARENT = re.compile(r"\bextends (\w+)|\bwith (\w+)")
_INSTANCE = re.compile(r"^  (\w+) (\w+) \($", re.MULTILINE)
_TOPS = {"tile": "AqmTile", "core": "AqmCore"}
"""Classes of tops, which bear the configuration's name."""


@dataclass(frozen=True)
class Place:
    """A line of a source."""

    file: Path
    line: int

    def __str__(self) -> str:
        return f"{self.file.name}:{self.line}"


class ScalaLines:
    """The places of a generated design's signals."""

    def __init__(self, verilog: str, top: str) -> None:
        self.top = top
        self.instances: dict[str, dict[str, str]] = {}
        for module in re.split(r"^(?=module )", verilog, flags=re.MULTILINE):
            if head := re.match(r"module (\w+)", module):
                self.instances[head[1]] = {name: of for of, name in _INSTANCE.findall(module)}

    def place(self, signal: str) -> Place | None:
        """Of a signal by its hierarchical name in the flattened design; nothing if no source has a part of the name."""
        module, parts = self.top, signal.split(".")
        while len(parts) > 1 and parts[0] in self.instances.get(module, {}):
            module = self.instances[module][parts.pop(0)]
        return _followed(self._class_of(module), _words(parts[-1]))

    def _class_of(self, module: str) -> str:
        if module == self.top:
            return next((name for kind, name in _TOPS.items() if module.startswith(f"sluice_{kind}_")), "Datapath")
        return re.sub(r"_\d+$", "", module.removeprefix(f"{self.top}_"))


def _words(name: str) -> list[str]:
    """The parts of a signal's name: without its stage, the index of a bit, and what marks an expression without a name."""
    words = re.sub(r"\[\d+\]$", "", name).removeprefix("_zz_").split("_")
    joined: list[str] = []
    for word in words:
        if joined and word.isupper() and joined[-1].isupper():
            joined[-1] += f"_{word}"  # a payload's name: IS_ACTIVE
        elif not word.isdigit() and not _STAGE.fullmatch(word) and word:
            joined.append(word)
    return joined


def _followed(class_name: str, words: list[str]) -> Place | None:
    block = _block(class_name)
    if block is None:
        return None
    file, first, lines = block
    place, depth = Place(file, first), -1
    for at, word in enumerate(words):
        offset = place.line - first if depth >= 0 else 0
        found = _declared(lines, word, offset, depth)
        if found is None:
            inherited = [_followed(parent, words[at:]) for parent in _parents(lines[0])] if depth < 0 else []
            return next((p for p in inherited if p is not None and p.line != (_block_line(p) or 0)), place)
        depth = len(lines[found]) - len(lines[found].lstrip())
        place = Place(file, first + found)
        if at + 1 < len(words) and (inner := _within(lines, found, class_name, words[at + 1 :])):
            return inner
    return place


def _within(lines: list[str], number: int, class_name: str, words: list[str]) -> Place | None:
    """The place of what a value has that is an object of a class of its own, or comes from a function that makes one."""
    text = "".join(lines[number : number + 1 + lines[number].endswith("=")])
    if made_by := _MADE_BY.search(text):
        function = _declared(lines, made_by[1], 0, -1)
        text = lines[function] if function is not None else ""
    made_of = _MADE_OF.search(text)
    return _followed(made_of[1], words) if made_of and made_of[1] != class_name else None


def _declared(lines: list[str], word: str, after: int, depth: int) -> int | None:
    """The line of a block that declares a value, within what stands below the line `after` if that has a depth."""
    declares = re.compile(rf"\b(?:val|var|def)\s+(?:[\w, ()]*\W)?{word}\b")
    for number, line in enumerate(lines[after + 1 :], after + 1):
        if (
            depth >= 0
            and line.strip()
            and len(line) - len(line.lstrip()) <= depth
            and not line.lstrip().startswith(")")
        ):
            return None
        if declares.search(line):
            return number
    return None


def _parents(head: str) -> list[str]:
    return [name for names in _PARENT.findall(head) for name in names if name]


def _block_line(place: Place) -> int | None:
    return next(
        (first for file, first, _ in _blocks(paths.root()).values() if file == place.file and first == place.line), None
    )


def _block(class_name: str) -> tuple[Path, int, list[str]] | None:
    return _blocks(paths.root()).get(class_name)


@cache
def _blocks(root: Path) -> dict[str, tuple[Path, int, list[str]]]:
    """Classes by name, a class before an object of its name: file, number of the first line, and the lines to the next one."""
    found: dict[str, tuple[Path, int, list[str]]] = {}
    for file in sorted((root / SOURCES).rglob("*.scala")):
        lines = file.read_text().splitlines()
        starts = [number for number, line in enumerate(lines) if _CLASS.match(line)]
        for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
            match = _CLASS.match(lines[start])
            if match and (match[1] not in found or "object " not in lines[start]):
                found[match[1]] = (file, start + 1, lines[start:end])
    return found
