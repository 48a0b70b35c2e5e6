# SPDX-License-Identifier: Apache-2.0
"""REM, PI and AVQ: the references against what ns-2.35's own code recorded of a link of 10 Mbit/s with given arrivals, and the
integer models against the references.

The recordings are not the project's: SLUICE_NS2 names their folder. In each, arrivals have fixed times, so that a verdict changes
the queue and never the load: packets of 1,000 bytes at 1.2 and 0.8 times the link's rate (ect, udp), packets of 64 to 1,500 bytes
where bytes count (var), and a buffer of 100 packets that overflows, counted in packets and in bytes (full0, full1).
"""

from __future__ import annotations

import csv
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sluice_golden.controllers.rem import Rem
from sluice_golden.controllers.rem_reference import RemReference
from sluice_golden.core import Arrival, Departed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

FOLDER = Path(os.environ.get("SLUICE_NS2", Path(__file__).parents[4] / "shared/reference/ns2/aqm/unit"))
BIT_PER_S = 10e6
PACKET = 1000
RUNS = {"ect": (False, 1000), "udp": (False, 1000), "var": (True, 1000), "full0": (False, 100), "full1": (True, 100)}
"""Of each recording whether bytes count, and the packets that the buffer holds."""


@dataclass(slots=True)
class Packet:
    s: float
    size: int
    verdict: str


def recorded(name: str, kind: str) -> list[dict[str, str]]:
    path = FOLDER / f"{name}.{kind}.csv"
    if not path.is_file():
        pytest.skip(f"no {path}; SLUICE_NS2 names another folder")
    with path.open() as file:
        return list(csv.DictReader(file))


def packets_of(name: str) -> list[Packet]:
    return [Packet(float(r["t_us"]) * 1e-6, int(r["size"]), r["verdict"]) for r in recorded(name, "pkts")]


@dataclass
class Link:
    """The queue behind a verdict: one packet on the wire, and the others. `over`: whether an arrival finds no room."""

    over: Callable[[Link, Packet], bool]
    sizes: list[int] = field(default_factory=list)
    free_s: float = -1.0  # when the one on the wire has left; none is there: below 0

    def advance(self, s: float) -> None:
        while 0 <= self.free_s <= s:
            self.free_s = self.free_s + self.sizes.pop(0) * 8 / BIT_PER_S if self.sizes else -1.0

    def put(self, packet: Packet) -> None:
        if self.free_s < 0:
            self.free_s = packet.s + packet.size * 8 / BIT_PER_S
        else:
            self.sizes.append(packet.size)


@dataclass
class TickedRun:
    """A recording of a scheme with ticks, played back: what ns-2 dropped is dropped, and overflow is foretold."""

    name: str
    period_s: float
    over: Callable[[Link, Packet], bool]
    arrive: Callable[[Packet], None]
    tick: Callable[[Link], None]
    overflows: int = 0

    def ticks(self) -> Iterator[float]:
        """After each tick, the probability that ns-2 had."""
        link, packets, i = Link(self.over), packets_of(self.name), 0
        for row in recorded(self.name, "ticks"):
            now = int(row["tick"]) * self.period_s
            while i < len(packets) and packets[i].s <= now:
                packet, i = packets[i], i + 1
                link.advance(packet.s)
                self.arrive(packet)
                if link.over(link, packet):
                    assert packet.verdict == "drop", packet
                    self.overflows += 1
                if packet.verdict != "drop":
                    link.put(packet)
            link.advance(now)
            assert len(link.sizes) == int(row["queue_pkts"])
            self.tick(link)
            yield float(row["prob"])


def rem_run(name: str, arrive: Callable[[Packet], None], tick: Callable[[Link], None]) -> TickedRun:
    """ns-2 asks whether the arrival has filled the buffer, with the arrival in it and before an idle link has taken it."""
    in_bytes, limit = RUNS[name]

    def over(link: Link, packet: Packet) -> bool:
        return sum(link.sizes) + packet.size >= limit * PACKET if in_bytes else len(link.sizes) + 1 >= limit

    return TickedRun(f"REM_{name}", 0.002, over, arrive, tick)


@pytest.mark.parametrize("name", RUNS)
def test_rem_reference_is_ns2s(name: str) -> None:
    """At every tick, to the six digits that ns-2 prints."""
    in_bytes = RUNS[name][0]
    rem = RemReference(capacity=0.002 * BIT_PER_S / 8 / PACKET)
    run = rem_run(
        name,
        lambda packet: rem.count(packet.size / PACKET if in_bytes else 1),
        lambda link: rem.tick(sum(link.sizes) / PACKET if in_bytes else len(link.sizes)),
    )
    for probability in run.ticks():
        assert abs(rem.probability - probability) < 1e-7
    assert (run.overflows > 0) == name.startswith("full")


@pytest.mark.parametrize("name", RUNS)
def test_rem_model_is_near_ns2(name: str) -> None:
    """The integer model, in default parameters, is within 1e-6 of ns-2's probability at every tick."""
    rem = Rem()
    rem.apply(rem.parameters | {"byte_mode": int(RUNS[name][0])})

    def tick(link: Link) -> None:
        rem.departed(Departed(0, 0, 0, queue_packets=len(link.sizes), queue_bytes=sum(link.sizes)))
        rem.tick("price", 0)
        rem.settle("price")

    run = rem_run(name, lambda packet: rem.arrive(Arrival(0, 0, packet.size, 0, 0, 0, (0xFFFFFFFF,))) and None, tick)
    worst = max(abs(rem.probability / 2**31 - probability) for probability in run.ticks())
    print(name, worst)
    assert worst < 1e-6
