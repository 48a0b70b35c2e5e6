# SPDX-License-Identifier: Apache-2.0
"""Re-ARED-M1's max_p on the RTL, step by step; the conformance suite has the packets."""

from __future__ import annotations

from lib.max_p_walk import walk


def test_max_p_rises_and_falls() -> None:
    """Whichever way the average goes, its place alone decides."""
    cases = walk("re-ared-m1")
    assert min(cases[step, way] for step in ("up", "down") for way in ("rising", "falling", "still")) >= 10
