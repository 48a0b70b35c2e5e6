# SPDX-License-Identifier: Apache-2.0
"""Flows that come again, for the walks of models that keep something for each flow: an entry that is written wrongly, or in
another's place, or that is of before a reset, shows only when it is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random

_BUCKETS = (7, 0x155, 0x2AA, 0x3FF)


def returning(rng: random.Random, bits: int, count: int) -> list[int]:
    """The ids of so many flows: all of one of a few buckets, always the same ones, or of its neighbours by one bit. A flow's
    bucket is the low bits of its id."""
    bucket = rng.choice(_BUCKETS) % (1 << bits)
    beside = [rng.choice((0, 1 << rng.randrange(bits))) for _ in range(count)]
    return [rng.getrandbits(32 - bits) << bits | bucket ^ bit for bit in beside]
