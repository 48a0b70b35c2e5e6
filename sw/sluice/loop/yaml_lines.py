# SPDX-License-Identifier: Apache-2.0
"""YAML that remembers on which line each value stands, so that a complaint about it can say so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from sluice.support.errors import UserError

Path = tuple[str | int, ...]
"""Keys and list indices from the top to a value."""

_MOST_DIGITS = 300
"""Of a whole number; what has more is beyond all floating-point numbers, and beyond what Python prints."""


@dataclass(frozen=True)
class Document:
    """The value of a YAML text, and where its parts stand."""

    name: str
    """What complaints call it."""
    data: Any
    lines: dict[Path, int]
    """Line of each key and of each entry of a list, from 1."""

    def refuse(self, path: Sequence[str | int], complaint: str) -> UserError:
        """The error for something wrong with the value there, or with what is missing in it."""
        return UserError(f"{self.name}, line {self.line(path)}: {complaint}")

    def line(self, path: Sequence[str | int]) -> int:
        """Line of a value; of the nearest one around it if it is not there."""
        known = tuple(path)
        while known not in self.lines:
            known = known[:-1]
        return self.lines[known]


def read(name: str, text: str) -> Document:
    """Parse a text; what is no YAML, and a key that stands twice, is a user error with its line."""
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f", line {mark.line + 1}" if mark else ""
        raise UserError(f"{name}{where}: not YAML: {error.problem or error.context}") from None
    except yaml.YAMLError as error:
        raise UserError(f"{name}: not YAML: {error}") from None
    except RecursionError:
        raise UserError(f"{name}: lists and tables stand in each other too deeply") from None
    lines: dict[Path, int] = {(): 1 if root is None else root.start_mark.line + 1}
    try:
        if root is not None:
            _note_lines(name, root, (), lines)
        data = yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise UserError(f"{name}, line {line}: {error.problem}") from None
    except ValueError as error:  # a date that is none, for one
        raise UserError(f"{name}: {error}") from None
    except RecursionError:
        raise UserError(f"{name}: an alias stands inside what it stands for") from None
    return Document(name, data, lines)


def _note_lines(name: str, node: yaml.Node, path: Path, lines: dict[Path, int]) -> None:
    if isinstance(node, yaml.MappingNode):
        seen = set()
        for key, value in node.value:
            line = key.start_mark.line + 1
            if not isinstance(key, yaml.ScalarNode):
                raise UserError(f"{name}, line {line}: a key must be a word")
            if key.value in seen:
                raise UserError(f"{name}, line {line}: the key '{key.value}' stands twice")
            seen.add(key.value)
            lines[*path, key.value] = line
            _note_lines(name, value, (*path, key.value), lines)
    elif isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            lines[*path, index] = value.start_mark.line + 1
            _note_lines(name, value, (*path, index), lines)
    elif node.tag.endswith(":int") and len(node.value) > _MOST_DIGITS:
        line = node.start_mark.line + 1
        raise UserError(f"{name}, line {line}: a number of {len(node.value)} digits; at most {_MOST_DIGITS} are read")
