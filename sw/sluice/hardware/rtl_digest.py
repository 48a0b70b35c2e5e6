# SPDX-License-Identifier: Apache-2.0
"""What a synthesis result was measured on: a digest of generated SystemVerilog that changes with the hardware alone.

Comments do not count, of which the file's head names the versions of the project and of the generator; nor do the lines of
the source that the generator names conditions after, nor the constant that the register VERSION reads. The rest counts as
text, names included: a placer's result may hang on them. So a renamed register makes a result look old that still holds, but
none that is old looks new.
"""

from __future__ import annotations

import hashlib
import re

_SOURCE_LINE = re.compile(r"(?<![^\W_])((?:when|switch)_\w+?_l)\d+(?:_\d+)*\b")
_COMMENT = re.compile(r"\s*//.*$", re.MULTILINE)
_VERSION = re.compile(r"^// Sluice (\d+)\.(\d+)\.(\d+): ", re.MULTILINE)

LENGTH = 12
"""Hexadecimal digits that a table keeps."""


def digest(verilog: str) -> str:
    """First digits of the SHA-256 of a module's hardware."""
    text = verilog
    if version := _VERSION.search(verilog):
        major, minor, patch = map(int, version.groups())
        word = f"{major << 16 | minor << 8 | patch:08x}"
        text = re.sub(rf"(\bassign \w*read_values_\w+ = 32'h){word};", r"\1VERSION;", text)
    text = _SOURCE_LINE.sub(r"\1", text)
    lines = [line for line in _COMMENT.sub("", text).splitlines() if line.strip()]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:LENGTH]
