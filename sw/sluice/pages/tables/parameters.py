# SPDX-License-Identifier: Apache-2.0
"""Parameters of a core as its register map has them: what a page about the core would otherwise copy by hand."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

from sluice.pages.tables.markdown import Lines, head, line
from sluice.support import paths

Parameter = dict[str, Any]

_OF_NO_CORE = "droptail"
"""The configuration whose parameters are those of the tile alone."""

_OF_A_QUEUE = re.compile(r"queue\d+_")


def parameters(arguments: Sequence[str]) -> Lines:
    """The parameters of a configuration's core, or of several that differ in defaults; with `beyond` another one only those that
    this has not, or has otherwise."""
    configs, without = _split(arguments)
    known = {p["name"]: _meant(p) for p in _map(without)} if without else {}
    tables = {config: {p["name"]: p for p in _own(config) if known.get(p["name"]) != _meant(p)} for config in configs}
    rows = [list(run) for _, run in groupby(_merged(tables.values()), _of_a_run)]
    has_ns3 = any(p["ns3"] for run in rows for p in run)
    defaults = [f"`{config}`" for config in configs] if len(configs) > 1 else ["default"]
    lines = head("name", *(["ns-3"] if has_ns3 else []), "unit", *defaults, "format", "a scenario sets", "meaning")
    for first, *more in rows:
        name = f"`{first['name']}`" + (f" ... `{more[-1]['name']}`" if more else "")
        values = ["" if more else _default(table.get(first["name"])) for table in tables.values()]
        ns3 = [_code(first["ns3"])] if has_ns3 else []
        doc = first["doc"] + (", and so on" if more else "")
        lines.append(line(name, *ns3, first["unit"], *values, _format(first), follows(first["follows"]), doc))
    return lines


def follows(fact: dict[str, Any] | None) -> str:
    """What of the link a parameter is set to by a scenario that does not set it otherwise."""
    if fact is None:
        return ""
    return ("" if fact["factor"] == 1 else f"{fact['factor']:.12g} ") + _code(fact["fact"])


def _split(arguments: Sequence[str]) -> tuple[list[str], str]:
    configs = list(arguments)
    if "beyond" not in configs:
        return configs, ""
    at = configs.index("beyond")
    return configs[:at], configs[at + 1]


def _map(config: str) -> list[Parameter]:
    found: list[Parameter] = json.loads(paths.made(paths.register_map(config)).read_text())["parameters"]
    return found


def _own(config: str) -> list[Parameter]:
    """Those that are not the tile's."""
    of_the_tile = {p["name"] for p in _map(_OF_NO_CORE)}
    return [p for p in _map(config) if p["name"] not in of_the_tile and not _OF_A_QUEUE.match(p["name"])]


def _meant(parameter: Parameter) -> tuple[Any, ...]:
    return tuple(parameter[key] for key in ("default", "width", "fraction", "doc"))


def _merged(tables: Iterable[dict[str, Parameter]]) -> list[Parameter]:
    """Each name once, as the first of the tables has it that knows it."""
    merged: dict[str, Parameter] = {}
    for table in tables:
        merged = merged | {name: p for name, p in table.items() if name not in merged}
    return list(merged.values())


def _of_a_run(parameter: Parameter) -> tuple[str, ...]:
    """What the points of a function have in common: all but their numbers."""
    name = re.sub(r"\d+", "#", parameter["name"])
    return (name, re.sub(r"\d+", "#", parameter["doc"])) if name != parameter["name"] else (parameter["name"],)


def _default(parameter: Parameter | None) -> str:
    if parameter is None:
        return "-"
    value = float(parameter["default"])
    if parameter["unit"] == "flag":
        return "on" if value else "off"
    return f"{value:,.0f}" if value == int(value) else f"{value:.5g}"


def _format(parameter: Parameter) -> str:
    width, fraction = parameter["width"], parameter["fraction"]
    if parameter["unit"] == "flag":
        return ""
    if fraction == 0:
        return f"{width} bit{'s' if width > 1 else ''}"
    return f"Q{width - fraction}.{fraction}" if fraction <= width else f"{width} bits of 2^-{fraction}"


def _code(name: str) -> str:
    return f"`{name}`" if name else ""
