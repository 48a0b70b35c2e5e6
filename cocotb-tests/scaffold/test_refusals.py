# SPDX-License-Identifier: Apache-2.0
"""A core that breaks the contract fails to elaborate, with a line that says why. The generator tries one for each mistake."""

from __future__ import annotations

import json

import pytest
from lib.simulation import RTL

REFUSALS = {
    "tick without clocks": "wrong declares the tick beat, but no tickCycles: clocks that it works for",
    "head and samples": "wrong: no tile can both sample the queue and judge heads so far",
    "victims without samples": "a victim is a sampled packet, and no sample is asked for",
    "quanta of one queue": "to choose queues, to weigh them, to pick late or to have profiles of them there must be several",
    "head in no time": "wrong judges heads if and only if it takes clocks for it, and says true and 0",
    "long name": "thirteen-long: a name has at most 12 characters",
    "a word's name twice": "wrong: several words are called LIMIT",
    "too fast": "wrong is too fast: the tile prepares its limits meanwhile",
    "fewer packets than the ring's": "wrong: wrong counts up to 47 packets, and a ring of 64 holds 48",
    "an option beyond its bounds": "candidates must be 1..4, not 5",
    "an option that is no power of two": "buckets must be 64..16384, a power of two, not 96",
    "an option's strange word": "list must be cam or table, not tree",
    "an option that is none": "care has no option size; it has: capacity, list",
}


@pytest.mark.parametrize(
    ("mistake", "message"), [*REFUSALS.items(), ("none", ""), ("as many packets as the ring's", "")]
)
def test_a_mistake_is_refused(mistake: str, message: str) -> None:
    """And the same core without any is not."""
    assert json.loads((RTL / "refusals.json").read_text())[mistake] == message
