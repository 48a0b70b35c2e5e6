# SPDX-License-Identifier: Apache-2.0
"""Copies of generated designs in whose memories a word that is read while it is written is wrong in every bit.

Block memories may answer anything then, and so no design may depend on it. In Verilog they answer the old word, and a simulation of
the design as it is would never tell.
"""

from __future__ import annotations

import re

_WRITE = re.compile(r"if\((\w+)\) begin\n\s+(\w+)\[(\w+)\] <= ")
_READ = re.compile(r"(\w+ <= )(\w+)\[(\w+)\];")


def undefined_while_written(text: str) -> str:
    """The copy of a design's text."""
    return "endmodule".join(map(_of_module, text.split("endmodule")))


def _of_module(text: str) -> str:
    writes = {memory: (enable, address) for enable, memory, address in _WRITE.findall(text)}

    def read(match: re.Match[str]) -> str:
        target, memory, address = match.groups()
        if memory not in writes:
            return match[0]
        enable, written = writes[memory]
        word = f"{memory}[{address}]"
        return f"{target}({enable} && {written} == {address}) ? ~{word} : {word};"

    return _READ.sub(read, text)
