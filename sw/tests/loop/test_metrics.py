# SPDX-License-Identifier: Apache-2.0
"""Measures against values worked out by hand or printed in the papers."""

from __future__ import annotations

import pytest

from sluice.loop import metrics


def test_jain() -> None:
    assert metrics.jain([1, 1, 1, 1]) == 1
    assert metrics.jain([4, 0, 0, 0]) == 0.25
    assert metrics.jain([0, 0]) == 0


def test_norm_is_a_root() -> None:
    assert metrics.norm([3, 4], 0) == 5
    assert metrics.norm([2, 2], 2) == 0


def test_norm_is_the_one_that_care_prints() -> None:
    """Table VIII: with RED the UDP flow alone is 805 kbit/s away, and 879.4 is printed for all."""
    assert metrics.norm([904.144], 99.010) == pytest.approx(805.1, abs=0.1)


def test_losses_are_of_what_arrived() -> None:
    flows = [{"arrived": 300, "dropped": 3}, {"arrived": 100, "dropped": 5}, {"arrived": 0, "dropped": 0}]
    assert metrics.loss_percent(flows) == 2
    assert metrics.loss_percent(flows[2:]) == 0


def test_interval_is_students() -> None:
    assert metrics.ci95([1.0]) is None
    assert metrics.ci95([1.0, 3.0]) == pytest.approx(12.706, abs=1e-3)
    assert metrics.ci95([1.0, 2.0, 3.0]) == pytest.approx(4.3027 / 3**0.5, abs=1e-3)
    assert metrics.ci95([2.0, 2.0]) == 0


def test_a_median_has_an_interval_from_six_values_on() -> None:
    assert metrics.median_interval95([1, 2, 3, 4, 5]) is None
    assert metrics.median_interval95([6, 1, 5, 2, 4, 3]) == (1, 6)
    assert metrics.median_interval95(list(range(10))) == (1, 8)
