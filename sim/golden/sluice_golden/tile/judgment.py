# SPDX-License-Identifier: Apache-2.0
"""A packet on its way through a tile's core: what is known of it until the commit point, and whether it fits then."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sluice_golden.tile.many_queues.shared_buffer import may_grow

if TYPE_CHECKING:
    from sluice_golden.core import Packet, Verdict
    from sluice_golden.tile.hearing import Occupancy
    from sluice_golden.tile.queue import Limits, Queued


@dataclass(frozen=True, slots=True)
class Judged:
    """What a tile says of a packet."""

    verdict: Verdict
    cookie: int
    queue: int = 0


@dataclass(slots=True)
class OfQueue:
    """What is queued of one of several queues, and what is in judgment."""

    packets: int = 0
    bytes: int = 0
    offered: int = 0


@dataclass(slots=True)
class InJudgment:
    """A packet whose core has decided, with the limits that hold for it."""

    packet: Packet
    offered_ns: int
    verdict: Verdict
    victim: Queued | None
    queue: int
    commit_cycle: int
    limit: int
    limit_bytes: int
    limits: Limits | None
    """Of its queue."""

    def fits(self, tile: Occupancy, queue: Occupancy) -> bool:
        """Whether it does, with so much queued of all and of its queue."""
        size, its = self.packet.size, self.limits
        fits = tile.packets < self.limit and tile.bytes + size <= self.limit_bytes
        if its is None:
            return fits
        fits_queue = queue.packets < its.limit and queue.bytes + size <= its.limit_bytes
        is_in_share = may_grow(its.alpha, queue.packets, self.limit - tile.packets) and may_grow(
            its.alpha, queue.bytes, self.limit_bytes - tile.bytes
        )
        return fits and fits_queue and is_in_share
