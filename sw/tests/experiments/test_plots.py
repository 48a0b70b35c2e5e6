# SPDX-License-Identifier: Apache-2.0
"""Where a plot's vertical axis begins."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest

from sluice.loop.reports import plots

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@pytest.mark.parametrize(("values", "begins_at_zero"), [([1, 3], True), ([98, 99], False), ([-5, 3], False)])
def test_the_axis_begins_at_zero_where_that_hides_nothing(values: list[float], begins_at_zero: bool) -> None:
    drawn: list[Axes] = []

    def panel(axes: Axes) -> None:
        axes.plot([0, 1], values)
        drawn.append(axes)

    plots.grid([("", panel)])
    bottom = drawn[0].get_ylim()[0]
    assert (bottom == 0) == begins_at_zero
    assert bottom <= min(values)


def test_all_panels_are_seen_whole() -> None:
    drawn: list[Axes] = []

    def panel(axes: Axes, value: float) -> None:
        axes.plot([0, 1], [0, value])
        drawn.append(axes)

    plots.grid([(str(value), partial(panel, value=value)) for value in (5, 900)])
    assert all(axes.get_ylim()[0] == 0 and axes.get_ylim()[1] >= 900 for axes in drawn)
