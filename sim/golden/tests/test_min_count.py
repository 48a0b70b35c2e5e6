# SPDX-License-Identifier: Apache-2.0
"""MINCOUNT's integer model against the insertion and the formulas of the paper, and its errors against those of its page."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from sluice_golden.blocks.arithmetic.salted_hash import salted_hash
from sluice_golden.blocks.cardinality.min_count import HASH_BITS, NUMBER_BITS, MinCount, exposure, kept, log_mean
from sluice_golden.blocks.cardinality.min_count_reference import MinCountReference

PAGE = Path(__file__).resolve().parents[3] / "docs" / "blocks" / "min-count.md"
COLUMNS = [(64, exposure), (256, exposure), (1024, exposure), (1024, log_mean)]
"""Of the page's table, after flows and windows."""


def hashes(rng: np.random.Generator, flows: int) -> np.ndarray:
    return rng.integers(0, 1 << HASH_BITS, flows)


@pytest.mark.parametrize(("buckets", "values"), [(64, 1), (64, 2), (256, 3), (1024, 3)])
def test_a_bucket_keeps_what_insertion_keeps(buckets: int, values: int) -> None:
    """In any order, with flows that come again and others that share a number."""
    rng = np.random.default_rng(values)
    unused = HASH_BITS - NUMBER_BITS - (buckets.bit_length() - 1)
    flows = hashes(rng, 2000)
    flows[::2] &= ~(0xFFF0 << unused) % (1 << HASH_BITS)  # of few different numbers
    arrivals = rng.choice(flows, 5000)
    arrivals[arrivals >> unused & (1 << NUMBER_BITS) - 1 == (1 << NUMBER_BITS) - 1] = 0
    reference = MinCountReference(buckets, values)
    for arrival in arrivals.tolist():
        reference.arrive((arrival >> unused << unused) / (1 << HASH_BITS))
    found = [
        [1 - (number + 1) / (1 << NUMBER_BITS) for number in row if number]
        for row in kept(arrivals, buckets, values).tolist()
    ]
    assert found == reference.smallest


@pytest.mark.parametrize(("buckets", "values"), [(64, 1), (64, 2), (256, 3), (1024, 3)])
@pytest.mark.parametrize("estimate", [exposure, log_mean])
def test_the_estimates_are_those_of_the_formulas(buckets: int, values: int, estimate) -> None:
    """But for the last bit, numbers of 20 bits, and the logarithms' and powers' tables."""
    rng = np.random.default_rng(buckets)
    error = 3e-5 if estimate is exposure else 1 / 600
    for flows in (0, 1, 2, 10, 50, 100, 300, 1000, 3000, 10_000):
        given = hashes(rng, flows)
        reference = MinCountReference(buckets, values)
        for flow_hash in given.tolist():
            reference.arrive(flow_hash / (1 << HASH_BITS))
        exact = reference.exposure() if estimate is exposure else reference.log_mean()
        count = MinCount(buckets, values, estimate).count(given, flows)
        assert count.stored == reference.stored
        assert count.flows / 256 == pytest.approx(exact, rel=error, abs=1 / 256)


def test_the_ends() -> None:
    """No flow is none, one is one, and more than the format has are all ones; a flow that nobody sees has the largest number."""
    counter = MinCount(64)
    assert (counter.end_window().flows, counter.count(np.array([5]), 1).flows) == (0, 256)
    nearest = np.add.outer(np.arange(64) << 26, np.arange(3) << 6).ravel()
    for estimate in (exposure, log_mean):
        assert MinCount(64, 3, estimate).count(nearest, 192).flows == (1 << 32) - 1
    assert MinCount(64).count(np.array([(1 << 26) - 1]), 1).stored == 0


def test_windows_follow_each_other() -> None:
    rng = np.random.default_rng(1)
    counter = MinCount(256)
    for flows in (300, 0, 5000):
        arrivals = rng.choice(hashes(rng, max(flows, 1)), 2 * flows)
        for arrival in arrivals.tolist():
            counter.arrive(arrival)
        assert counter.end_window() == MinCount(256).count(arrivals, 2 * flows)


EXPECTED = {10: 0.0, 100: 0.06, 1000: 0.48, 10_000: 1.6, 100_000: 1.8}
"""Deviation of the exposure estimate with 1,024 buckets, from simulations of the formulas."""


def rows() -> list[tuple[int, int, list[tuple[float, float]]]]:
    """Of the page's table: flows, windows, and mean error and deviation of each column in %."""
    lines = re.findall(r"^\| ([\d,]+) \| ([\d,]+) \| (.*) \|$", PAGE.read_text(), re.MULTILINE)

    def number(text: str) -> int:
        return int(text.replace(",", ""))

    cells = ([tuple(float(x) for x in re.findall(r"-?[\d.]+", cell)) for cell in line[2].split("|")] for line in lines)
    return [(number(line[0]), number(line[1]), row) for line, row in zip(lines, cells, strict=True)]


def errors(flows: int, windows: int) -> list[tuple[float, float]]:
    """The same as measured: flows of consecutive ids, a salt for each window."""
    rng = np.random.default_rng(flows)
    counted: list[list[float]] = [[] for _ in COLUMNS]
    for window in range(windows):
        ids = np.arange(flows) + int(rng.integers(0, 1 << 31))
        arrivals = salted_hash(ids, int(rng.integers(0, 1 << 63)))
        for (buckets, estimate), column in zip(COLUMNS, counted, strict=True):
            if estimate is exposure or window < 200:
                column.append(MinCount(buckets, 3, estimate).count(arrivals, flows).flows / 256 / flows - 1)
    return [(100 * float(np.mean(column)), 100 * float(np.std(column))) for column in counted]


@pytest.mark.parametrize(("flows", "windows", "printed"), rows())
def test_the_errors_are_those_of_the_page(flows: int, windows: int, printed: list[tuple[float, float]]) -> None:
    found = errors(flows, windows)
    for (buckets, estimate), measured, shown in zip(COLUMNS, found, printed, strict=True):
        assert measured == pytest.approx(shown, abs=0.006), (buckets, estimate)
    bias, deviation = found[2]
    assert abs(bias) < 0.5
    assert deviation == pytest.approx(EXPECTED[flows], rel=0.15, abs=0.005)
