# SPDX-License-Identifier: Apache-2.0
"""What is seen on a terminal: a row for each value of a direction, with its last minute as a line of blocks."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from rich.console import Group
from rich.panel import Panel
from rich.table import Table

from sluice.driver.watch.look import Interval

_BLOCKS = "▁▂▃▄▅▆▇█"
_KEPT = 60


def sparkline(values: Sequence[float]) -> str:
    """A block for each value, the highest one for the largest; for 0 the lowest."""
    most = max(values, default=0) or 1
    return "".join(_BLOCKS[round(max(value, 0) / most * (len(_BLOCKS) - 1))] for value in values)


class Screen:
    """All directions, one below the other."""

    def __init__(self) -> None:
        self._history: dict[tuple[str, str], deque[float]] = {}

    def shown(self, intervals: Sequence[Interval]) -> Group:
        """The screen after one more interval."""
        return Group(*(self._panel(interval) for interval in intervals))

    def _panel(self, interval: Interval) -> Panel:
        its = interval.direction
        table = Table("", "now", "most", "lately", box=None, expand=True)
        table.columns[1].justify = table.columns[2].justify = "right"
        table.columns[3].ratio = 1
        for name, value in interval.values().items():
            seen = self._history.setdefault((its.name, name), deque(maxlen=_KEPT))
            seen.append(value)
            table.add_row(name.replace("_", " "), f"{value:.4g}", f"{max(seen):.4g}", sparkline(seen))
        return Panel(table, title=f"{its.name}: {its.config.name}", title_align="left")


def line(interval: Interval) -> str:
    """The same where no person looks."""
    values = "  ".join(f"{name}={value:.4g}" for name, value in interval.values().items())
    return f"{interval.direction.name}  {values}"
