# SPDX-License-Identifier: Apache-2.0
"""A table of the hardware that knows how often each of its entries was read, so that a test can tell what it has not tested."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    import random
    from collections.abc import Iterable, Iterator


class Table:
    """Integers by index."""

    _looked_up: ClassVar[list[tuple[str, int]] | None] = None

    def __init__(self, name: str, entries: Iterable[int]) -> None:
        self.name = name
        self.entries = list(entries)
        self.reads = [0] * len(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def __getitem__(self, index: int) -> int:
        return self.read(index)

    def read(self, index: int, *, is_whole: bool = True) -> int:
        """An entry. The read counts where all bits of the entry matter to what is made of it."""
        if Table._looked_up is not None:
            Table._looked_up.append((self.name, index))
        elif is_whole:
            self.reads[index] += 1
        return self.entries[index]

    def seldom_read(self, rng: random.Random) -> int:
        """An index, the sooner the less its entry was read."""
        return min((rng.randrange(len(self)) for _ in range(8)), key=self.reads.__getitem__)

    def forget(self) -> None:
        """Counts anew."""
        self.reads = [0] * len(self.entries)

    @staticmethod
    @contextmanager
    def uncounted() -> Iterator[list[tuple[str, int]]]:
        """Reads in this context do not count: those of a model that only looks ahead. Table and index of each are listed."""
        before, Table._looked_up = Table._looked_up, []
        try:
            yield Table._looked_up
        finally:
            Table._looked_up = before
