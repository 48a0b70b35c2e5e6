# SPDX-License-Identifier: Apache-2.0
"""What is printed of a datapath, cell by cell: each is a key with its value in JSON, and some characters in text."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

_WORD = 1 << 32


class Real(float):
    """A number that prints with six digits."""


@dataclass(frozen=True)
class Cell:
    """A key of "" is in text alone, a text of "" in JSON alone."""

    key: str
    value: object
    text: str

    @property
    def json(self) -> str:
        """The pair as JSON."""
        value = f"{self.value:g}" if isinstance(self.value, Real) else json.dumps(self.value)
        return f"{json.dumps(self.key)}:{value}"


def cell(key: str, value: object, text: str) -> Cell:
    """A value, which stands for {} in the text."""
    return Cell(key, value, text.format(f"{value:g}" if isinstance(value, Real) else value))


def counted(key: str, value: int, text: str) -> Cell:
    """A count, of which tc has 32 bits."""
    return cell(key, value % _WORD, text)


def text_only(text: str) -> Cell:
    """Characters between values."""
    return Cell("", None, text)


def flag(key: str, *, is_set: bool) -> Cell:
    """A flag that JSON always has, and text where it is set."""
    return Cell(key, is_set, f"{key} " if is_set else "")


def as_text(cells: Iterable[Cell]) -> str:
    """The cells' texts, one after the other."""
    return "".join(one.text for one in cells)


def as_json(cells: Iterable[Cell]) -> str:
    """The cells' pairs, without braces, as tc has them: no spaces."""
    return ",".join(one.json for one in cells if one.key)
