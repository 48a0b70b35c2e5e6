# SPDX-License-Identifier: Apache-2.0
"""The scenario format for readers and for editors: docs/simulate/scenarios.md and the JSON schema, out of the declaration."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter

from sluice.loop import scenario
from sluice.loop.scenario_format import AnyFlowGroup, ScenarioFile
from sluice.support import templates

Schema = Mapping[str, Any]

TYPES = {"integer": "whole number", "boolean": "true or false", "string": "text", "object": "table", "array": "list"}
"""JSON's words in ours."""


@dataclass(frozen=True)
class Key:
    """One row of a table of keys."""

    name: str
    value: str
    """What it may be."""
    default: str
    """What it is if it is not there; empty if it must be."""
    meaning: str


def schema() -> dict[str, Any]:
    """The JSON schema of a scenario file."""
    made = TypeAdapter(ScenarioFile).json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema"} | made


def schema_text() -> str:
    """The JSON schema as it is kept in docs/reference."""
    return json.dumps(schema(), indent=2) + "\n"


def page() -> str:
    """docs/simulate/scenarios.md."""
    whole = schema()
    parts = whole["$defs"]
    kinds = [parts[_name(ref)] for ref in _kinds()]
    common = set.intersection(*(set(kind["properties"]) for kind in kinds)) - {"kind"}
    return templates.render(
        "scenarios.md.j2",
        scenario=_keys(whole),
        hop=_keys(parts["Hop"]),
        step=_keys(parts["RateStep"]),
        back=_keys(parts["Back"]),
        access=_keys(parts["Access"]),
        switch=_keys(parts["SwitchPort"]),
        common=[key for key in _keys(kinds[0]) if key.name in common],
        kinds=[
            {
                "name": kind["properties"]["kind"]["const"],
                "does": kind["description"],
                "keys": [key for key in _keys(kind) if key.name not in common | {"kind"}],
            }
            for kind in kinds
        ],
        shipped={name: scenario.load(name).summary for name in scenario.names()},
    )


def _kinds() -> list[str]:
    """References to the kinds of flows, in the order of the declaration."""
    return [entry["$ref"] for entry in TypeAdapter(AnyFlowGroup).json_schema()["oneOf"]]


def _keys(table: Schema) -> list[Key]:
    needed = table["required"]
    rows = []
    for name, entry in table["properties"].items():
        default = "" if name in needed else _default(entry.get("default"))
        rows.append(
            Key(name, _value(entry), default, " ".join(entry.get("description", "").split()).replace("|", "\\|"))
        )
    return sorted(rows, key=lambda row: row.default != "")


def _default(value: Any) -> str:
    if value in (None, "", [], {}):
        return "none"
    return f"`{json.dumps(value)}`" if not isinstance(value, str) else f"`{value}`"


def _value(entry: Schema) -> str:
    entry = next((choice for choice in entry.get("anyOf", []) if choice.get("type") != "null"), entry)
    kind = entry.get("type", "table")
    if kind == "array":
        items = entry["items"]
        return f"list, each a {_value(items)}" if "type" in items else "list of tables"
    if "enum" in entry:
        return " or ".join(f"`{choice}`" for choice in entry["enum"])
    text = TYPES.get(kind, kind)
    bounds = [
        f"{sign} {entry[name]:,.12g}"
        for name, sign in (("exclusiveMinimum", ">"), ("minimum", "≥"), ("maximum", "≤"))
        if name in entry
    ]
    return f"{text} {', '.join(bounds)}".strip()


def _name(reference: str) -> str:
    return reference.rpartition("/")[2]
