# SPDX-License-Identifier: Apache-2.0
"""Registers in Yosys' JSON form, for the tests of the passes that move them."""

from __future__ import annotations

from typing import Any

CLOCK, RESET, ENABLE = 2, 3, 4


def register(data: int, out: int, **changes: Any) -> dict[str, Any]:
    """One register of ECP5; `changes` are to its parameters, clock, reset and enable."""
    parameters = {"CEMUX": "1 ", "CLKMUX": "CLK", "LSRMUX": "LSR", "REGSET": "RESET"}
    return {
        "type": "TRELLIS_FF",
        "parameters": parameters | changes.get("parameters", {}),
        "port_directions": {"CE": "input", "CLK": "input", "DI": "input", "LSR": "input", "Q": "output"},
        "connections": {
            "CE": [changes.get("enable", ENABLE)],
            "CLK": [changes.get("clock", CLOCK)],
            "DI": [data],
            "LSR": [changes.get("reset", "0")],
            "Q": [out],
        },
    }


CANNOT_MOVE: list[dict[str, Any]] = [
    {"parameters": {"CEMUX": "INV"}},
    {"parameters": {"REGSET": "SET"}},
    {"parameters": {"CLKMUX": "INV"}},
    {"reset": RESET},
]
"""What keeps a register out of any block."""
