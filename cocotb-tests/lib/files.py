# SPDX-License-Identifier: Apache-2.0
"""Files that tests derive from others."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def kept(file: Path, text: str) -> Path:
    """The file with this text: left alone if it has it, so that nothing is made anew of it, and whole for whoever reads it."""
    if not file.exists() or file.read_text() != text:
        file.parent.mkdir(parents=True, exist_ok=True)
        unfinished = file.with_name(f"{file.name}.{os.getpid()}")
        unfinished.write_text(text)
        unfinished.replace(file)
    return file
