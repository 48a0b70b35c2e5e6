# SPDX-License-Identifier: Apache-2.0
"""Up to which probability a scheme marks: beyond it who is ECN-capable is dropped as others are, since marks do not help (RFC
3168, section 7; RFC 7567, section 4.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice_golden.blocks.beside import beside

if TYPE_CHECKING:
    import random
    from collections.abc import Mapping

DEFAULT_MOST = 1 << 29
"""1/4, Q1.31, of RFC 9332's p_Cmax, from where on its classic queue drops."""


def marks(parameters: Mapping[str, int], is_ect: bool, probability: int) -> bool:
    """Whether a packet is marked that is taken with a probability, in the format of `mark_most`."""
    return bool(parameters["ecn"] and is_ect and probability <= parameters["mark_most"])


def most_beside(rng: random.Random, probability: int) -> dict[str, int]:
    """Marking on, up to `mark_most` beside a probability."""
    return {"ecn": 1, "mark_most": beside(rng, probability, 1 << 31)}
