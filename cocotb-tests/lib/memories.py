# SPDX-License-Identifier: Apache-2.0
"""Generated designs as they are simulated: a word of a memory that is read while it is written is wrong in every bit.

Block memories may answer anything then, and so no design may depend on it. In Verilog they answer the old word, and to simulate
the text as it is would never tell.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from lib.files import kept

if TYPE_CHECKING:
    from pathlib import Path

_MEMORY = re.compile(r"\breg +\[[^\]]+\] +(\w+) +\[0:")
_WRITE = re.compile(r"if\((\w+)\) begin\n\s+(\w+)\[(\w+)\] <= ")
_READ = re.compile(r"(\w+ <= )(\w+)\[(\w+)\];")
_ANY_WRITE = re.compile(r"^ +(\w+)\[.*\] <= ", re.MULTILINE)
_ANY_READ = re.compile(r" <= (\w+)\[")


def played(source: Path, folder: Path) -> Path:
    """The copy of a design that is simulated, in a folder."""
    text = "endmodule".join(map(_undefined_while_written, source.read_text().split("endmodule")))
    return kept(folder / source.name, text)


def _undefined_while_written(text: str) -> str:
    memories = set(_MEMORY.findall(text))  # a register of bits may be written in the same way
    if not memories:
        return text
    writes = {memory: (enable, address) for enable, memory, address in _WRITE.findall(text) if memory in memories}
    written, reads = set(_ANY_WRITE.findall(text)), Counter(_ANY_READ.findall(text))
    known_reads = Counter(memory for _, memory, _ in _READ.findall(text))
    for memory in sorted(memories):
        assert memory in writes or memory not in written, f"{memory} is written in a way that is not known here"
        assert reads[memory] == known_reads[memory], f"{memory} is read in a way that is not known here"

    def read(match: re.Match[str]) -> str:
        target, memory, address = match.groups()
        if memory not in writes:
            return match[0]
        enable, written = writes[memory]
        word = f"{memory}[{address}]"
        return f"{target}({enable} && {written} == {address}) ? ~{word} : {word};"

    return _READ.sub(read, text)
