# SPDX-License-Identifier: Apache-2.0
"""Where a plot's vertical axis begins."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sluice.loop import plots

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
