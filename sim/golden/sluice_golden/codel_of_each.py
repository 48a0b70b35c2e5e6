# SPDX-License-Identifier: Apache-2.0
"""CoDel of each of many queues: :class:`~sluice_golden.codel.Codel` with a state by queue."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from sluice_golden.blocks.of_each_queue import OfEachQueue
from sluice_golden.codel import Codel

if TYPE_CHECKING:
    from sluice_golden.core import Head, Verdict


class FqCodel1k(OfEachQueue, Codel):
    """In a tile of a thousand queues with RFC 8290's two lists."""

    name = "fq-codel-1k"
    kept: ClassVar[tuple[str, ...]] = (
        *("first_above_ns", "dropping", "count", "last_count"),
        *("drop_next_ns", "settled_drop_next_ns", "follows"),
    )

    def head(self, head: Head) -> Verdict:
        self.turn_to(head.queue)
        return replace(super().head(head), restart=True)
