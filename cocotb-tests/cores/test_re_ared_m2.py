# SPDX-License-Identifier: Apache-2.0
"""Re-ARED-M2's max_p on the RTL, step by step; the conformance suite has the packets."""

from __future__ import annotations

from typing import Any

import cocotb
from lib.max_p_walk import walk
from lib.simulation import RTL, simulate


@cocotb.test()
async def max_p_rises_and_falls(dut: Any) -> None:
    """Whichever way the average goes, its place alone decides."""
    cases = await walk(dut, "re-ared-m2")
    assert min(cases[step, way] for step in ("up", "down") for way in ("rising", "falling", "still")) >= 10


def test_re_ared_m2() -> None:
    simulate(RTL / "re-ared-m2" / "sluice_core_re_ared_m2.sv", "cores.test_re_ared_m2", bench="re-ared-m2-steps")
