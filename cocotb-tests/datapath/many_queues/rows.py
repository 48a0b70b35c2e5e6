# SPDX-License-Identifier: Apache-2.0
"""A datapath at the simulator's speed: frames as rows of its input, and what it shows in each row.

For a datapath of many queues, whose frames leave in another order than they came. A `watched` one shows one thing more than its
ports, when its tile is asked for a packet, and may have a fault.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from lib.files import kept
from lib.simulation import BENCHES, RTL, datapath, registers

from sluice.support import paths

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from datapath.many_queues.classes import Classes
    from lib.broken import Choice
    from lib.player import Player

CLOCK_NS = 4
_WORD = 8
"""Bytes of a port that a player sees. A wider stream has its data in several ports, which a `watched` datapath has instead."""
BEGIN = 17_000
"""Clocks after the reset until frames are taken and all is set."""
_SETTING = 600
_ACCESS = 40
_ASKS = [re.compile(rf"\.io_ask_{name} +\((\w+) *\)") for name in ("valid", "ready")]
"""What the link has at its port, of which an ask is taken where both are high."""


def lanes_of(name: str) -> int:
    """Bytes of a beat."""
    return int(datapath(name)["data_bits"]) // 8


def beats_of(size: int, lanes: int) -> int:
    """Clocks that a frame takes."""
    return -(-size // lanes)


def source_of(name: str) -> Path:
    """The generated datapath."""
    return RTL / name / f"{paths.module(name)}.sv"


def watched(source: Path, name: str, faults: Sequence[Choice] = ()) -> Path:
    """A copy of a datapath that says on `watch_ask` when its tile takes an ask, and that has the fault, counted from 1, of the
    number on `watch_fault`."""
    text = source.read_text()
    for number, fault in enumerate(faults, 1):

        def chosen(match: re.Match[str], number: int = number, fault: Choice = fault) -> str:
            instead = fault.instead.format(match[2])
            return f"{match[1]}(({source.stem}.watch_fault == {number}) ? ({instead}) : ({match[2]})){match[3]}"

        text, count = re.subn(fault.pattern, chosen, text)
        assert count == 1, f"{source.name} has {count} times {fault.pattern!r}"
    text = _in_words(text, lanes_of(name))
    head = f"module {source.stem} ("
    assert text.count(head) == 1
    begin = text.index(head)
    ports = "\n  output wire          watch_ask,\n  input  wire [7:0]    watch_fault,"
    body = text[begin:].replace(head, head + ports, 1)
    found = [pattern.search(body) for pattern in _ASKS]
    asked = " && ".join(match[1] for match in found if match)
    body, count = re.subn(
        r"^endmodule", f"  assign watch_ask = {asked};\n\nendmodule", body, count=1, flags=re.MULTILINE
    )
    assert count == 1
    return kept(BENCHES / "watched" / name / source.name, text[:begin] + body)


def _in_words(text: str, lanes: int) -> str:
    """The datapath with its data in words, lowest first, where they are wider than one."""
    if lanes == _WORD:
        return text
    for way, port in (("input", "s_axis_tdata"), ("output", "m_axis_tdata")):
        words = [f"{port}_{word}" for word in range(lanes // _WORD)]
        ports = "".join(f"  {way:6} wire [63:0]   {word},\n" for word in words)
        text, count = re.subn(rf"^  {way} +wire \[{8 * lanes - 1}:0\] +{port},\n", ports, text, flags=re.MULTILINE)
        assert count == 1
        whole = f"{{{', '.join(reversed(words))}}}"
        inside = f"\n  wire [{8 * lanes - 1}:0] {port};\n"
        inside += f"  assign {port} = {whole};\n" if way == "input" else f"  assign {whole} = {port};\n"
        begin = text.index(");\n", text.index(f"{words[0]},"))
        text = text[: begin + 3] + inside + text[begin + 3 :]
    return text


@dataclass(frozen=True, slots=True)
class Sent:
    """A frame at the input: so many idle clocks before it, and whether it ends as a bad one."""

    data: bytes
    gap: int = 0
    is_bad: bool = False


@dataclass(frozen=True, slots=True)
class Taken:
    """A frame at the output, with the clock of its first beat."""

    clock: int
    data: bytes


@dataclass
class Shown:
    """What a datapath showed in the rows of the traffic, and its counters at the end."""

    ports: dict[str, np.ndarray]
    is_ready: np.ndarray
    lanes: int
    counters: dict[str, int] = field(default_factory=dict)
    faults: int = 0
    asked_before: int = 0
    """What the idle link asked for ahead."""

    def since(self, clock: int) -> Shown:
        """The same from a clock on."""
        ports = {name: column[clock:] for name, column in self.ports.items()}
        return Shown(ports, self.is_ready[clock:], self.lanes, self.counters, self.faults)

    def clocks(self, port: str) -> list[int]:
        """In which a port is valid."""
        return [int(clock) for clock in np.flatnonzero(self.ports[f"{port}_valid"])]

    def at(self, clock: int, port: str, *fields: str) -> tuple[int, ...]:
        """Some fields of a port."""
        return tuple(int(self.ports[f"{port}_{name}"][clock]) for name in fields)

    def frames(self) -> list[Taken]:
        """All that left, whole and without gaps: what is offered stays until it is taken, and a frame's beats come one after the
        other."""
        valid, last = self.ports["m_axis_tvalid"] == 1, self.ports["m_axis_tlast"] == 1
        words = data_ports("m", self.lanes)
        for name in (*words, "m_axis_tkeep", "m_axis_tlast"):
            is_held = valid[:-1] & ~self.is_ready[:-1]
            assert (self.ports[name][1:] == self.ports[name][:-1])[is_held].all(), f"{name} changes while it waits"
        beats = np.flatnonzero(valid & self.is_ready)
        counts = np.array([int(keep).bit_count() for keep in self.ports["m_axis_tkeep"][beats]], dtype=int)
        assert ((counts == self.lanes) | last[beats]).all(), "a beat in a frame is full"
        data = np.stack([self.ports[name][beats].astype("<u8") for name in words], axis=1).tobytes()
        ends = np.flatnonzero(last[beats])
        assert not len(beats) or ends[-1] == len(beats) - 1, "the last frame is not whole"
        taken, begin = [], 0
        for end in ends:
            first, final = int(beats[begin]), int(beats[end])
            assert valid[first : final + 1].all(), f"clock {first}: a gap in a frame"
            size = int(counts[begin : end + 1].sum())
            taken.append(Taken(first, data[begin * self.lanes : begin * self.lanes + size]))
            begin = end + 1
        return taken


def data_ports(way: str, lanes: int) -> list[str]:
    """Names of the ports that have the data of the input, s, or the output, m."""
    port = f"{way}_axis_tdata"
    return [port] if lanes == _WORD else [f"{port}_{word}" for word in range(lanes // _WORD)]


def rows_of(frames: Iterable[Sent], lanes: int) -> dict[str, np.ndarray]:
    """The input's rows."""
    ports = data_ports("s", lanes)
    names = ("s_axis_tvalid", "s_axis_tkeep", "s_axis_tlast", "s_axis_tuser", *ports)
    columns: dict[str, list[np.ndarray]] = {name: [] for name in names}
    for frame in frames:
        beats = beats_of(len(frame.data), lanes)
        rows = {name: np.zeros(frame.gap + beats, np.uint64) for name in columns}
        words = np.frombuffer(frame.data.ljust(beats * lanes, b"\xa5"), "<u8").reshape(beats, -1)
        for word, name in enumerate(ports):
            rows[name][frame.gap :] = words[:, word]
        rows["s_axis_tvalid"][frame.gap :] = 1
        rows["s_axis_tkeep"][frame.gap :] = (1 << lanes) - 1
        rows["s_axis_tkeep"][-1] = (1 << (len(frame.data) - 1) % lanes + 1) - 1
        rows["s_axis_tlast"][-1] = 1
        rows["s_axis_tuser"][-1] = frame.is_bad
        for name, column in rows.items():
            columns[name].append(column)
    return {name: np.concatenate(parts) for name, parts in columns.items()}


