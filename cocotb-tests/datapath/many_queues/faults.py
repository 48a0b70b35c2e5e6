# SPDX-License-Identifier: Apache-2.0
"""What a datapath of many queues may do wrong, each of which a test is to notice."""

from __future__ import annotations

from functools import cache

from datapath.many_queues.rows import source_of, watched
from datapath.many_queues.traffic import BY_DSCP
from lib.broken import Choice
from lib.player import Player

FAULTS = tuple(
    Choice(*fault)
    for fault in (
        (
            "last-cell-of-a-sent-frame-kept",
            r"(_zz_io_back_valid <= )(\(io_fetch_fire && \(isLast \|\| \(&place\)\)\))(;)",
            "io_fetch_fire && (&place)",
        ),
        ("next-cell-by-number", r"(current <= .*? )(io_next)( : cell_1\);)", "cell_1 + 1'b1"),
        ("linked-to-itself", r"(assign io_link_payload_1 = )(now)(;)", "cell_1"),
        ("not-linked", r"(assign io_link_valid = )(\(io_free_ready && .*)(;)", "1'b0"),
        ("last-cell-of-a-refused-frame-kept", r"(_zz_io_back_2_valid <= )(io_refused_valid)(;)", "1'b0"),
        ("cells-of-a-refused-frame-kept", r"(assign onDrop_chains_valid = )(\w+)(;)", "1'b0"),
        ("cells-of-a-dropped-frame-kept", r"( io_dropped_stage_valid <= )(io_dropped_valid)(;)", "1'b0"),
        ("cells-of-a-bad-frame-kept", r"( writer_io_void_stage_valid <= )(writer_io_void_valid)(;)", "1'b0"),
        (
            "cells-of-a-good-frame-given-back",
            r"(assign io_void_valid = \(\(io_isEnd && )(\(! io_isGood\))(\) &&)",
            "1'b1",
        ),
        (
            "chain-without-its-last-cell",
            r"(assign onTurn_isLast = )(\(onTurn_leftNow == .*\))(;)",
            "onTurn_leftNow <= 8'h02",
        ),
        ("tile-not-told-of-free-cells", r"( _zz_io_freed <= )(\(.*\))(;)", "2'd0"),
        (
            "tile-told-twice",
            r"(assign _zz__zz_io_freed_1 = )(reader_io_back_valid)(;)",
            "{} || walker_io_back_valid",
        ),
        ("a-mark-is-forgotten", r"(assign m_departure_\w+_payload_isMarked = )(\w+)(;)", "1'b0"),
    )
)
UPSET = Choice("answers-are-not-counted", r"(assign _zz_onAsk_owed_4 = )(\(io_known_fire && onAsk_isAny\))(;)", "1'b0")
"""What flipped bits bring about, again and again, and what is mended."""


OF_DSCP = (
    Choice("queue-of-another-dscp", r"(assign onKey_queues_onWrite_dscp = )(.*)(;)", "{} ^ 6'd1"),
    Choice("frames-of-no-ask", r"(assign \w+_onCredit_taken_valid = )(\(\w+_onCredit_asked != 5'h0\))(;)", "1'b1"),
)
"""Of the one in which a DSCP says the queue, and whose tile is not asked."""


def faults_of(name: str) -> tuple[Choice, ...]:
    """Those that the datapath may have: one whose tile is not asked drops and marks nothing in its queues."""
    if name != BY_DSCP:
        return FAULTS
    none = {"cells-of-a-dropped-frame-kept", "a-mark-is-forgotten"}
    return (*(fault for fault in FAULTS if fault.name not in none), *OF_DSCP)


@cache
def player_of(name: str) -> Player:
    """The datapath with all of these, of which none is there unless it is asked for: one for all tests."""
    return Player(watched(source_of(name), name, (*faults_of(name), UPSET)), f"watched-{name}")
