# SPDX-License-Identifier: Apache-2.0
"""How much is queued of each flow, class or bin."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class IndexedOccupancy:
    """Occupancies modulo 2^width, all 0 at first."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.amounts: Counter[int] = Counter()

    def look_up(self, index: int) -> int:
        """What all clocks before have left of an index."""
        return self.amounts[index] % (1 << self.width)

    def change(self, added: tuple[int, int] | None, removed: Iterable[tuple[int, int] | None]) -> None:
        """The changes of one clock: index and amount of each."""
        if added:
            self.amounts[added[0]] += added[1]
        for index, amount in filter(None, removed):
            self.amounts[index] -= amount
