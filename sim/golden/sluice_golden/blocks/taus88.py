# SPDX-License-Identifier: Apache-2.0
"""The tile's random generator: taus88 of P. L'Ecuyer, Mathematics of Computation 65, 1996, figure 1."""

from __future__ import annotations

_MASK32 = 0xFFFFFFFF

#: State after reset.
DEFAULT_SEEDS = (0x9E3779B9, 0x7F4A7C15, 0xF39CC060)

#: Smallest legal value of each word of state.
LEAST_SEEDS = (2, 8, 16)


def seed_words(seed: int) -> tuple[int, int, int]:
    """Three words of state from one seed: successive steps of the congruential generator 69069, lifted into the legal range."""
    words = []
    state = seed & _MASK32 or 1
    for least in LEAST_SEEDS:
        state = (69069 * state) & _MASK32
        words.append(state if state >= least else state + least)
    return words[0], words[1], words[2]


class Taus88:
    """One generator; :meth:`draw` advances it by one step."""

    def __init__(self, seeds: tuple[int, int, int] = DEFAULT_SEEDS) -> None:
        self.s1, self.s2, self.s3 = seeds

    def draw(self) -> int:
        """The next 32-bit word."""
        s1, s2, s3 = self.s1, self.s2, self.s3
        s1 = (((s1 & 0xFFFFFFFE) << 12) & _MASK32) ^ ((((s1 << 13) & _MASK32) ^ s1) >> 19)
        s2 = (((s2 & 0xFFFFFFF8) << 4) & _MASK32) ^ ((((s2 << 2) & _MASK32) ^ s2) >> 25)
        s3 = (((s3 & 0xFFFFFFF0) << 17) & _MASK32) ^ ((((s3 << 3) & _MASK32) ^ s3) >> 11)
        self.s1, self.s2, self.s3 = s1, s2, s3
        return s1 ^ s2 ^ s3
