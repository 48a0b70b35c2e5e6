# SPDX-License-Identifier: Apache-2.0
"""f_1..f_5 and S of the captures in a window, kept from change to change.

``seen[k]`` is the number of flows that are there more than k times, so one capture and one removal each change one of them:
S = seen[0], f_i = seen[i - 1] - seen[i].
"""

from __future__ import annotations

from collections import Counter
from operator import sub
from typing import TYPE_CHECKING

from sluice_golden.blocks.state import State

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Self

FREQUENCIES = 5


class FrequencyCounter(State):
    """Counts change by change; :meth:`recount` is the scrubber."""

    def __init__(self) -> None:
        self.seen = [0] * (FREQUENCIES + 1)

    def fork(self) -> Self:
        other = super().fork()
        other.seen = self.seen.copy()
        return other

    def capture(self, count: int) -> None:
        """A flow has come to ``count`` entries."""
        if count <= FREQUENCIES + 1:
            self.seen[count - 1] += 1

    def remove(self, rank: int) -> None:
        """A flow with ``rank`` newer entries has lost its oldest."""
        if rank <= FREQUENCIES:
            self.seen[rank] -= 1

    def recount(self, ranks: Iterable[int]) -> None:
        """From the rank of every entry: a flow of c entries has one of each rank 0..c-1."""
        found = Counter(ranks)
        self.seen = [found[k] for k in range(FREQUENCIES + 1)]

    @property
    def distinct(self) -> int:
        """S."""
        return self.seen[0]

    @property
    def frequencies(self) -> tuple[int, ...]:
        """f_1..f_5."""
        return tuple(map(sub, self.seen, self.seen[1:]))
