# SPDX-License-Identifier: Apache-2.0
"""CoDel of each of many queues: :class:`~sluice_golden.codel.Codel` with a state by queue, of which the last head's is in the
model's own attributes and all others' lie aside.

The queue asks the core again only when it has its answer, so every verdict sends back what was presented since.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sluice_golden.codel import Codel

if TYPE_CHECKING:
    from typing import Self

    from sluice_golden.core import Head, Verdict

_STATE = ("first_above_ns", "dropping", "count", "last_count", "drop_next_ns", "settled_drop_next_ns", "follows")


class FqCodel1k(Codel):
    """In a tile of a thousand queues with RFC 8290's two lists."""

    name = "fq-codel-1k"

    def __init__(self) -> None:
        super().__init__()
        self._of_head = 0
        self._never: dict[str, Any] = self._kept()
        self._aside: dict[int, dict[str, Any]] = {}

    def head(self, head: Head) -> Verdict:
        if head.queue != self._of_head:
            self._aside[self._of_head] = self._kept()
            vars(self).update(self._aside.pop(head.queue, self._never))
            self._of_head = head.queue
        return replace(super().head(head), restart=True)

    def found_empty(self, now_ns: int) -> None:
        """Nothing was behind the queue's last head, so CoDel's dropping state has ended with it."""

    def fork(self) -> Self:
        ahead = super().fork()
        ahead._aside = dict(self._aside)
        return ahead

    def _kept(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in _STATE}
