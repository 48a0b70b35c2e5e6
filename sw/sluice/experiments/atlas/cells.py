# SPDX-License-Identifier: Apache-2.0
"""The cells of the atlas: scenarios, each with the question that it answers, and by which measure.

The scenario of a cell is `atlas/NAME`: `sluice run atlas/mild --aqm red` is the atlas' run of that cell, scheme and seed.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

from sluice.hardware.catalog import unknown
from sluice.loop import scenario
from sluice.loop.scenario import Scenario
from sluice.support.errors import UserError


@dataclass(frozen=True)
class World:
    """A cell of the atlas."""

    name: str
    after: str
    """Where it is from, as a section of RFC 7928 unless it says otherwise."""
    question: str
    """What is asked of a scheme here."""
    headline: str
    """The measure that answers it."""
    is_more_better: bool
    """Whether the larger value is the better one."""
    quick_s: float
    """Simulated time with `--quick`: what the question needs at the least."""
    is_quick: bool = False
    """Whether `--quick` has this cell when nobody chooses cells."""

    @property
    def scenario(self) -> Scenario:
        """Its scenario."""
        return _load(self.name)


@functools.cache
def _load(name: str) -> Scenario:
    return scenario.load(f"{scenario.ATLAS}/{name}")


WORLDS = (
    World("mild", "8.2.2", "how long is the queue with few flows?", "delay_p99_ms", False, 20),
    World("medium", "8.2.3", "with twice as many?", "delay_p99_ms", False, 20, is_quick=True),
    World("heavy", "8.2.4", "with three times as many?", "delay_p99_ms", False, 20),
    World("near", "6.2", "how long is the queue where all are near?", "delay_p99_ms", False, 20),
    World("load-steps", "8.2.5", "how long is it too long when more flows come?", "recovery_s", False, 60),
    World("rate-slow", "8.2.6", "and when the link falls to a tenth?", "recovery_s", False, 40, is_quick=True),
    World("rate-fast", "8.2.6", "what is left of a link that is fast and slow in turn?", "link_percent", True, 10),
    World("initial-window", "5.1.2", "how long do short transfers take?", "transfer_p50_ms", False, 40),
    World("cubic", "5.2", "does a single flow fill the link?", "link_percent", True, 30),
    World("udp-over", "5.3", "who bounds the queue of a flood?", "delay_p99_ms", False, 10),
    World(
        "udp-mix", "5.3", "how many shares has a flow that does not listen?", "deaf_shares", False, 20, is_quick=True
    ),
    World("less-than-best-effort", "5.4", "how much does LEDBAT take of two shares?", "ledbat_percent", False, 30),
    World("round-trips", "6.2", "how unequal are near and far?", "ratio", False, 40, is_quick=True),
    World(
        "web-burst",
        "7.2",
        "how long does the slowest page in a hundred take?",
        "transfer_p99_ms",
        False,
        30,
        is_quick=True,
    ),
    World("mix", "9.1, 9.2", "what delay does a call have at home?", "call_p99_ms", False, 30),
    World("ecn-part", "none", "what do flows with ECN still lose?", "ecn_loss_percent", False, 20),
    World("l4s", "RFC 9332", "do CUBIC and a scalable sender share?", "ratio", False, 20, is_quick=True),
    World("incast", "none", "how long do many answers at once take?", "transfer_p99_ms", False, 3),
    World("hostile-ids", "none", "what does a crowd of ids leave to TCP?", "tcp_mbps", True, 20),
    World("hostile-ect", "none", "what does a liar about ECN leave to TCP?", "tcp_mbps", True, 20),
)
"""All cells, in the order of the page."""


def names() -> list[str]:
    """Names of all cells."""
    return [world.name for world in WORLDS]


def find(name: str) -> World:
    """The cell of that name; a user error that names the nearest ones otherwise."""
    for world in WORLDS:
        if world.name == name:
            return world
    raise UserError(unknown("cell", name, names()))
