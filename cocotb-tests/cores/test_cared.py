# SPDX-License-Identifier: Apache-2.0
"""CARED's max_p on the RTL, step by step; the conformance suite has the packets."""

from __future__ import annotations

from typing import Any

import cocotb
from lib.max_p_walk import walk
from lib.simulation import RTL, simulate


@cocotb.test()
async def max_p_follows_the_trend(dut: Any) -> None:
    """All four steps are taken, and none while the average stands still."""
    cases = await walk(dut, "cared")
    assert min(cases[step, way] for step in ("up", "down") for way in ("rising", "falling")) >= 50
    assert not any(way == "still" for _, way in cases)


def test_cared() -> None:
    simulate(RTL / "cared" / "sluice_core_cared.sv", "cores.test_cared", bench="cared-steps")
