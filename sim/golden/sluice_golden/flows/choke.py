# SPDX-License-Identifier: Apache-2.0
"""CHOKe, exact integer model (R. Pan, B. Prabhakar, K. Psounis 2000): RED of 1993, and before its test a comparison with queued
packets. Which average is below and which beyond, and that a match does not count, as Linux has it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice_golden.core import Verdict
from sluice_golden.red.red import Red

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sluice_golden.core import Arrival

_MATCHED = Verdict("drop", "Matched drop")
_OFF = {"gentle": 0, "wait": 0, "byte_mode": 0, "avpkt": 1, "mark_most": 1 << 31}
"""RED's parameters that CHOKe does not have."""


class Choke(Red):
    """CHOKe with one candidate."""

    name = "choke"
    samples = 1
    takes_victims = True
    reasons = (*Red.reasons, _MATCHED)

    @staticmethod
    def defaults() -> dict[str, int]:
        return {name: raw for name, raw in Red.defaults().items() if name not in _OFF}

    @staticmethod
    def is_legal(parameters: Mapping[str, int]) -> bool:
        return Red.is_legal({**parameters, **_OFF})

    def derive(self) -> None:
        self.parameters = {**self.parameters, **_OFF}
        super().derive()

    def _screened(self, arrival: Arrival) -> Verdict | None:
        """One candidate after the other is compared; the first of the packet's own flow goes with it."""
        own = (number for number, flow in enumerate(arrival.samples) if flow == arrival.flow)
        victim = next(own, None)
        return None if victim is None else Verdict(_MATCHED.action, _MATCHED.reason, victim=victim)

    def _is_below(self, level: int) -> bool:
        return level <= self.parameters["min"]

    def _is_forced(self, level: int) -> bool:
        return level > self.parameters["max"]


class Choke3(Choke):
    """CHOKe with three candidates."""

    name = "choke-3"
    samples = 3
