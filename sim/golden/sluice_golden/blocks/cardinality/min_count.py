# SPDX-License-Identifier: Apache-2.0
"""How many flows are there? MINCOUNT of F. Giroire (AofA 2005, Discrete Applied Mathematics 157, 2009), exact integer model.

The first bits of a flow's hash choose one of m buckets, the next 20 are a number in [0, 1); each bucket keeps the k smallest
numbers that are not equal. One flow is one number, however many packets it has, and the more flows there are the smaller the
numbers. A number is kept as its complement, how near it is to 0, so that 0 says that there is none: a flow with the largest
number of all, one in a million, is not seen. The estimates are Q24.8. The float reference is
:mod:`sluice_golden.blocks.cardinality.min_count_reference`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sluice_golden.blocks.arithmetic.logarithm import FRACTION, logarithm, power
from sluice_golden.blocks.state import State

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

    Numbers = np.ndarray[tuple[int, ...], np.dtype[np.int64]]

HASH_BITS = 32
NUMBER_BITS = 20
FLOWS_BITS = 32
FLOWS_FRACTION = 8
_LARGEST = (1 << NUMBER_BITS) - 1

LINEAR_BELOW = (3, 4, 5)
"""Linear counting is used while it gives less than so many flows per bucket, for k = 1, 2, 3."""


@dataclass(frozen=True, slots=True)
class Count:
    """What is said of a window."""

    flows: int  # Q24.8, all ones if it is more
    arrivals: int  # modulo 2^32
    stored: int  # numbers kept in all buckets


def kept(hashes: Numbers, buckets: int, values: int) -> Numbers:
    """The bucket's numbers as they are kept, nearest to 0 first, a row for each bucket."""
    numbers = np.sort(hashes >> (HASH_BITS - NUMBER_BITS - (buckets.bit_length() - 1)))  # behind their buckets
    distinct = numbers[(np.diff(numbers, prepend=-1) != 0) & (numbers & _LARGEST != _LARGEST)]
    begins = np.searchsorted(distinct >> NUMBER_BITS, np.arange(buckets + 1))
    rows = np.zeros((buckets, values), dtype=np.int64)
    for rank in range(values):
        has = begins[:-1] + rank < begins[1:]
        rows[has, rank] = _LARGEST - (distinct[(begins[:-1] + rank)[has]] & _LARGEST)
    return rows


def exposure(rows: Numbers) -> int:
    """m (stored - full / m) / sum of x: the flows found over the share of the hashes in which they were looked for.

    x is the k-th number of a full bucket, taken for the middle of what its bits stand for, and 1 of another one. With all numbers
    times 2^21 there are only whole ones, and one division.
    """
    found, searched = exposed(rows)
    return min(found // searched, (1 << FLOWS_BITS) - 1)


def exposed(rows: Numbers) -> tuple[int, int]:
    """What that division is of."""
    buckets, last = len(rows), rows[:, -1]
    stored, full = int(np.count_nonzero(rows)), int(np.count_nonzero(last))
    searched = (buckets << NUMBER_BITS + 1) - 2 * int(last.sum()) - full
    return buckets * stored - full << NUMBER_BITS + 1 + FLOWS_FRACTION, searched


def log2_constant(buckets: int, values: int) -> int:
    """log2 of what the geometric mean of 1/x is multiplied by to be without bias, as a logarithm."""
    constant = buckets * (math.lgamma(values) - math.lgamma(values - 1 / buckets))
    return round((constant / math.log(2) + math.log2(buckets)) * (1 << FRACTION))


def linear(empty: int, buckets: int) -> int:
    """Linear counting, by how many buckets are empty."""
    return round(buckets * math.log(buckets / empty) * (1 << FLOWS_FRACTION))


def log_mean(rows: Numbers) -> int:
    """The estimate from the mean of the logarithms of x; linear counting where that is small."""
    buckets, values = rows.shape
    empty = buckets - int(np.count_nonzero(rows[:, 0]))
    if empty > buckets * math.exp(-LINEAR_BELOW[values - 1]):
        return linear(empty, buckets)
    xs = np.where(rows[:, -1] == 0, _LARGEST + 1 << 1, 2 * (_LARGEST - rows[:, -1]) + 1)
    total = sum(map(logarithm, xs.tolist()))
    mean = (total + buckets // 2) // buckets - (NUMBER_BITS + 1 << FRACTION)
    return power(log2_constant(buckets, values) + (FLOWS_FRACTION << FRACTION) - mean)


class MinCount(State):
    """Counts flows by their hashes, window after window."""

    def __init__(self, buckets: int, values: int = 3, estimate: Callable[[Numbers], int] = exposure) -> None:
        self.buckets = buckets
        self.values = values
        self._estimate = estimate
        self._arrivals = 0
        self._seen: set[int] = set()
        self.view: dict[str, int] = {}
        """What the exposure estimate of the last window was made of, by the names of the counter's views; nothing before it."""

    def fork(self) -> Self:
        other = super().fork()
        other._seen = self._seen.copy()
        return other

    def arrive(self, flow_hash: int) -> None:
        """A packet of a flow; its hash has 32 well-mixed bits."""
        self._arrivals += 1
        self._seen.add(flow_hash)

    def end_window(self) -> Count:
        """What there was since the last window ended."""
        rows = kept(np.fromiter(self._seen, dtype=np.int64), self.buckets, self.values)
        count = self._counted(rows, self._arrivals)
        found, searched = exposed(rows)
        self.view = {"searched": searched, "rest": found % searched}
        self._arrivals = 0
        self._seen.clear()
        return count

    def count(self, hashes: Numbers, arrivals: int) -> Count:
        """The same of a window whose hashes are all known."""
        return self._counted(kept(hashes, self.buckets, self.values), arrivals)

    def _counted(self, rows: Numbers, arrivals: int) -> Count:
        return Count(self._estimate(rows), arrivals % (1 << 32), int(np.count_nonzero(rows)))
