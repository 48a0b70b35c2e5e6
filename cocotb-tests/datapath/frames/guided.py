# SPDX-License-Identifier: Apache-2.0
"""Frames that are bred towards what the golden models have not yet done: whoever takes them a new way has offspring.

A way is a step from one line of a model to the next, as often as it is taken, in powers of two. Steps are seen by Python's own
tracing.
"""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

from sluice_golden.packets import frame_parser, rtt_option

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

    from sluice_golden.packets.frame_parser import Seen
    from sluice_golden.packets.rtt_option import RttSeen

_FILES = {frame_parser.__file__, rtt_option.__file__}
_MOST = 400
"""Bytes of a frame; a parser sees the first 128."""

_BYTES = (
    0,
    1,
    2,
    4,
    5,
    6,
    8,
    17,
    20,
    27,
    30,
    41,
    43,
    44,
    45,
    47,
    51,
    58,
    59,
    60,
    69,
    70,
    79,
    96,
    115,
    128,
    132,
    135,
    158,
    255,
)
"""Lengths, versions and protocol numbers that mean something to a parser, and the borders of a byte."""

_TYPES = "0800 86dd 8100 88a8 8847 8848 8863 8864 6558 0806 0021 0057 aaaa 0868 12b5 17c1 06a5 2000 3fff 51ce 880b"
_WORDS = tuple(bytes.fromhex(word) for word in _TYPES.split())
"""Types, ports and the identifier of the option."""

Judged = tuple[bytes, "Seen", "RttSeen"]
"""A frame, and what the parser and the reader of the option make of it."""


def guided(rng: random.Random, ancestors: list[bytes], count: int) -> Iterator[Judged]:
    """That many frames, the ancestors first, each with what the models say of it."""
    known: set[tuple[Any, ...]] = set()
    family: list[bytes] = []
    for number in range(count):
        if number < len(ancestors):
            frame = ancestors[number]
        else:
            # Half of the parents are of the youngest.
            parents = family[-20:] if rng.random() < 0.5 else family
            frame = _child(rng, rng.choice(parents), rng.choice(family))
        ways, seen, told = _walked(frame)
        if not ways <= known:
            known |= ways
            family.append(frame)
        yield frame, seen, told


def _walked(frame: bytes) -> tuple[set[tuple[Any, ...]], Seen, RttSeen]:
    """The ways that a frame takes through the models, and what they say."""
    steps: Counter[tuple[Any, ...]] = Counter()

    def enter(entered: Any, _event: str, _argument: Any) -> Any:
        if entered.f_code.co_filename not in _FILES:
            return None
        last = 0

        def step(here: Any, _event: str, _argument: Any) -> Any:
            nonlocal last
            steps[here.f_code, last, here.f_lineno] += 1
            last = here.f_lineno
            return step

        return step

    before = sys.gettrace()
    sys.settrace(enter)
    try:
        seen, told = frame_parser.parse(frame), rtt_option.read(frame)
    finally:
        sys.settrace(before)
    return {(*way, often.bit_length()) for way, often in steps.items()}, seen, told


def _child(rng: random.Random, parent: bytes, other: bytes) -> bytes:
    """With one to four changes, mostly among the first 128 bytes."""
    frame = bytearray(parent)
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(min(len(frame), 128 if rng.random() < 0.9 else _MOST) or 1)
        match rng.randrange(8):
            case 0 | 1:
                frame[at : at + 1] = bytes([rng.choice(_BYTES)])
            case 2 | 3:
                frame[at : at + 2] = rng.choice(_WORDS)
            case 4:
                frame[at : at + 1] = bytes([(frame[at] if frame else 0) ^ 1 << rng.randrange(8)])
            case 5:
                del frame[at : at + rng.choice((1, 2, 4, 8))]
            case 6:
                begin = rng.randrange(len(other) or 1)
                frame[at:at] = other[begin : begin + rng.choice((1, 2, 4, 8, 20, 40))]
            case _ if rng.random() < 0.3:
                del frame[at:]
    return bytes(frame[:_MOST]) or b"\0"
