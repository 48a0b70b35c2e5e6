# SPDX-License-Identifier: Apache-2.0
"""Automatic RED parameters against the values that the sources print."""

from __future__ import annotations

import pytest

from sluice import red_auto


@pytest.mark.parametrize(("rate_pps", "printed"), [(125, 0.00797), (375, 0.00266), (833.3, 0.00120)])
def test_weight_is_the_printed_one(rate_pps: float, printed: float) -> None:
    assert red_auto.weight(rate_pps) == pytest.approx(printed, abs=5e-6)


def test_ns2_modes_differ_by_their_time_constants() -> None:
    rate_pps = 1250
    assert red_auto.weight_ns2_fast(rate_pps) == pytest.approx(10 * red_auto.weight(rate_pps), rel=0.01)
    assert red_auto.weight_ns2_rtt(rate_pps, 0.002) == pytest.approx(red_auto.weight(rate_pps), rel=0.01)
    assert red_auto.weight_ns2_rtt(rate_pps, 1.0) < red_auto.weight_ns2_rtt(rate_pps, 0.002)


@pytest.mark.parametrize(("rate_pps", "lower", "upper"), [(1250, 5, 15), (12500, 31.25, 93.75)])
def test_thresholds(rate_pps: float, lower: float, upper: float) -> None:
    assert red_auto.thresholds(rate_pps) == red_auto.Thresholds(lower, upper)


@pytest.mark.parametrize(
    ("wanted", "terms", "exponents"),
    [
        (0.002, 1, (9,)),
        (2**-9, 2, (10, 10)),
        (0.0008, 1, (10,)),
        (0.0008, 2, (11, 12)),
        (1e-9, 1, (12,)),
        (0.5, 1, (5,)),
    ],
)
def test_nearest_weight(wanted: float, terms: int, exponents: tuple[int, ...]) -> None:
    assert red_auto.nearest_weight(wanted, terms) == exponents
