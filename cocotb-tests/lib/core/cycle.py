# SPDX-License-Identifier: Apache-2.0
"""What is presented to a bare core in one cycle."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sluice_golden import Arrival, Departed, Head

NEVER = -(1 << 40)  # a cycle long before the first one
MOST_BYTES = (1 << 26) - 1  # that may be queued
CALM = 64  # cycles in which nothing comes, goes or waits before a core may hear of it

SETTLING = 1  # cycles from a verdict to the settled fate
FALLING = 2  # cycles from there to the fall of a victim


@dataclass(slots=True)
class Cycle:
    """What is presented in one cycle. `reset` clears everything, `parameters` asks for a new set, `ticks` are kinds that tick,
    with the time. A packet whose arrival `is_over` finds no room, if its core keeps it."""

    arrival: Arrival | None = None
    is_over: bool = False
    departed: Departed | None = None
    head: Head | None = None
    found_empty_ns: int | None = None
    empty_queues: Sequence[int] = (0,)
    ticks: dict[str, int] = field(default_factory=dict)
    parameters: dict[str, int] | None = None
    reset: bool = False
