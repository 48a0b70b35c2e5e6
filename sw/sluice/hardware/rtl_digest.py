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
_VERSION = re.compile(r"^// Sluice (\d+)\.(\d+)\.(\d+): ", re.MULTILINE)

LENGTH = 12
"""Hexadecimal digits that a table keeps."""


def digest(verilog: str) -> str:
    """First digits of the SHA-256 of a module's hardware."""
    version = _as_read(_VERSION.search(verilog))
    lines = (_hardware(line, version) for line in verilog.splitlines())
    return hashlib.sha256("\n".join(line for line in lines if line).encode()).hexdigest()[:LENGTH]


def _as_read(version: re.Match[str] | None) -> re.Pattern[str] | None:
    """Where the constant stands that the register VERSION reads."""
    if version is None:
        return None
    major, minor, patch = map(int, version.groups())
    word = f"{major << 16 | minor << 8 | patch:08x}"
    return re.compile(rf"(\bassign \w*read_values_\w+ = 32'h){word};")


def _hardware(line: str, version: re.Pattern[str] | None) -> str:
    """What counts of a line. A look for a word takes a tenth of what a pattern takes that begins with nothing in particular."""
    if "//" in line:
        line = line.partition("//")[0].rstrip()
    if version and "read_values_" in line:
        line = version.sub(r"\1VERSION;", line)
    if "when_" in line or "switch_" in line:
        line = _SOURCE_LINE.sub(r"\1", line)
    return line if line.strip() else ""
