# SPDX-License-Identifier: Apache-2.0
"""What is wrong with a scenario file, in one line: the line, the key, and what is allowed there."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from sluice.hardware import catalog
from sluice.hardware.registers import RegisterMap
from sluice.loop import hazard
from sluice.loop.ns3_disciplines import NS3
from sluice.loop.yaml_lines import Document
from sluice.support import paths
from sluice.support.errors import UserError

MOST_SHOWN = 3
"""Mistakes that one message names."""

Location = Sequence[str | int]

PATTERNS = {
    "tcp": "ns3::Type::Attribute",
    "congestion": "ns3::Type or ns3::Type[Name=value|...]",
    "name": "a word of letters, digits, '.', '_' and '-'",
}
"""What a text under a key must look like, in words."""


def refusal(document: Document, error: ValidationError, schema: Mapping[str, Any]) -> UserError:
    """The error that names the first mistakes of a file by their lines."""
    found = []
    for mistake in error.errors(include_url=False):
        path = _in_data(document.data, mistake["loc"])
        found.append((document.line(path), path, _complaint(mistake, path, schema)))
    # A misspelt key is an unknown and a missing one; the unknown one says what happened.
    found.sort(key=lambda entry: ("unknown key" not in entry[2], entry[0]))
    shown = [
        complaint if index == 0 else f"line {line}: {complaint}" for index, (line, _, complaint) in enumerate(found)
    ]
    more = [f"and {len(shown) - MOST_SHOWN} more"] if len(shown) > MOST_SHOWN else []
    return document.refuse(found[0][1], "; ".join(shown[:MOST_SHOWN] + more))


def check_settings(document: Document, settings: Mapping[str, Mapping[str, float]], all_key: str) -> None:
    """Refuse settings for an algorithm that does not exist, and parameters that it does not have."""
    if not settings:
        return
    known = parameters()
    for algorithm, values in settings.items():
        path = ("settings", algorithm)
        if algorithm != all_key and algorithm not in known:
            raise document.refuse(path, "settings: " + catalog.unknown("algorithm", algorithm, [all_key, *known]))
        has = list(dict.fromkeys(name for names in known.values() for name in names))
        has = has if algorithm == all_key else known[algorithm]
        for name in values:
            if name not in has:
                says = catalog.unknown("parameter", name, has)
                raise document.refuse((*path, name), f"settings.{algorithm}: {says}")


def parameters() -> dict[str, list[str]]:
    """Names of the parameters of each algorithm, ours and ns-3's own."""
    found = {}
    for algorithm in catalog.load().algorithms:
        registers = RegisterMap.load(paths.made(paths.register_map(algorithm.default_config)))
        weight = ["weight"] if "weight_exponent" in registers.parameters else []
        found[algorithm.name] = [*registers.parameters, *weight, *sorted(hazard.words(registers.parameters))]
    for discipline in NS3.values():
        names = found.setdefault(discipline.algorithm, [])
        names += [name for name in discipline.attributes if name not in names]
    return found


def _in_data(data: Any, location: Location) -> tuple[str | int, ...]:
    """The part of a mistake's location that is in the file: without the names of kinds and of missing keys."""
    path: list[str | int] = []
    for part in location:
        there: Any = data if isinstance(data, dict) else dict(enumerate(data)) if isinstance(data, list) else {}
        if part in there:
            data = there[part]
            path.append(part)
    return tuple(path)


def _complaint(mistake: ErrorDetails, path: Location, schema: Mapping[str, Any]) -> str:
    location, given = mistake["loc"], mistake["input"]
    where = _shown(path)
    table = _shown(path[:-1])
    inside = f" in {table}" if table else ""
    match mistake["type"]:
        case "extra_forbidden" | "unexpected_keyword_argument":
            return f"unknown key '{path[-1]}'{inside}; {_guess(str(path[-1]), _keys(schema, location))}"
        case "missing":
            return f"missing key '{location[-1]}'" + (f" in {where}" if where else "")
        case "union_tag_invalid":
            return f"{where}.kind: '{mistake['ctx']['tag']}' must be one of {_plain(mistake['ctx']['expected_tags'])}"
        case "union_tag_not_found":
            kinds = ", ".join(_at(schema, location)["discriminator"]["mapping"])
            return f"missing key 'kind' in {where}; one of {kinds}"
        case "string_pattern_mismatch":
            key = next(str(part) for part in reversed(path) if part in PATTERNS or part == "tcp") if path else ""
            return f"{where}: '{given}' must be {PATTERNS.get(key, 'another text')}"
        case "model_type" | "dict_type":
            return f"{where} must be a table of keys and values, not {_value(given)}"
        case "too_short":
            return f"{where} must have at least one entry"
        case "steps" | "repeat_s" | "stop_s" | "warmup_s" | "sample_interval_s" | "hops" | "names" | "colours":
            return f"{where}: {mistake['msg']}" if where else mistake["msg"]
        case _:
            says = (
                mistake["msg"]
                .replace("Input should be", "must be")
                .replace("valid integer", "whole number")
                .replace("a valid ", "a ")
            )
            return f"{where} {says}, not {_value(given)}"


def _guess(name: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    return (f"did you mean {near[0]}? " if near else "") + f"known: {', '.join(known)}"


def _value(given: Any) -> str:
    text = repr(given)
    return "nothing" if given is None else text if len(text) < 40 else f"{text[:36]}..."


def _plain(tags: str) -> str:
    return tags.replace("'", "")


def _shown(path: Location) -> str:
    """A path as people write it: flows[0].rate_mbps."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def _keys(schema: Mapping[str, Any], location: Location) -> list[str]:
    """The keys that are known beside the last of a location."""
    return list(_at(schema, location[:-1])["properties"])


def _at(schema: Mapping[str, Any], location: Location) -> Mapping[str, Any]:
    """The part of the schema that a location of a mistake is about."""
    node: Mapping[str, Any] = schema
    for part in location:
        if isinstance(part, int):
            node = node["items"]
        elif "discriminator" in node:
            node = {"$ref": node["discriminator"]["mapping"][part]}
        else:
            node = node["properties"][part]
        node = next((choice for choice in node.get("anyOf", []) if "$ref" in choice), node)  # a table, or nothing
        while "$ref" in node:
            node = schema["$defs"][node["$ref"].rpartition("/")[2]]
    return node
