# SPDX-License-Identifier: Apache-2.0
"""Takes each event with a given probability."""

from __future__ import annotations


def is_taken(draw: int, probability: int) -> bool:
    """``draw`` Q0.32, ``probability`` Q1.31: 0 never takes, 1 always."""
    return draw < 2 * probability
