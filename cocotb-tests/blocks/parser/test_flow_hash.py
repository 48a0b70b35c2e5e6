# SPDX-License-Identifier: Apache-2.0
"""Runs the flow hash's cocotb tests."""

from __future__ import annotations

from lib.simulation import RTL, simulate


def test_flow_hash() -> None:
    """Published vectors and random keys."""
    simulate(RTL / "blocks" / "sluice_block_flow_hash.sv", "blocks.parser.flow_hash", bench="flow_hash")
