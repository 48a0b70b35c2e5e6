# SPDX-License-Identifier: Apache-2.0
"""What a core did where it first differs from its model: both side by side, by name and unit, and how to see it again."""

from __future__ import annotations

import dataclasses
import os
from typing import TYPE_CHECKING, Any

from lib.core.recording import ACTIONS, Judged, Presented
from lib.player import RESET_CYCLES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    import numpy as np

    from lib.recording import Mismatch, Recording

_UNITS = {"ns": "ns", "us": "us", "packets": "packets", "bytes": "bytes", "size": "bytes", "limit": "packets"}
"""Of a field of what a core is presented, by the last word of its name."""


class FailureReport:
    """Of the first mismatch of a bench's run."""

    def __init__(
        self, bench: Presented, recording: Recording, seen: Mapping[str, np.ndarray], mismatch: Mismatch
    ) -> None:
        self.bench, self.recording, self.seen, self.row = bench, recording, seen, mismatch.row
        self.cycle = mismatch.row - RESET_CYCLES
        declared = bench.registers
        self.formats = {entry["name"]: entry for key in ("parameters", "status") for entry in declared[key]}
        self.reasons = {0: "none"} | {code: name for name, code in bench.codes.items()}

    def text(self, waveform: Path | None) -> str:
        """All of it, in lines."""
        ports = list(self._ports())
        wrong = ", ".join(port for port, _, rtl, model, _ in ports if rtl != model)
        lines = [f"{self.bench.config} differs from its model first in cycle {self.cycle}: {wrong}", ""]
        lines += self._judged()
        lines += ["", *_table(("output", "unit", "RTL", "model", ""), ports)]
        lines += ["", self._in_force(), *_table(("parameter", "unit", "value", "word"), list(self._parameters()))]
        lines += ["", *self._before()]
        lines += [f"waveform: {waveform} (and .gtkw for GTKWave, .sucl for Surfer)"] if waveform else []
        return "\n".join([*lines, *self._again(waveform is not None)])

    def _ports(self) -> Iterator[tuple[str, str, str, str, str]]:
        """Each output that is compared in this clock."""
        for port, expected in self.recording.outputs.items():
            if self.recording.masks[port][self.row]:
                rtl, model = int(self.seen[port][self.row]), int(expected[self.row])
                unit, *shown = self._named(port, rtl, model)
                yield (port, unit, *shown, "" if rtl == model else "<- differs")

    def _named(self, port: str, *values: int) -> list[str]:
        """The unit of an output, and values of it: verdicts by their names, what is declared with a fraction in its unit."""
        if port.endswith("verdict_action"):
            names = {code: name for name, code in ACTIONS.items()}
            return ["", *(names.get(value, f"code {value}") for value in values)]
        if port.endswith("verdict_reason"):
            return ["", *(self.reasons.get(value, f"code {value}") for value in values)]
        bare = port.removeprefix("view_").removeprefix("status_").removeprefix("head_")
        declared = self.formats.get(bare)
        unit = declared["unit"] if declared else _unit(bare)
        return [unit, *(_shown(value, declared["fraction"] if declared else 0) for value in values)]

    def _judged(self) -> list[str]:
        """What has its verdict in this clock, as it was presented; otherwise what is in judgment."""
        bench, lines = self.bench, []
        for kind, judged, latency in (
            ("arrival", bench.judged, bench.latency),
            ("head", bench.heads, bench.head_latency),
        ):
            number = next((i for i, j in enumerate(judged) if j.cycle == self.cycle - latency), None)
            if number is not None:
                at = f"{kind} {number} of {len(judged)}, presented in cycle {self.cycle - latency}, {latency} cycles before:"
                lines += [at, *_table(("input", "unit", "value"), list(_inputs(judged[number])))]
        return lines or ["no verdict is due in this clock"]

    def _set(self) -> tuple[int | None, Mapping[str, int]]:
        """The cycle in which the set in force was applied, and its words; none after a reset."""
        at = self.cycle - self.bench.latency
        reset = max((cycle for cycle in self.bench.log.resets if cycle <= at), default=-1)
        applied = set(self.bench.log.applied)
        sets = [(cycle, words) for _, cycle, _, words in self.bench.log.sets if cycle in applied and reset < cycle < at]
        return sets[-1] if sets else (None, self.bench.model.defaults())

    def _in_force(self) -> str:
        cycle, _ = self._set()
        return "parameters in force, " + ("those of a reset:" if cycle is None else f"applied in cycle {cycle}:")

    def _parameters(self) -> Iterator[tuple[str, str, str, str]]:
        for name, word in self._set()[1].items():
            declared = self.formats[name]
            yield name, declared["unit"], _shown(word, declared["fraction"]), f"{word:#x}"

    def _before(self) -> Iterator[str]:
        """What happened last, before what is judged here."""
        log, at = self.bench.log, self.cycle - self.bench.latency
        ticks = {f"tick {kind}": [c for c, ticked in log.ticks if ticked == kind] for kind in self.bench.model.ticks}
        for what, cycles in ({"reset": log.resets, "found empty": log.empties} | ticks).items():
            before = [cycle for cycle in cycles if cycle <= at]
            yield f"last {what} in cycle {before[-1]}" if before else f"no {what} before"

    def _again(self, has_waveform: bool) -> list[str]:
        """The command that shows this again, as pytest knows the test."""
        test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" (")[0]
        waves = "" if has_waveform else " --waves"
        return [f"again{', with a waveform' if waves else ''}: .venv/bin/pytest -n0 '{test}'{waves}"] if test else []


def _inputs(judged: Judged) -> Iterator[tuple[str, str, str]]:
    for item in dataclasses.fields(judged.arrival):
        value: Any = getattr(judged.arrival, item.name)
        for i, one in enumerate(value if isinstance(value, tuple) else [value]):
            name = f"{item.name}_{i}" if isinstance(value, tuple) else item.name
            yield name, _unit(item.name), "none" if one is None else str(int(one)) if not isinstance(one, str) else one


def _unit(name: str) -> str:
    return _UNITS.get(name.rpartition("_")[2], "")


def _shown(word: int, fraction: int) -> str:
    """A register word in its unit, and as it is where these differ."""
    return f"{word / 2**fraction:.9g} ({word:#x})" if fraction else str(word)


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    return ["  " + "  ".join(map(str.ljust, row, widths)).rstrip() for row in (heads, *rows)]
