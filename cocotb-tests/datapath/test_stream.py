# SPDX-License-Identifier: Apache-2.0
"""A datapath as a stream: what becomes of frames depends on when they came, and not on how time was cut."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pytest
from datapath.frames.made import capture_of
from datapath.frames.sized import udp
from datapath.replaying import PERIOD_NS, Link, model_of
from datapath.streaming import NEVER, Stream

from sluice.hardware.datapaths import find
from sluice.hardware.registers import RegisterMap, TileDriver
from sluice.packets.datapath import ACTIONS, SEEN, Outcome

GIGABIT = Link(8, 24, 64)
"""It is often idle, and often busy, with the traffic below."""

OWN = {
    "red-512": {"weight_exponent": 5, "min": 2, "max": 9, "idle_rate": 0.002, "ecn": 1, "probability": 0.3},
    "droptail-512": {"limit": 10},
    "codel-512": {"target": 20_000, "interval": 100_000, "ecn": 1, "min_bytes": 1500},
    "fq-codel-1k-64": {"target": 5000, "interval": 20_000, "ecn": 1, "ce_threshold": 8000, "min_bytes": 0},
}
"""Parameters with which this traffic meets all that the datapath may do to it."""


class Gone(NamedTuple):
    """A frame that has left, or was dropped: then there are no bytes."""

    number: int
    departure_ns: int
    data: bytes
    action: int
    reason: int


class Fates(NamedTuple):
    """What became of frames: verdicts in their order, and what left or was dropped in the order in which it did."""

    seen: list[bytes]
    entry_ns: list[int]
    gone: list[Gone]

    @property
    def ended(self) -> list[Gone]:
        """Those that are gone, in the order of their numbers."""
        return sorted(self.gone)


def nothing() -> Fates:
    """Of no frames."""
    return Fates([], [], [])


def traffic(seed: object, count: int) -> tuple[list[bytes], list[int]]:
    """Frames and when they come: bursts, and gaps of up to 0.3 ms."""
    rng = random.Random(str(seed))
    frames, times, now = [], [], 0
    for _ in range(count):
        kind = rng.random()
        longest = 1 if kind < 0.6 else 3000 if kind < 0.8 else 60_000 if kind < 0.97 else 300_000
        now += rng.randrange(longest) // PERIOD_NS * PERIOD_NS
        size = rng.choice((60, 64, 200, 576, 1500, 1500, 1500, 9700 if kind < 0.05 else 1000))
        frames.append(udp(rng, size, ecn=rng.randrange(4)))
        times.append(now)
    return frames, times


def steady(name: str, frames: list[bytes], times: list[int]) -> Outcome:
    """What becomes of them where each clock is simulated."""
    model, driver = model_of(name)
    driver.configure(GIGABIT.settings | OWN[name])
    outcome = model.replay(capture_of(frames), np.array(times, np.uint64), lambda _: None, is_steady=True)
    model.close()
    return outcome


def configured(name: str, settings: dict[str, float]) -> tuple[Stream, TileDriver]:
    """A stream at time 0."""
    stream = Stream(name)
    driver = TileDriver(stream, RegisterMap.load(find(name).register_map))
    driver.configure(settings)
    return stream, driver


def take(stream: Stream, fates: Fates) -> None:
    """Appends what has become of frames."""
    for number, entry_ns, seen in stream.verdicts():
        assert number == len(fates.seen)
        fates.seen.append(seen)
        fates.entry_ns.append(entry_ns)
    fates.gone.extend(Gone(*its) for its in stream.departed())


def at_once(stream: Stream, frames: list[bytes], times: list[int]) -> Fates:
    """All frames are there from the beginning, and time has no limit."""
    fates = nothing()
    for frame, time in zip(frames, times, strict=True):
        assert stream.offer(time, frame) != NEVER
    stream.run_until(NEVER)
    take(stream, fates)
    return fates


def in_slices(stream: Stream, frames: list[bytes], times: list[int], rng: random.Random) -> Fates:
    """A wall goes on by chance, faster and slower than the model; a frame is there when its time has come, and never before."""
    fates = nothing()
    wall, coming = 0, 0
    while len(fates.gone) < len(frames):
        next_ns = min(stream.next_event_ns, times[coming] if coming < len(times) else NEVER)
        wall = max(wall, next_ns) + rng.randrange(rng.choice((1, 2000, 100_000)))
        while coming < len(times) and times[coming] <= wall:
            assert stream.offer(times[coming], frames[coming]) == coming
            coming += 1
        stream.run_until(wall, rng.randrange(1, rng.choice((2, 50, 4000))))
        assert stream.now_ns <= wall + PERIOD_NS
        take(stream, fates)
    return fates


@pytest.mark.parametrize("name", sorted(OWN))
def test_as_clock_by_clock(name: str) -> None:
    """Verdicts, times and bytes are those of a datapath that is simulated clock by clock."""
    frames, times = traffic(name, 300)
    expected = steady(name, frames, times)
    actions = {ACTIONS[action] for action in expected.seen["action"]}
    assert actions >= ({"pass", "drop"} if name.startswith("droptail") else {"pass", "mark", "drop"})
    stream, driver = configured(name, GIGABIT.settings | OWN[name])
    fates = at_once(stream, frames, times)
    compare(fates, expected, frames)
    assert driver.snapshot()["held_frames"] == 0
    stream.close()
    stream, _ = configured(name, GIGABIT.settings | OWN[name])
    assert in_slices(stream, frames, times, random.Random(name)) == fates
    stream.close()


def compare(fates: Fates, expected: Outcome, frames: list[bytes]) -> None:
    """Each of the frames' fates with what is expected of it."""
    assert fates.entry_ns == expected.entry_ns.tolist()
    ended = fates.ended
    assert [its.number for its in ended] == list(range(len(frames)))
    assert [its.departure_ns for its in ended] == expected.departure_ns.tolist()
    last: Any = expected.seen[["action", "reason"]].tolist()
    assert [(its.action, its.reason) for its in ended] == last
    seen = np.frombuffer(b"".join(fates.seen), SEEN)
    parsed = [name for name in SEEN.names or () if name not in {"action", "reason"}]
    assert (seen[parsed] == expected.seen[parsed]).all()
    at = 0
    for its, frame in zip(ended, frames, strict=True):
        assert its.data in {b"", expected.output[at : at + len(frame)].tobytes()}
        at += len(frame)
    times = [its.departure_ns for its in fates.gone if its.data]
    assert times == sorted(times)


