# SPDX-License-Identifier: Apache-2.0
"""The one rule by which every scheme is set in every cell (RFC 7928, section 4.3.1, asks that settings be disclosed).

A scheme has its defaults, and follows the facts of the link. What it has as a target is 15 ms: as a time where it takes a
time, as packets of the link's first rate where it takes a length, and as ARED's automatic thresholds and weight where it takes
an average. CoDel's target means another thing, the delay that is accepted for good, and is a third of that (its own default).
Where the buffer is shorter than 45 ms, a third of the buffer stands for the 15 ms. Nothing is tuned to a scheme or a cell.
"""

from __future__ import annotations

from sluice.loop import red_auto
from sluice.loop.scenario import ALL, Scenario

TARGET_S = 0.015
"""The delay that is wanted."""

_LEAST_BUFFERS = 3
"""The target is at most the buffer's delay over this."""

_CODEL_PART = 3
"""CoDel's target is the others' over this."""


def target_s(scenario: Scenario) -> float:
    """The delay that is wanted in a scenario."""
    return min(TARGET_S, scenario.limit / scenario.rate_pps / _LEAST_BUFFERS)


def settings(scenario: Scenario) -> dict[str, dict[str, float]]:
    """What its file says under `settings`, to four digits."""
    wanted_s = target_s(scenario)
    thresholds = red_auto.thresholds(scenario.rate_pps, wanted_s)
    packets = wanted_s * scenario.rate_pps
    return {
        ALL: {
            "min": _digits(thresholds.min),
            "max": _digits(thresholds.max),
            "weight": _digits(red_auto.weight(scenario.rate_pps)),
        },
        **{name: {"target": _digits(packets)} for name in ("rem", "pi", "purge")},
        "black": {"threshold": round(packets)},
        "step": {"threshold_packets": round(packets)},
        **{name: {"target": round(wanted_s * 1e9)} for name in ("pi2", "pie", "dualpi2")},
        **{name: {"target": round(wanted_s * 1e9 / _CODEL_PART)} for name in ("codel", "cobalt", "fq_codel")},
    }


def _digits(value: float) -> float:
    return float(f"{value:.4g}")
