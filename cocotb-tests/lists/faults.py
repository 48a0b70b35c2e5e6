# SPDX-License-Identifier: Apache-2.0
"""Broken tiles of a thousand queues as lists: what is changed in the Verilog of each, which a run of traffic has to show."""

from __future__ import annotations

from lib.broken import Fault

CONFIG = "droptail-1k"
HASHED = "fq-1k"
ARRIVALS = 50_000
"""Of one run; a longer test has more runs, with other seeds."""

FIRST = r"_zz_io_added_1_payload_sends_\d"
"""Whether the first packet of an empty queue may be sent with its quantum."""

BLIND = Fault(CONFIG, "pop-blind-to-pushes-under-way", r"\(onPop_isComing \|\|", "(1'b0 ||", within=ARRIVALS)
FAULTS = (
    Fault(CONFIG, "credit-always-enough", r"(onPop_credit_isEnough <= ).*;", r"\1 1'b1;", within=ARRIVALS),
    Fault(CONFIG, "quantum-not-added", r"(onPop_credit_granted6 <= ).*;", r"\1 onPop_credit_left5;", within=ARRIVALS),
    Fault(CONFIG, "next-round-too-soon", r"sinceTaken == 4'b0000", "sinceTaken <= 4'd2", within=ARRIVALS),
    Fault(
        CONFIG,
        "quantum-of-another-queue",
        r"(\s)quanta_own_written <= .*;",
        r"\1quanta_own_written <= 10'd5;",
        within=ARRIVALS,
    ),
    Fault(CONFIG, "first-packet-always-sent", rf"({FIRST} <= )\(! .*;", r"\1 1'b1;", within=ARRIVALS),
    Fault(CONFIG, "own-quantum-not-compared", rf"({FIRST} <= \(! )\(\w+ \?", r"\1 (1'b0 ?", within=ARRIVALS),
    Fault(
        HASHED,
        "hash-with-a-wrong-bit",
        r"_zz_offered_payload_queue\[34 : 3\]",
        "(_zz_offered_payload_queue[34 : 3] ^ 32'd1)",
        within=ARRIVALS,
    ),
    BLIND,
    Fault(
        CONFIG, "push-blind-to-pops-under-way", r"_wasEmpty_3 = onPush_isGoing;", "_wasEmpty_3 = 1'b0;", within=ARRIVALS
    ),
    Fault(CONFIG, "look-blind-to-a-write", r"onPush_gone_isBeingWritten \?", "1'b0 ?", within=ARRIVALS),
    Fault(CONFIG, "slots-never-given-again", r"wereAllTaken_delay_2 \?", "1'b0 ?", within=ARRIVALS),
    Fault(
        CONFIG, "second-turn-twice", r"(first_\w+ = \(io_added_0_valid)", r"\1 && !io_added_1_valid", within=ARRIVALS
    ),
    Fault(
        CONFIG, "limit-blind-to-the-last-packet", r"listed_packetsFit_1 &&", "listed_packetsFit_0 &&", within=ARRIVALS
    ),
    Fault(
        CONFIG,
        "limit-blind-to-the-last-packets-bytes",
        r"listed_bytesFit_1\)",
        "listed_bytesFit_0)",
        within=ARRIVALS,
    ),
    Fault(
        CONFIG,
        "copied-too-soon",
        r"(ofSelected_isTaken <= )io_snapshot.*;",
        r"\1 registers_io_snapshot;",
        within=ARRIVALS,
    ),
    Fault(
        CONFIG,
        "counted-of-another-queue",
        r"(ofSelected_ofArrivals_index = )\(.*;",
        r"\1 registers_io_window_select;",
        within=ARRIVALS,
    ),
    Fault(
        CONFIG,
        "most-before-the-last-packet",
        r"(ofArrivals_words_written_\d+_1 = \(.*) \+ 14'h0001\)",
        r"\1)",
        within=ARRIVALS,
    ),
    Fault(CONFIG, "begun-anew-too-soon", r"(assign onVerdict_restart =).*;", r"\1 m_departure_valid;", within=ARRIVALS),
)