def test_registers_under_load() -> None:
    """Hundreds of accesses in any clock of full load: each is answered with what is there, and no beat is lost or doubled."""
    rng = random.Random(7)
    stream, driver = configured("red-512", {"min": 900, "max": 1000, "overhead": 24})
    words = {p["address"]: p for p in stream.registers["parameters"] if not p["name"].startswith(("seed", "stall"))}
    staged = {address: stream.read(address) for address in words}
    frames = [udp(rng, rng.choice((60, 64, 65, 576, 1500)), ecn=rng.randrange(4)) for _ in range(1500)]
    fates = nothing()
    offered = accesses = 0
    asked: tuple[int, int | None] | None = None
    while len(fates.gone) < len(frames):
        while offered < len(frames) and offered - len(fates.gone) < 100:
            stream.offer(0, frames[offered])
            offered += 1
        if asked is None:
            address = rng.choice([*words, 0x7FC])
            asked = (
                address,
                rng.choice((None, rng.randrange(1 << words[address]["width"]))) if address in words else None,
            )
            assert stream.begin_access(*asked)
        stream.run_until(NEVER, rng.randrange(1, 30))
        if asked is not None and (done := stream.accessed()):
            address, value = asked
            assert done[0] == address
            assert done[2] == (address in words), f"0x{address:03x}"
            staged |= {address: value} if value is not None else {}
            assert address not in words or done[1] == staged[address]
            asked, accesses = None, accesses + 1
        take(stream, fates)
    assert accesses > 400
    assert [its.data for its in fates.ended] == frames
    counters = driver.snapshot()
    assert counters["held_frames"] == counters["held_bytes"] == 0
    stream.close()


def test_a_rate_that_changes() -> None:
    """A rate that is committed while frames wait holds from the next one on, and time still jumps to where the link is free."""
    stream, _ = configured("droptail-512", Link(80, 24, 64).settings)
    rate = next(p for p in stream.registers["parameters"] if p["name"] == "ns_per_byte")
    frame = udp(random.Random(3), 1000)
    wire_bytes = len(frame) + 24
    for _ in range(40):
        stream.offer(0, frame)
    fates = nothing()
    stream.run_until(20 * wire_bytes * 80 + 100)
    for address, value in ((rate["address"], 800 << rate["fraction"]), (0x018, 1)):
        assert stream.begin_access(address, value)
        while not (done := stream.accessed()):
            stream.run_until(NEVER, 1)
        assert done[2]
    clocks = stream.run_until(NEVER)
    take(stream, fates)
    assert clocks < 20 * 300
    left_ns = [its.departure_ns for its in fates.gone][1:]  # the first one spends the burst
    gaps = [later - earlier for earlier, later in pairwise(left_ns)]
    quick = [abs(gap - wire_bytes * 80) <= 2 * PERIOD_NS for gap in gaps]
    slow = [abs(gap - wire_bytes * 800) <= 2 * PERIOD_NS for gap in gaps]
    change = quick.index(False)
    assert 18 <= change <= 20
    assert all(quick[:change])
    assert all(slow[change:])
    stream.close()


def test_room() -> None:
    """4,096 frames, and as many bytes as 16 MiB; what has departed makes room when it has been told of."""
    stream, _ = configured("droptail-512", {})
    frame = bytes(60)
    assert stream.offer(0, b"") == NEVER
    assert [stream.offer(0, frame) for _ in range(4097)][-2:] == [4095, NEVER]
    stream.run_until(NEVER)
    assert stream.offer(0, frame) == NEVER
    fates = nothing()
    take(stream, fates)
    assert len(fates.gone) == 4096
    long = bytes(1 << 20)
    accepted = [number for number in (stream.offer(0, long) for _ in range(17)) if number != NEVER]
    assert 14 <= len(accepted) <= 16
    assert stream.next_event_ns == stream.now_ns
    stream.close()
