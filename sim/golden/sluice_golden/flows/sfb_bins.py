# SPDX-License-Identifier: Apache-2.0
"""The bins of Stochastic Fair BLUE: one of the two sets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice_golden.blocks.salted_hash import salted_hash
from sluice_golden.blocks.state import State

if TYPE_CHECKING:
    from typing import Self

CERTAIN = (1 << 16) - 1
COUNTED = 1 << 12  # packets that a bin can count


class BinSet(State):
    """Levels of bins, each with a probability and a count of its packets, and the salt by which flows find them."""

    def __init__(self, levels: int, bins: int, salt: int) -> None:
        self.levels, self.bins, self.salt = levels, bins, salt
        self.bin_bits = (bins - 1).bit_length()
        self.probabilities = [0] * (levels << self.bin_bits)
        self.counts = [0] * (levels << self.bin_bits)

    def number(self, flow: int) -> int:
        """The flow's bins, the first level's lowest; never 0, which says that a packet does not count here."""
        slice_bits = 32 // self.levels
        mixed = salted_hash(flow, self.salt)
        number = 0
        for level in range(self.levels):
            part = mixed >> (level * slice_bits) & ((1 << slice_bits) - 1)
            number |= (part * self.bins >> slice_bits) << (level * self.bin_bits)
        return number or 1

    def places(self, number: int) -> list[int]:
        """Where the bins of a number stand in the lists."""
        mask = (1 << self.bin_bits) - 1
        return [level << self.bin_bits | number >> (level * self.bin_bits) & mask for level in range(self.levels)]

    def move(self, places: list[int], increment: int, decrement: int, least: int) -> None:
        """An arrival: an empty bin's probability falls, that of one with `least` packets or more rises."""
        for place in places:
            if self.counts[place] == 0:
                self.probabilities[place] = max(0, self.probabilities[place] - decrement)
            elif self.counts[place] >= least:
                self.probabilities[place] = min(CERTAIN, self.probabilities[place] + increment)

    def count(self, number: int, by: int) -> None:
        for place in self.places(number) if number else ():
            self.counts[place] = (self.counts[place] + by) % COUNTED

    def fork(self) -> Self:
        other = super().fork()
        other.probabilities, other.counts = self.probabilities.copy(), self.counts.copy()
        return other
