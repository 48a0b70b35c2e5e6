# SPDX-License-Identifier: Apache-2.0
"""A tile whose counters begin shortly before they wrap, for tests and their mutants.

No test can count to 2^48. So DropTail's tile, which refuses nothing of its own, is tested as a copy that differs in nothing but
what its counters hold after a reset, and every carry between their bits happens.
"""

from __future__ import annotations

import os
import random
import re

CONFIG = "droptail"
"""Of which the tile is tested so."""

EXPECTED = "SLUICE_FAR_COUNTERS"
"""The environment variable that tells a bench of it."""

_WIDTH = 48
_COMMON = ("received_packets", "received_bytes", "dropped_bytes", "departed_packets", "departed_bytes")
_OVERLIMIT = "overlimit_drop"
"""The only one by reason."""
_RESET = re.compile(rf"(accountant_(common|byReason)_(\d+) <= ){_WIDTH}'h0;")


def start(counter: str) -> int:
    """What a counter of the copy holds after a reset: so much, and other low bits in each, that all of them wrap among 2^18
    packets of 2^16 bytes."""
    until_it_wraps = random.Random(counter).randrange(1 << 16, 1 << 17)
    return (1 << _WIDTH) - (until_it_wraps << (16 if counter.endswith("_bytes") else 0))


def are_expected() -> bool:
    """Whether this bench has the copy."""
    return EXPECTED in os.environ


def since(counter: str, value: int) -> int:
    """What a counter of the copy has counted."""
    return value if counter.startswith("queue_") else (value - start(counter)) % (1 << _WIDTH)


def far(source: str) -> str:
    """The copy of a tile's Verilog."""

    def reset(match: re.Match[str]) -> str:
        counter = _COMMON[int(match[3])] if match[2] == "common" else _OVERLIMIT
        return f"{match[1]}{_WIDTH}'h{start(counter):x};"

    text, count = _RESET.subn(reset, source)
    if count <= len(_COMMON):
        raise ValueError(f"only {count} counters were found")
    return text
