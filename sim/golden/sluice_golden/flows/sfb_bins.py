# SPDX-License-Identifier: Apache-2.0
"""The bins of Stochastic Fair BLUE: one of the two sets."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from sluice_golden.blocks.arithmetic.salted_hash import salted_hash
from sluice_golden.blocks.state import State

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Self

CERTAIN = (1 << 16) - 1
COUNTED = 1 << 12  # packets that a bin can count


# A flow comes again and again while its salt is in force.


@functools.lru_cache(maxsize=1 << 14)
def _number(flow: int, salt: int, levels: int, bins: int) -> int:
    slice_bits, bin_bits = 32 // levels, (bins - 1).bit_length()
    mixed = salted_hash(flow, salt)
    number = 0
    for level in range(levels):
        part = mixed >> (level * slice_bits) & ((1 << slice_bits) - 1)
        number |= (part * bins >> slice_bits) << (level * bin_bits)
    return number or 1


@functools.lru_cache(maxsize=1 << 14)
def _places(number: int, levels: int, bin_bits: int) -> tuple[int, ...]:
    mask = (1 << bin_bits) - 1
    return tuple(level << bin_bits | number >> (level * bin_bits) & mask for level in range(levels))


class BinSet(State):
    """Levels of bins, each with a probability and a count of its packets, and the salt by which flows find them."""

    def __init__(self, levels: int, bins: int, salt: int) -> None:
        self.levels, self.bins, self.salt = levels, bins, salt
        self.bin_bits = (bins - 1).bit_length()
        self.probabilities = [0] * (levels << self.bin_bits)
        self.counts = [0] * (levels << self.bin_bits)

    def number(self, flow: int) -> int:
        """The flow's bins, the first level's lowest; never 0, which says that a packet does not count here."""
        return _number(flow, self.salt, self.levels, self.bins)

    def places(self, number: int) -> tuple[int, ...]:
        """Where the bins of a number stand in the lists."""
        return _places(number, self.levels, self.bin_bits)

    def move(self, places: Iterable[int], increment: int, decrement: int, least: int) -> None:
        """An arrival: an empty bin's probability falls, that of one with `least` packets or more rises."""
        counts, probabilities = self.counts, self.probabilities
        for place in places:
            if counts[place] == 0:
                probabilities[place] = max(0, probabilities[place] - decrement)
            elif counts[place] >= least:
                probabilities[place] = min(CERTAIN, probabilities[place] + increment)

    def count(self, number: int, by: int) -> None:
        for place in self.places(number) if number else ():
            self.counts[place] = (self.counts[place] + by) % COUNTED

    def fork(self) -> Self:
        other = super().fork()
        other.probabilities, other.counts = self.probabilities.copy(), self.counts.copy()
        return other
