# SPDX-License-Identifier: Apache-2.0
"""RED of several queues: each with an average, an idle time and a spacing of its own, and all with the same parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sluice_golden.red.red import Red

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Self

    from sluice_golden.core import Arrival, Verdict

_OF_QUEUE = ("average", "idle_since_ns", "count", "kept_draw")


class Red4Queues(Red):
    """RED of four queues. The state of the one that is looked at stands in RED's own attributes."""

    name = "red-4q"
    queues = 4

    @staticmethod
    def is_legal(parameters: Mapping[str, int]) -> bool:
        return Red.is_legal(parameters) and parameters["weight_exponent"] > 0

    def __init__(self) -> None:
        super().__init__()
        self._states: list[dict[str, Any]] = [self._state() for _ in range(self.queues)]

    def _state(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in _OF_QUEUE}

    def _look_at(self, queue: int) -> None:
        self._states[self.queue] = self._state()
        self.queue = queue
        for name, value in self._states[queue].items():
            setattr(self, name, value)

    def fork(self) -> Self:
        ahead = super().fork()
        ahead._states = list(self._states)
        return ahead

    def found_queues_empty(self, now_ns: int, queues: Sequence[int]) -> None:
        shown = self.queue
        for queue in queues:
            self._look_at(queue)
            self.found_empty(now_ns)
        self._look_at(shown)

    def arrive(self, arrival: Arrival) -> Verdict:
        self._look_at(arrival.queue)
        return super().arrive(arrival)
