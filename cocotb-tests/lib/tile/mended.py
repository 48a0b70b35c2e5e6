# SPDX-License-Identifier: Apache-2.0
"""What a tile says of what it has mended, and when it takes a time that is far behind."""

from __future__ import annotations

from typing import Any

FAR_NS = 1 << 36
"""Of so many ns more than one must lie between two times."""
PATIENCE = 4096
"""Clocks for which time stands still before such a time is taken."""


def fault_bits(registers: dict[str, Any]) -> dict[str, int]:
    """The bits of FAULTS by name, as a register map has them."""
    return {fault["name"]: 1 << fault["bit"] for fault in registers["faults"]}
