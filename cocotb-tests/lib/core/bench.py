# SPDX-License-Identifier: Apache-2.0
"""A bare core held, clock by clock, against its golden model: the model judges while the stimulus is made, then the RTL plays it.

A test plays its cycles on the model (`golden_play`); :meth:`CoreBench.check` then plays all of them on the RTL at the simulator's
speed and compares: that a verdict is there exactly when one is due, action and reason, every status value as the arrival has
left it, everything in the model's `view` (the probability and whatever else the arrival was judged by), and the clock in which a
set of parameters takes effect. What the contract does not promise to a core is random: parameters while none is being
applied, and payloads that are not valid, or these stand as they were.

An arrival presented in cycle c has its verdict in cycle c + latency; a core that stands alone shows with it what belongs to it.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import numpy as np

from lib import waves
from lib.core.failure_report import FailureReport
from lib.core.golden_play import GoldenPlay
from lib.core.recording import CoreRecording
from lib.player import RESET_CYCLES, Player
from lib.simulation import core_source, registers
from lib.witness import model_of

if TYPE_CHECKING:
    from lib.recording import Recording

_MOST_DERIVING = 4096  # cycles within which a core takes a set


# A test may make many benches of one core.


@functools.cache
def _player(config: str) -> Player:
    return Player(core_source(config))


@functools.cache
def _deriving(config: str) -> int:
    """Cycles from `apply` to `applied` with no tick about."""
    apply = (np.arange(_MOST_DERIVING) == 0).astype(np.uint8)
    defaults = {f"parameters_{name}": np.full(len(apply), raw) for name, raw in model_of(config).defaults().items()}
    applied = np.flatnonzero(_player(config).play({"apply": apply} | defaults)["applied"])
    assert applied.size == 1, f"{config}: a set was applied {applied.size} times in {_MOST_DERIVING} cycles"
    return int(applied[0])


class CoreBench(GoldenPlay):
    """One core with its model."""

    def __init__(self, config: str) -> None:
        super().__init__(config, registers(config), _deriving(config))
        self.player = _player(config)
        self.codes = {reason["name"]: reason["code"] for reason in self.registers["reasons"]}
        self._check_declarations()
        self.widths = {
            p["name"]: p["width"] for p in self.registers["parameters"] if p["name"] in self.model.defaults()
        }

    def _check_declarations(self) -> None:
        """Model and hardware speak of the same parameters and reasons; one of them may be unfinished."""
        parameters = self.model.defaults().keys() - {p["name"] for p in self.registers["parameters"]}
        assert not parameters, (
            f"{self.config}'s model has the parameters {sorted(parameters)}, and the hardware has not"
        )
        reasons = {r.reason for r in (*self.model.reasons, *self.model.head_reasons)} - self.codes.keys()
        assert not reasons, f"{self.config}'s model gives the reasons {sorted(reasons)}, and the hardware does not"

    def recording(self) -> Recording:
        """All cycles so far, and enough at the end for the last verdict."""
        self.finish()
        return CoreRecording(self).made

    def check(self) -> Recording:
        """Plays everything on the RTL; fails at the first output that is not the model's."""
        recording = self.recording()
        views = {port.name.removeprefix("view_") for port in self.player.outputs if port.name.startswith("view_")}
        unknown = {name for judged in self.judged for name in judged.view} - views
        unknown |= {name for judged in self.heads for name in judged.view} - {v.removeprefix("head_") for v in views}
        assert not unknown, f"the model is judged by {unknown}, and the core does not show it"
        seen = self.player.run(recording.inputs)
        mismatch = recording.first_mismatch(seen)
        row = mismatch.row if mismatch else RESET_CYCLES + self.judged_last
        waveform = self.player.trace(recording.inputs, row) if waves.are_asked_for() else None
        assert mismatch is None, FailureReport(self, recording, seen, mismatch).text(waveform)
        return recording

    def counted(self) -> dict[str, int | str]:
        """What has been presented, and how often each verdict was given: of the model, and of an RTL that equals it."""
        verdicts = sorted(((count, name) for name, count in self.verdicts.items() if count), reverse=True)
        return {
            "clocks": self.cycle,
            "arrivals": len(self.judged),
            "heads": len(self.heads),
            "fates": len(self.log.moments["settled"]),
            "departures": len(self.log.moments["departed"]),
            "idle": len(self.log.empties),
            "ticks": len(self.log.ticks),
            "sets": len(self.log.applied),
            "resets": len(self.log.resets),
            "victims": sum(judged.verdict.victim is not None for judged in self.judged),
            "verdicts": "; ".join(f"{name} {count}" for count, name in verdicts),
        }
