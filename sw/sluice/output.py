# SPDX-License-Identifier: Apache-2.0
"""What every command shares on its way out: the console, JSON files, and how a result says where it came from."""

from __future__ import annotations

import json
import os
import shlex
import sys
from pathlib import Path
from typing import Any

import rich_click as click
from rich.console import Console

from sluice import __version__
from sluice.errors import UserError

console = Console(soft_wrap=False)
"""Standard output."""


def provenance() -> dict[str, str]:
    """Version of the software and the command line that was given."""
    return {"version": __version__, "command": shlex.join(["sluice", *sys.argv[1:]])}


def _writable(_context: click.Context, _parameter: click.Parameter, file: Path | None) -> Path | None:
    """Refuse a result file that cannot be written, before the work is done."""
    if file:
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(f"cannot write {file}: {error.strerror}") from None
        if file.is_dir() or not os.access(file if file.exists() else file.parent, os.W_OK):
            raise UserError(f"cannot write {file}")
    return file


json_option = click.option(
    "--json", "json_file", type=click.Path(path_type=Path), callback=_writable, help="Write the result here."
)
"""The option that every command with a result has."""


def write_json(path: Path, data: Any) -> None:
    """Write a result file."""
    path.write_text(json.dumps(data, indent=2) + "\n")
