# SPDX-License-Identifier: Apache-2.0
"""Both ends of an AXI4-Stream of bytes. cocotbext's own read every signal anew for each byte of a beat; these do once a beat."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from cocotb.triggers import RisingEdge
from cocotbext.axi import AxiStreamFrame, AxiStreamSink, AxiStreamSource

from lib.tile.handles import Port

if TYPE_CHECKING:
    from collections.abc import Iterator

_BESIDE = ("tid", "tdest", "tuser")


def _ports(bus: Any) -> dict[str, Port]:
    """Of the beats: bytes, and what goes beside them where there is any."""
    return {name: Port(getattr(bus, name)) for name in ("tdata", "tkeep", "tlast", *_BESIDE) if hasattr(bus, name)}


class FrameSource(AxiStreamSource):
    """Sends frames."""

    async def _run(self) -> None:
        edge, ports = RisingEdge(self.clock), _ports(self.bus)
        valid, ready = Port(self.bus.tvalid), Port(self.bus.tready)
        beats: deque[dict[str, int]] = deque()  # of the frame under way
        self.active = False
        while True:
            await edge
            if valid.value and not ready.value:
                continue
            if not beats and not self.queue.empty():
                frame = self.queue.get_nowait()
                self.queue_occupancy_bytes -= len(frame)
                self.queue_occupancy_frames -= 1
                beats.extend(self._beats(frame))
                self.dequeue_event.set()
                self.active = True
            if beats and not self.pause:
                beat = beats.popleft()
                for name, port in ports.items():
                    port.value = beat[name]
                valid.value = 1
            else:
                valid.value = ports["tlast"].value = 0
                self.active = bool(beats)
                if not beats and self.queue.empty():
                    self.idle_event.set()
                    self.active_event.clear()
                    await self.active_event.wait()

    def _beats(self, frame: AxiStreamFrame) -> Iterator[dict[str, int]]:
        frame.normalize()
        for at in range(0, len(frame.tdata), self.byte_lanes):
            data, keep = (part[at : at + self.byte_lanes] for part in (frame.tdata, frame.tkeep))
            end = at + len(data)
            yield {
                "tdata": int.from_bytes(data, "little"),
                "tkeep": sum(bit << lane for lane, bit in enumerate(keep)),
                "tlast": int(end == len(frame.tdata)),
                **{name: getattr(frame, name)[end - 1] for name in _BESIDE},
            }


class FrameSink(AxiStreamSink):
    """Takes frames."""

    async def _run(self) -> None:
        edge, ports = RisingEdge(self.clock), _ports(self.bus)
        valid, ready = Port(self.bus.tvalid), Port(self.bus.tready)
        beats: list[dict[str, int]] = []  # of the frame under way
        self.active = False
        while True:
            is_paused = bool(self.pause)
            await edge
            is_offered = valid.value
            if is_offered and ready.value:
                beats.append({name: port.value for name, port in ports.items()})
                self.active = True
                if beats[-1]["tlast"]:
                    frame = self._frame(beats)
                    self.queue_occupancy_bytes += len(frame)
                    self.queue_occupancy_frames += 1
                    self.queue.put_nowait(frame)
                    self.active_event.set()
                    beats = []
            else:
                self.active = bool(beats)
            ready.value = not is_paused
            if (not is_offered or is_paused) and is_paused == bool(self.pause):
                self.wake_event.clear()
                await self.wake_event.wait()

    def _frame(self, beats: list[dict[str, int]]) -> AxiStreamFrame:
        lanes = range(self.byte_lanes)
        return AxiStreamFrame(
            bytearray(b"".join(beat["tdata"].to_bytes(self.byte_lanes, "little") for beat in beats)),
            [beat["tkeep"] >> lane & 1 for beat in beats for lane in lanes],
            **{name: [beat[name] for beat in beats if name in beat for _ in lanes] for name in _BESIDE},
        )
