# SPDX-License-Identifier: Apache-2.0
"""All windows of captures that the jackknife can tell apart, and what it reads in its tables for each: for tests, which lead a
core to the windows that read what random ones do not.

A window of t captures is a row f_1..f_5, S: flows that are there more than five times count only together. There are
2,219,475 of up to 64 captures.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from sluice_golden.blocks.estimators import jackknife
from sluice_golden.blocks.estimators.jackknife import ORDERS, Coefficients
from sluice_golden.blocks.table import Table

Array = np.ndarray[Any, np.dtype[np.int64]]
Entry = tuple[str, int]
"""Name of a table, and index."""


def windows(captures: int) -> Array:
    """All of that many captures, a row of f_1..f_5 and S each."""
    rows = np.zeros((1, ORDERS), dtype=np.int64)
    left = np.array([captures])
    for i in range(ORDERS):  # as many flows of i + 1 captures as there is room for
        most = left // (i + 1)
        rows, left = np.repeat(rows, most + 1, axis=0), np.repeat(left, most + 1)
        rows[:, i] = _numbers(most + 1)
        left = left - (i + 1) * rows[:, i]
    # And what is left is of flows that are there six times or more, of one or of many.
    is_window = (left == 0) | (left > ORDERS)
    rows, left = rows[is_window], left[is_window]
    kinds = np.maximum(left // (ORDERS + 1), 1)
    many = np.repeat(left > 0, kinds) * (1 + _numbers(kinds))
    rows = np.repeat(rows, kinds, axis=0)
    return np.column_stack([rows, rows.sum(axis=1) + many])


def _numbers(counts: Array) -> Array:
    """0, 1, ... for each of the counts, so many of them."""
    numbers: Array = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return numbers


def flows(window: tuple[int, ...], captures: int) -> list[int]:
    """How often each flow of a window is there."""
    *frequencies, distinct = window
    counts = [i for i, f in enumerate(frequencies, start=1) for _ in range(f)]
    many = distinct - len(counts)
    return counts + [ORDERS + 1] * (many - 1) + [captures - sum(counts) - (ORDERS + 1) * (many - 1)] * (many > 0)


@functools.cache
def readers(captures: int) -> dict[Entry, tuple[int, ...]]:
    """Of each entry that windows of that many captures read in the tables of an interpolation, one of these windows."""
    found: dict[Entry, tuple[int, ...]] = {}
    rows = windows(captures)
    for table, read_by, entries in _reads(rows, captures):
        for entry, first in zip(*np.unique(entries, return_index=True), strict=True):
            found.setdefault((table, int(entry)), tuple(map(int, rows[read_by[first]])))
    return found


@functools.cache
def readable(capacity: int) -> frozenset[Entry]:
    """All entries that windows of up to so many captures read."""
    return frozenset(entry for captures in range(1, capacity + 1) for entry in readers(captures))


def _reads(rows: Array, captures: int) -> list[tuple[str, Array, Array]]:
    """The name of a table, numbers of rows, and the entries that they read; as `jackknife.estimate` does."""
    distinct, table = rows[:, ORDERS], Coefficients.exact(captures)
    differences, rests, accepted = [], [], []
    for m in range(1, ORDERS):
        f = rows[:, : m + 1]
        d = ((f * [b if i % 2 == 0 else -b for i, b in enumerate(table.steps[m - 1])]).sum(axis=1) + 16) >> 5
        v = (f * table.squares[m - 1]).sum(axis=1)
        differences.append(d)
        rests.append(distinct * v - (d * d >> 6))
        accepted.append((m < captures) & (d * d <= v * _entries(jackknife.LIMIT_OF_TEST)[distinct] >> 10))
    order = np.where(np.any(accepted, axis=0), np.argmax(accepted, axis=0) + 1, ORDERS)
    reads = []
    for m in range(2, ORDERS):
        at = np.flatnonzero(order == m)
        distances = []
        for tested in (m - 2, m - 1):
            d, y = np.abs(differences[tested][at]), rests[tested][at]
            index = np.where(d == 0, 0, len(jackknife.DISTANCE) - 1)
            has_log = (d > 0) & (y > 0)
            logs = []
            for x in (d[has_log], y[has_log]):
                exponent = np.frexp(x)[1] - 1
                mantissa = (x << 10 >> exponent) & 1023
                reads.append((jackknife.LOG2_MANTISSA.name, at[has_log], mantissa))
                logs.append((exponent << 12) + _entries(jackknife.LOG2_MANTISSA)[mantissa])
            less_one = _entries(jackknife.LOG2_LESS_ONE)[distinct[at][has_log]]
            index[has_log] = jackknife.index_of_distance(2 * logs[0] + less_one - logs[1])
            index = np.clip(index, 0, len(jackknife.DISTANCE) - 1)
            reads.append((jackknife.DISTANCE.name, at, index))
            distances.append(_entries(jackknife.DISTANCE)[index])
        total = distances[0] + distances[1]
        mantissa = (total << 18 - np.frexp(total)[1] >> 7) & 1023
        reads.append((jackknife.RECIPROCAL.name, at[total > 0], mantissa[total > 0]))
    return reads


def _entries(table: Table) -> Array:
    return np.array(table.entries)
