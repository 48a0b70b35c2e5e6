# SPDX-License-Identifier: Apache-2.0
"""Cells of Yosys' JSON form."""

from __future__ import annotations

from typing import Any


def binary(kind: str, a: list[Any], b: list[Any], y: list[Any]) -> dict[str, Any]:
    """A cell with two unsigned inputs."""
    return {
        "hide_name": 1,
        "type": kind,
        "parameters": {"A_SIGNED": "0", "B_SIGNED": "0"}
        | {name: f"{len(bits):032b}" for name, bits in (("A_WIDTH", a), ("B_WIDTH", b), ("Y_WIDTH", y))},
        "attributes": {},
        "port_directions": {"A": "input", "B": "input", "Y": "output"},
        "connections": {"A": a, "B": b, "Y": y},
    }