@dataclass(frozen=True)
class Rows:
    """One run: raw settings, frames, whether the output takes a beat in each clock of the traffic and of the rest, the clock of a
    reset, if there is one, and what frames' DSCPs mean, where they do."""

    name: str
    settings: Mapping[str, int]
    frames: Sequence[Sent]
    is_ready: np.ndarray
    reset: int | None = None
    classes: Classes | None = None

    def run(self, player: Player, fault: int = 0) -> Shown:
        """Plays it, with that fault."""
        declared: dict[str, Any] = registers(self.name)
        addresses = {word["name"]: word["address"] for word in declared["registers"]}
        counters = {c["name"]: c["address"] for c in declared["counters"]}
        words = [addresses["SNAPSHOT"], addresses["FAULTS"]]
        words += [address + high for address in counters.values() for high in (0, 4)]
        traffic, end = rows_of(self.frames, lanes_of(self.name)), BEGIN + len(self.is_ready)
        total = end + _ACCESS * (len(words) + 2)
        inputs = {port.name: np.zeros(total, port.type) for port in player.inputs}
        for name, column in traffic.items():
            inputs[name][BEGIN : BEGIN + len(column)] = column
        inputs["m_axis_tready"][:] = 1
        inputs["m_axis_tready"][BEGIN:end] = self.is_ready
        inputs["now_ns"][:] = np.arange(1, total + 1) * CLOCK_NS
        inputs["s_axil_bready"][:] = inputs["s_axil_rready"][:] = 1
        inputs["watch_fault"][:] = fault
        if self.reset is not None:
            inputs["rst"][BEGIN + self.reset] = 1
        settings = dict(self.settings) | (self.classes.settings if self.classes else {})
        written = (*settings.items(), ("COMMIT", 1), *(self.classes.words if self.classes else ()))
        writes = [(_SETTING, name, value) for name, value in written]
        assert _SETTING + _ACCESS * len(writes) < BEGIN
        for number, (row, name, value) in enumerate([*writes, (end, "SNAPSHOT", 1)]):
            at = row + (_ACCESS * number if row == _SETTING else 0)
            inputs["s_axil_awvalid"][at] = inputs["s_axil_wvalid"][at] = 1
            inputs["s_axil_awaddr"][at], inputs["s_axil_wdata"][at] = addresses[name], value
            inputs["s_axil_wstrb"][at] = 15
        for number, address in enumerate(words, 1):
            inputs["s_axil_arvalid"][end + _ACCESS * number] = 1
            inputs["s_axil_araddr"][end + _ACCESS * number] = address
        seen = player.play(inputs)
        is_answer = seen["s_axil_bvalid"] == 1
        assert int(is_answer.sum()) == len(writes) + 1
        assert not seen["s_axil_bresp"][is_answer].any(), "a setting was refused"
        answers = [int(word) for word in seen["s_axil_rdata"][seen["s_axil_rvalid"] == 1]]
        assert len(answers) == len(words)
        lows, highs = answers[2::2], answers[3::2]
        values = {name: low | high << 32 for name, low, high in zip(counters, lows, highs, strict=True)}
        ports = {name: column[BEGIN:end] for name, column in seen.items()}
        asked_before = int(seen["watch_ask"][:BEGIN].sum())
        return Shown(ports, self.is_ready.astype(bool), lanes_of(self.name), values, answers[1], asked_before)
