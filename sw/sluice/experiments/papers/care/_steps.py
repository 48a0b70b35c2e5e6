# SPDX-License-Identifier: Apache-2.0
"""What CARE's Figures 13 and 14 have in common: a load that rises and falls in steps.

60 TCP and 6 UDP flows; then 30 TCP and 6 UDP more; then 30 TCP and 3 UDP are left. Each UDP flow sends
3.33 % of the link.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from sluice.experiments import TimePlot
from sluice.experiments.papers import care
from sluice.loop.series import Result

STAGE_S = 60.0
"""Length of a stage; the paper's is 400 s, but the list forgets within 5."""

SETTLE_S = 10.0
"""Time after a step that the measures leave out."""

DURATION_S = 3 * STAGE_S

UDP_PERCENT = 3.33

FLOWS: list[dict[str, Any]] = [
    *care.tcp_mix(30),
    *(group | {"name": f"leaving-{group['name']}"} for group in care.tcp_mix(30, stop_s=2 * STAGE_S)),
    *(group | {"name": f"passing-{group['name']}"} for group in care.tcp_mix(30, start_s=STAGE_S, stop_s=2 * STAGE_S)),
    care.udp(UDP_PERCENT, count=3),
    care.udp(UDP_PERCENT, name="leaving-udp", count=3, stop_s=2 * STAGE_S),
    care.udp(UDP_PERCENT, name="passing-udp", count=6, start_s=STAGE_S, stop_s=2 * STAGE_S),
]
"""Flows that stay, that leave with the last step, that are there in the middle stage only."""

SETTINGS = care.SETTINGS | {
    "duration": f"three stages of {STAGE_S:g} s, the first {SETTLE_S:g} s of each discarded; the paper's are 400 s"
}

POINT = "60, 90, 30 TCP flows"


def _dropped(result: Result, from_s: float, to_s: float) -> float:
    series = result["series"]
    times = np.asarray(series["time_s"])
    chosen = (times > from_s) & (times <= to_s)
    arrived = np.asarray(series["arrivals"])[chosen].sum()
    return float(100 * np.asarray(series["drops"])[chosen].sum() / arrived) if arrived else 0.0


def drop_percent_of_stage(stage: int) -> Any:
    """The measure of one stage, from 0: packets dropped in percent of arrivals."""

    def measure(result: Result) -> float:
        return _dropped(result, stage * STAGE_S + SETTLE_S, (stage + 1) * STAGE_S)

    return measure


METRICS = {
    "drop_percent_60": drop_percent_of_stage(0),
    "drop_percent_90": drop_percent_of_stage(1),
    "drop_percent_30": drop_percent_of_stage(2),
}
"""Drops by the number of TCP flows."""


def drops_over_time(result: Result) -> Sequence[float]:
    """Drops in percent of arrivals, over five seconds each."""
    edges = np.arange(-5.0, result["duration_s"] + 5, 5)
    shares = {upto: _dropped(result, after, upto) for after, upto in pairwise(edges)}
    return [shares[float(np.ceil(time / 5) * 5)] for time in np.round(result["series"]["time_s"], 6)]


TIME_PLOTS = (TimePlot("Drops", "drops, % of arrivals", drops_over_time),)
