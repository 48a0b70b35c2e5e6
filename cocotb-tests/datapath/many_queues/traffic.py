# SPDX-License-Identifier: Apache-2.0
"""What comes to a datapath of many queues: frames of all kinds, and the runs that the tests compare."""

from __future__ import annotations

import random
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from datapath.frames.sized import MOST, udp
from datapath.many_queues.classes import dscps_of, few_classes
from datapath.many_queues.rows import Rows, Sent, beats_of, lanes_of

if TYPE_CHECKING:
    from collections.abc import Sequence

NAME = "fq-codel-1k-64"
NAMES = (NAME, "fq-codel-1k-512", "wred-1k-64")
BY_DSCP = "wred-1k-64"
"""The one in which a frame's DSCP says its queue and its colour."""
SIZES = (60, 60, 61, 64, 65, 72, 128, 129, 200, 576, 1000, 1514, 1514)
NS_PER_BYTE_FRACTION = 18
SERIAL = 4
"""Bytes at the end of each long frame that tell it from all others."""
LAWS = (
    {"target": 2000, "interval": 20_000, "ecn": 1, "mark_most": 255, "ce_threshold": 8000},
    {"target": 1000, "interval": 3000, "min_bytes": 0},
    {"target": 3000, "interval": 10_000, "ecn": 1, "mark_most": 4},
)
LONG_REST = 60_000
"""Clocks in which all that waits leaves."""


@cache
def kinds(dscps: tuple[int, ...] = ()) -> tuple[bytes, ...]:
    """Frames of many flows, sizes and ECN fields, and of these DSCPs."""
    rng = random.Random(1)
    return tuple(
        udp(rng, rng.choice(SIZES), rng.randrange(4), rng.choice((4, 6)), rng.choice(dscps) if dscps else 0)
        for _ in range(400)
    )


def numbered(frame: bytes, number: int) -> bytes:
    """The frame with a number at its end, where that is no header."""
    return frame[:-SERIAL] + number.to_bytes(SERIAL, "big") if len(frame) > 100 else frame


def frames(
    rng: random.Random, count: int, gaps: Sequence[int], *, odd: float = 0.0, dscps: Sequence[int] = ()
) -> list[Sent]:
    """So many, with idle clocks before each, and now and then one that is bad, overlong, the longest, short, or no packet."""
    sent = []
    for number in range(count):
        data, is_bad = numbered(rng.choice(kinds(tuple(dscps))), number), False
        if rng.random() < odd:
            odds = (
                (rng.randbytes(rng.choice((1, 7, 8, 9, 63, 64, 65))), False),
                (data, True),
                (rng.randbytes(rng.randint(1, MOST)), True),
                (rng.randbytes(MOST + rng.randint(1, 300)), False),
                (numbered(udp(rng, MOST, ecn=1), number), False),
            )
            data, is_bad = rng.choices(odds, (6, 6, 1, 1, 1))[0]
        sent.append(Sent(data, rng.choice(gaps), is_bad))
    return sent


def is_good(frame: Sent) -> bool:
    return not frame.is_bad and len(frame.data) <= MOST


def clocks_of(sent: Sequence[Sent], name: str) -> int:
    """That the input takes for them."""
    lanes = lanes_of(name)
    return sum(frame.gap + beats_of(len(frame.data), lanes) for frame in sent)


def ready(rng: random.Random, clocks: int, share: float) -> np.ndarray:
    """Whether the output takes a beat in each clock: stretches of any rate that are as good as this share, then always."""
    takes = np.random.default_rng(rng.getrandbits(32)).random(clocks) < share
    return np.concatenate([takes, np.ones(LONG_REST, bool)]).astype(np.uint8)


def run_by_model(name: str, seed: int, count: int = 700) -> Rows:
    """Frames that come a little too fast for the link, or much, in turn; the buffer's cells do not bind."""
    rng = random.Random(seed)
    classes = few_classes(seed) if name == BY_DSCP else None
    law = {} if classes else LAWS[seed % len(LAWS)]
    gaps = ((0,), (0, 0, 400), (0, 30, 200))[seed % 3]
    half = (1 << NS_PER_BYTE_FRACTION) * 8 // lanes_of(name)  # of what the output takes
    link = ({}, {"ns_per_byte": half, "overhead": 24}, {"ns_per_byte": 3 * half})
    settings = {"limit": 250, "limit_bytes": 45_000, "queue_quantum": (300, 1514, 9600)[seed % 3]} | law
    settings |= link[seed // 2 % 3] | {"burst": 600}
    sent = frames(rng, count, gaps, odd=0.1, dscps=dscps_of(classes) if classes else ())
    share = (0.3, 1.0, 0.9)[seed // 2 % 3]
    return Rows(name, settings, sent, ready(rng, clocks_of(sent, name), share), classes=classes)


def run_of_overload(name: str, seed: int, count: int = 2500) -> Rows:
    """Frames at line rate before an output that takes a part of them: the buffer's cells bind. Several times what it holds."""
    rng = random.Random(seed)
    classes = few_classes(seed) if name == BY_DSCP else None
    sent = frames(rng, count, (0, 0, 0, 3), odd=0.15, dscps=range(64) if classes else ())
    law = {"target": 20_000, "interval": 100_000, "ecn": 1} if seed % 2 else {"target": 1000, "interval": 2000}
    settings = {"limit": 4000} | ({} if classes else law)
    return Rows(name, settings, sent, ready(rng, clocks_of(sent, name), (0.3, 0.05, 0.5)[seed % 3]))
