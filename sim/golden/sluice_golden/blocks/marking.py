# SPDX-License-Identifier: Apache-2.0
"""Up to which probability a scheme marks: beyond it who is ECN-capable is dropped as others are, since marks do not help (RFC
3168, section 7; RFC 7567, section 4.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random
    from collections.abc import Mapping

DEFAULT_MOST = 1 << 29
"""1/4, Q1.31, of RFC 9332's p_Cmax, from where on its classic queue drops."""


def marks(parameters: Mapping[str, int], is_ect: bool, probability: int) -> bool:
    """Whether a packet is marked that is taken with a probability, in the format of `mark_most`."""
    return bool(parameters["ecn"] and is_ect and probability <= parameters["mark_most"])


def most_beside(rng: random.Random, probability: int) -> dict[str, int]:
    """`mark_most` as a probability, or one less, with which it just does not mark, or one more."""
    return {"mark_most": min(max(0, probability + rng.randint(-1, 1)), 1 << 31)}
