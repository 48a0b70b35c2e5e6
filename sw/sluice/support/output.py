# SPDX-License-Identifier: Apache-2.0
"""What every command shares on its way out: the console, files, and how a result says where it came from."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, TypeVar

import rich_click as click
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from sluice import __version__
from sluice.support.errors import UserError

Command = TypeVar("Command", bound=Callable[..., Any])

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


def file_option(flag: str, name: str, text: str) -> Callable[[Command], Command]:
    """An option for a file to write."""
    return click.option(flag, name, type=click.Path(path_type=Path), callback=_writable, help=text)


json_option = file_option("--json", "json_file", "Write the result here.")
"""The option that every command with a result has."""


@contextmanager
def writing(path: Path, mode: str = "w") -> Iterator[IO[Any]]:
    """A file to write, with the folder for it; a user error if that does not go to its end, as on a full disk."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open(mode, newline=None if "b" in mode else "") as file:
            yield file
    except OSError as error:
        raise UserError(f"cannot write {path}: {error.strerror}") from None


def write_text(path: Path, text: str) -> None:
    """Write a text file."""
    with writing(path) as file:
        file.write(text)


def write_json(path: Path, data: Any) -> None:
    """Write a result file."""
    write_text(path, json.dumps(data, indent=2) + "\n")


def progress() -> Progress:
    """The bar of every long piece of work; nothing where no person looks."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
