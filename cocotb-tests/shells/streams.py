# SPDX-License-Identifier: Apache-2.0
"""AXI4-Streams with a shell's own names for what goes beside the bytes: frames in, frames out, and the rules."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from cocotb.triggers import FallingEdge, RisingEdge

THROUGH = {"min": 500 << 14, "max": 900 << 14}
"""Thresholds of RED above the frames that are always on their way through: they are no queue."""

Beat = dict[str, int]
"""Values of the signals of one transfer, without `tvalid` and `tready`."""


@dataclass(frozen=True)
class Frame:
    """Bytes, and what the shell's signals beside them show on every beat."""

    data: bytes
    side: tuple[int, ...]


class Stream:
    """The signals of one stream. `side` names those that go beside the bytes."""

    def __init__(self, ports: Any, clock: Any, prefix: str, side: Sequence[str]) -> None:
        self.clock = clock
        self.side = tuple(side)
        self.valid, self.ready = getattr(ports, f"{prefix}_tvalid"), getattr(ports, f"{prefix}_tready")
        self.signals = {name: getattr(ports, f"{prefix}_{name}") for name in ("tdata", "tkeep", "tlast", *side)}
        self.lanes = len(self.signals["tkeep"])

    def beats(self, frame: Frame) -> list[Beat]:
        """A frame's transfers."""
        pieces = [frame.data[at : at + self.lanes] for at in range(0, len(frame.data), self.lanes)]
        side = dict(zip(self.side, frame.side, strict=True))
        return [
            {"tdata": int.from_bytes(piece, "little"), "tkeep": (1 << len(piece)) - 1, "tlast": int(last), **side}
            for piece, last in zip(pieces, [False] * (len(pieces) - 1) + [True], strict=True)
        ]


class Source(Stream):
    """Offers transfers, and counts the clocks in which it had to wait."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.valid.value = 0
        self.waits = 0

    async def play(self, beats: Iterable[Beat], may_idle: Callable[[], bool] = lambda: False) -> None:
        """Offer them in order, each until it is taken, from the next clock on: the caller may be in step with another one."""
        await RisingEdge(self.clock)
        await self.play_on(beats, may_idle)

    async def play_on(self, beats: Iterable[Beat], may_idle: Callable[[], bool] = lambda: False) -> None:
        """The same from this clock on."""
        for beat in beats:
            while may_idle():
                await RisingEdge(self.clock)
            for name, value in beat.items():
                self.signals[name].value = value
            self.valid.value = 1
            await RisingEdge(self.clock)
            while not self.ready.value:
                self.waits += 1
                await RisingEdge(self.clock)
            self.valid.value = 0


class Sink(Stream):
    """Takes transfers. What is offered must stay until it is taken."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.beats_taken: list[Beat] = []
        self.clocks: list[int] = []
        """The clock of each transfer."""
        self.is_shut: Callable[[], bool] = lambda: False

    async def run(self) -> None:
        clock = 0
        offered: Beat | None = None
        was_shut: bool | None = None
        while True:
            is_shut = self.is_shut()
            if is_shut != was_shut:
                self.ready.value = not is_shut
            was_shut = is_shut
            await RisingEdge(self.clock)
            clock += 1
            if self.valid.value:
                beat = {name: signal.value for name, signal in self.signals.items()}
                assert offered in (None, beat), "what is offered stays"
                offered = beat
                if not is_shut:
                    self.beats_taken.append(beat)
                    self.clocks.append(clock)
                    offered = None
            else:
                assert offered is None, "an offer is not taken back"

    def frames(self) -> list[Frame]:
        """What came, whole frames only: full beats but the last, and the same beside the bytes on every beat."""
        frames, data, sides = [], b"", set()
        for beat in self.beats_taken:
            lanes = beat["tkeep"].bit_count()
            assert beat["tkeep"] == (1 << lanes) - 1
            assert lanes == self.lanes or (beat["tlast"] and lanes > 0)
            data += beat["tdata"].to_bytes(self.lanes, "little")[:lanes]
            sides.add(tuple(beat[name] for name in self.side))
            assert len(sides) == 1, "the same on every beat"
            if beat["tlast"]:
                frames.append(Frame(data, sides.pop()))
                data = b""
        assert not data, "no frame without its end"
        return frames

    async def settle(self, clocks: int = 400) -> None:
        """Wait until nothing has come for so long."""
        seen = -1
        while seen != len(self.beats_taken):
            seen = len(self.beats_taken)
            for _ in range(clocks):
                await FallingEdge(self.clock)


def sometimes(rng: random.Random, share: float) -> Callable[[], bool]:
    """True with this share."""
    return lambda: rng.random() < share
