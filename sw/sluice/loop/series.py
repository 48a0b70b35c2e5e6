# SPDX-License-Identifier: Apache-2.0
"""What was sampled over time in a run: the queue, and every status register of the tile.

A run's `series` holds the times in `time_s`, the samples of the queue in `queue_packets` and those of the
status registers by name in `status`, all of one length.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Result = dict[str, Any]

Curve = Callable[[Result], Sequence[float] | None]
"""Takes the samples to be drawn from a run; nothing where its AQM has none."""

Steps = list[tuple[float, float]]
"""A value that changes in steps: from each time on, in seconds, the value beside it."""


def status(*names: str) -> Curve:
    """The curve of the first of these status registers that an AQM has."""

    def curve(result: Result) -> Sequence[float] | None:
        found = result["series"]["status"]
        return next((found[name] for name in names if name in found), None)

    return curve


def queue_packets(result: Result) -> Sequence[float] | None:
    """The curve of the queue's length."""
    samples: Sequence[float] = result["series"]["queue_packets"]
    return samples


def median_over_runs(results: Sequence[Result], curve: Curve) -> tuple[np.ndarray, np.ndarray] | None:
    """Times and, at each of them, the median over runs that differ by the seed only."""
    samples = [samples for result in results if (samples := curve(result)) is not None]
    if not samples:
        return None
    return np.asarray(results[0]["series"]["time_s"]), np.median(np.asarray(samples), axis=0)
