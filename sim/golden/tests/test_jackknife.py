# SPDX-License-Identifier: Apache-2.0
"""The integer jackknife against Burnham and Overton's formulas, and against the example that the CARE paper prints."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

import pytest

from sluice_golden.blocks.estimators import jackknife_windows
from sluice_golden.blocks.estimators.jackknife import Coefficients, coefficient, estimate
from sluice_golden.blocks.estimators.jackknife_reference import Reference, published_coefficients, reference
from sluice_golden.blocks.table import Table

EXAMPLE = [43, 16, 8, 6, 0, 2, 1]  # CARE, Table II: 18 occasions
STEP_ERROR = 0.02  # of an N_J, flows
SIGNIFICANCE_ERROR = 0.001


def fixed(frequencies: list[int], captures: int) -> float:
    return estimate(tuple((frequencies + [0] * 5)[:5]), sum(frequencies), captures).value / 256


def allowed(exact: Reference) -> list[tuple[float, float]]:
    """Estimates that the paper's rule gives within the error of a significance, each with its own error.

    An order whose significance is that close to 0.05 may be accepted or not; and the interpolation divides by the
    distance of two significances.
    """
    orders = [float(n) for n in exact.orders]
    found = []
    for m, p in enumerate(exact.significance, start=1):
        if p > 0.05 - SIGNIFICANCE_ERROR:
            if m == 1:
                found.append((orders[1], STEP_ERROR))
            else:
                before = exact.significance[m - 2]
                c = min(max((0.05 - before) / max(p - before, 1e-9), 0), 1)
                step = orders[m] - orders[m - 1]
                unsure = min(1.0, 2 * SIGNIFICANCE_ERROR / max(p - before, 1e-9))
                found.append((max(orders[m - 1] + c * step, orders[1]), STEP_ERROR + abs(step) * unsure))
        if p > 0.05 + SIGNIFICANCE_ERROR:
            return found
    return [*found, (max(orders[-1], orders[1]), STEP_ERROR)]


def check(frequencies: list[int], captures: int) -> float:
    exact = reference(frequencies, captures)
    value = fixed(frequencies, captures)
    if sum(frequencies) <= 1:
        assert value == exact.value
    else:
        assert any(abs(value - n) <= error for n, error in allowed(exact)), (frequencies, captures, value, exact)
    return abs(value - exact.value)


def as_frequencies(counts: list[int]) -> list[int]:
    occurrences = Counter(counts)
    return [occurrences[i] for i in range(1, max(occurrences) + 1)]


def partitions(total: int, largest: int) -> Iterator[list[int]]:
    """Every way in which `total` captures can be of flows."""
    if total == 0:
        yield []
    for first in range(min(total, largest), 0, -1):
        for rest in partitions(total - first, first):
            yield [first, *rest]


def test_the_papers_example() -> None:
    result = estimate(tuple(EXAMPLE[:5]), sum(EXAMPLE), 18)
    exact = reference(EXAMPLE, 18)
    assert [float(n) for n in exact.orders] == pytest.approx(
        [76, 116.611, 141.448, 158.482, 170.281, 176.447], abs=1e-3
    )
    assert [n / 512 for n in result.orders] == pytest.approx([float(n) for n in exact.orders], abs=2e-3)
    assert (result.order, round(result.value / 256)) == (3, 142)
    assert exact.value == pytest.approx(142.252, abs=1e-3)
    assert result.value / 256 == pytest.approx(exact.value, abs=0.02)


@pytest.mark.parametrize("captures", [*range(5, 30), 50, 64, 100, 127])
def test_the_definition_gives_the_published_coefficients(captures: int) -> None:
    for order in range(1, 6):
        derived = [coefficient(captures, order, i) for i in range(1, order + 1)]
        assert derived == published_coefficients(captures, order)


def test_every_window_of_up_to_sixteen_captures() -> None:
    windows = [(as_frequencies(p), t) for t in range(1, 17) for p in partitions(t, t)]
    assert max(check(f, t) for f, t in windows) < 0.25


def test_windows_are_all_that_there_are() -> None:
    for captures in range(1, 21):
        listed = {tuple(row) for row in jackknife_windows.windows(captures).tolist()}
        made = {tuple([p.count(i) for i in range(1, 6)] + [len(p)]) for p in partitions(captures, captures)}
        assert listed == made


@pytest.mark.parametrize("captures", [3, 10, 26, 64])
def test_windows_read_what_is_said_of_them(captures: int) -> None:
    for entry, window in jackknife_windows.readers(captures).items():
        flows = jackknife_windows.flows(window, captures)
        assert (sum(flows), len(flows), *(flows.count(i) for i in range(1, 6))) == (captures, window[5], *window[:5])
        with Table.uncounted() as looked_up:
            estimate(window[:5], window[5], captures)
        assert entry in looked_up


def test_random_windows() -> None:
    rng = random.Random(1)
    worst = 0.0
    for _ in range(2_000):
        captures = rng.choice([18, 20, 30, 50, 50, 50, 64])
        flows, skew = rng.choice([2, 5, 10, 26, 41, 71, 200]), rng.choice([0, 0, 0.5, 1, 1.5])
        ids = rng.choices(range(flows), [(i + 1) ** -skew for i in range(flows)], k=captures)
        worst = max(worst, check(as_frequencies(list(Counter(ids).values())), captures))
    assert worst < 1


@pytest.mark.parametrize("captures", [18, 50, 64])
def test_windows_of_one_and_two_kinds_of_flows(captures: int) -> None:
    for many in range(1, captures + 1):
        for times in range(1, captures // many + 1):
            rest = captures - many * times
            if rest:
                check(as_frequencies([times] * many + [1] * rest), captures)
                check(as_frequencies([times] * many + [rest]), captures)
            else:
                check(as_frequencies([times] * many), captures)


def test_the_limit_is_close_for_fifty_captures() -> None:
    rng = random.Random(2)
    differences = []
    for _ in range(500):
        ids = rng.choices(range(41), k=50)
        frequencies = as_frequencies(list(Counter(ids).values()))
        arguments = (tuple((frequencies + [0] * 5)[:5]), sum(frequencies), 50)
        differences.append((estimate(*arguments, Coefficients.limit(50)).value - estimate(*arguments).value) / 256)
    assert abs(sum(differences) / len(differences)) < 1.2
