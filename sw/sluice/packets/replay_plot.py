# SPDX-License-Identifier: Apache-2.0
"""A replay as a picture, SVG text: how long each frame waited, and when frames were dropped or marked."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from sluice.loop.reports import plots
from sluice.packets.datapath import ACTIONS, Outcome


def delay(title: str, outcome: Outcome) -> str:
    """Delay over the time of arrival; a stroke at the foot of the panel where a frame was dropped, and one above it where one was
    marked."""
    action = outcome.seen["action"]
    begin_ns = outcome.entry_ns.min()
    time_s = (outcome.entry_ns - begin_ns) / 1e9
    left = action < ACTIONS.index("drop")
    delay_ms = (outcome.departure_ns[left] - outcome.entry_ns[left]) / 1e6
    most = float(delay_ms.max(initial=0))

    def panel(axes: Axes) -> None:
        axes.plot(time_s[left], delay_ms, color=plots.TILE_COLOUR, linewidth=0.8)
        for name, at, colour in (
            ("dropped", ~left, plots.LOUD_COLOUR),
            ("marked", action == ACTIONS.index("mark"), "#e39b2d"),
        ):
            if at.any():
                foot = most * (-0.06 if name == "dropped" else -0.12)
                axes.scatter(
                    time_s[at], np.full(at.sum(), foot), marker="|", s=24, linewidths=0.8, color=colour, label=name
                )
        if axes.get_legend_handles_labels()[0]:
            axes.legend(frameon=False, loc="upper right")
        axes.set_xlabel("time, s")
        axes.set_ylabel("delay, ms")

    return plots.grid([(title, panel)]).replace("<svg ", '<svg style="background: white" ', 1)
