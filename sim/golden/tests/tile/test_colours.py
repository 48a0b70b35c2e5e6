# SPDX-License-Identifier: Apache-2.0
"""Colours by DSCP, and the profile of each."""

from __future__ import annotations

import random

from sluice_golden.tile.many_queues.colours import GREEN, RED, YELLOW, colour_of, profile_of


def test_each_dscp_has_its_own_colour() -> None:
    """A table made of drop precedences, RFC 2597's AF11 to AF43, and one of codes drawn at random."""
    precedences = {8 * af + 2 * drop: drop - 1 for af in range(1, 5) for drop in (1, 2, 3)}
    table = sum(colour << 2 * dscp for dscp, colour in precedences.items())
    assert [colour_of(dscp, table) for dscp in range(64)] == [precedences.get(dscp, GREEN) for dscp in range(64)]
    codes = random.Random(1).choices(range(4), k=64)
    table = int("".join(map(str, reversed(codes))), 4)
    assert [colour_of(dscp, table) for dscp in range(64)] == [min(code, RED) for code in codes]


def test_a_queue_has_a_profile_of_each_colour() -> None:
    assert [profile_of(0xC51, colour, 16) for colour in (GREEN, YELLOW, RED)] == [1, 5, 12]
