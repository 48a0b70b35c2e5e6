# SPDX-License-Identifier: Apache-2.0
"""CARED's max_p on the RTL, step by step; the conformance suite has the packets."""

from __future__ import annotations

from lib.max_p_walk import walk


def test_max_p_follows_the_trend() -> None:
    """All four steps are taken, and none while the average stands still."""
    cases = walk("cared")
    assert min(cases[step, way] for step in ("up", "down") for way in ("rising", "falling")) >= 50
    assert not any(way == "still" for _, way in cases)
