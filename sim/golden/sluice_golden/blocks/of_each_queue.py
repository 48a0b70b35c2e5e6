# SPDX-License-Identifier: Apache-2.0
"""A core that judges the heads of many queues, as a model of one: the last head's queue has its state in the model's own
attributes, and all others' lie aside.

The queue asks the core again only when it has its answer, so every verdict sends back what was presented since.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from sluice_golden.core import CoreModel

if TYPE_CHECKING:
    from typing import Self


class OfEachQueue(CoreModel):
    """Stands before the model of one queue among the bases."""

    kept: ClassVar[tuple[str, ...]]
    """Attributes that are a queue's state."""

    def __init__(self) -> None:
        super().__init__()
        self._of_head = 0
        self._never: dict[str, Any] = self._state()
        self._aside: dict[int, dict[str, Any]] = {}

    def turn_to(self, queue: int) -> None:
        """Its state is in the attributes from here on: what it was at its last head, or what it is at first."""
        if queue != self._of_head:
            self._aside[self._of_head] = self._state()
            vars(self).update(self._aside.pop(queue, self._never))
            self._of_head = queue

    def found_empty(self, now_ns: int) -> None:
        """Nothing was behind the queue's last head, which has said so."""

    def fork(self) -> Self:
        ahead = super().fork()
        ahead._aside = dict(self._aside)
        return ahead

    def _state(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.kept}
