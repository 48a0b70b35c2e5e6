# SPDX-License-Identifier: Apache-2.0
"""Tables of a config_db.json: `{table: {key: {field: text}}}`, read so that nothing in them goes by unseen."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from sluice.support.errors import UserError

Value = TypeVar("Value")
_QUEUES = re.compile(r"(?P<ports>[^|]+)\|(?P<first>\d+)(-(?P<last>\d+))?")


def load(file: Path) -> dict[str, dict[str, Any]]:
    """All tables of a file."""
    try:
        tables = json.loads(file.read_text())
    except OSError as error:
        raise UserError(f"cannot read {file}: {error.strerror}") from None
    except ValueError as error:
        raise UserError(f"{file} is not JSON: {error}") from None
    if not isinstance(tables, dict) or not all(isinstance(rows, dict) for rows in tables.values()):
        raise UserError(f"{file} is not a config_db.json: tables of rows are expected")
    return tables


@dataclass
class Row:
    """One row of a table. What was not taken of it when all is read is a mistake, or what nothing here can carry."""

    name: str
    fields: Mapping[str, Any]
    notes: list[str]
    taken: set[str] = field(default_factory=set)

    @classmethod
    def all(cls, tables: Mapping[str, Mapping[str, Any]], table: str, notes: list[str]) -> dict[str, Row]:
        """The rows of a table by their keys, in the order of these."""
        rows = tables.get(table, {})
        for key, fields in rows.items():
            if not isinstance(fields, dict):
                raise UserError(f"{table}|{key} is no row of fields")
        return {key: cls(f"{table}|{key}", rows[key], notes) for key in sorted(rows)}

    def take(self, name: str, read: Callable[[str], Value], default: Value) -> Value:
        """A field's value, or what is meant without it."""
        if name not in self.fields:
            return default
        self.taken.add(name)
        text = self.fields[name]
        try:
            return read(str(text))
        except ValueError as error:
            raise UserError(f"{self.name}: {name}={text!r} {error}") from None

    def mistake(self, text: str) -> UserError:
        """Something in it that cannot be."""
        return UserError(f"{self.name}: {text}")

    def note(self, text: str) -> None:
        """Something is not, or not exactly, carried over."""
        self.notes.append(f"{self.name}: {text}")

    def finish(self, others: Iterable[str] = ()) -> None:
        """Notes each of the known other fields that is there, and refuses an unknown one."""
        known = [*others]
        for name in sorted(self.fields.keys() - self.taken):
            if name not in known:
                near = difflib.get_close_matches(name, [*known, *self.taken], 1)
                hint = f"; did you mean {near[0]}?" if near else ""
                raise UserError(f"{self.name} has an unknown field '{name}'{hint}")
            self.note(f"{name}={self.fields[name]} is not carried")


def number(least: int, most: int) -> Callable[[str], int]:
    """Decimal text within limits."""

    def read(text: str) -> int:
        if not text.isascii() or not text.isdecimal() or not least <= int(text) <= most:
            raise ValueError(f"is not a number from {least} to {most}")
        return int(text)

    return read


def flag(text: str) -> bool:
    """As SONiC writes one."""
    if text not in ("true", "false"):
        raise ValueError("is neither true nor false")
    return text == "true"


def one_of(*words: str) -> Callable[[str], str]:
    """One of a few words."""

    def read(text: str) -> str:
        if text not in words:
            raise ValueError(f"is none of {', '.join(words)}")
        return text

    return read


def named(row: Row, field: str, table: str, known: Mapping[str, object]) -> str:
    """The row of another table that a field names, by its name or in the older form `[TABLE|name]`."""

    def read(text: str) -> str:
        name = text.removeprefix(f"[{table}|").removesuffix("]") if text.startswith("[") else text
        if name not in known:
            raise ValueError(f"names no row of {table}")
        return name

    return row.take(field, read, "")


def of_ports(rows: Mapping[str, Row], read: Callable[[Row], Value]) -> dict[str, dict[int, Value]]:
    """What rows say whose keys are a port, or several, and one of its queues, or a range: by port and number."""
    found: dict[str, dict[int, Value]] = {}
    for key, row in rows.items():
        value, match = read(row), _QUEUES.fullmatch(key)
        if not match:
            raise row.mistake("a port and the number of a queue are expected, or a range of them")
        first, last = int(match["first"]), int(match["last"] or match["first"])
        if first > last:
            raise row.mistake("the range is empty")
        for port in match["ports"].split(","):
            its = found.setdefault(port, {})
            for queue in range(first, last + 1):
                if queue in its and its[queue] != value:
                    raise row.mistake(f"queue {queue} of {port} is set twice, and not to the same")
                its[queue] = value
    return found
