# SPDX-License-Identifier: Apache-2.0
"""What REM, PI and AVQ have made of a link of 10 Mbit/s with given arrivals, as it was recorded.

The recordings are made here (`recorder.py`), and where they are at hand also those of ns-2.35's own code, which are not the
project's: SLUICE_NS2 names their folder. In each, arrivals have fixed times, so that a verdict changes
the queue and never the load: packets of 1,000 bytes at 1.2 and 0.8 times the link's rate (ect, udp), packets of 64 to 1,500 bytes
where bytes count (var), and a buffer of 100 packets that overflows, counted in packets and in bytes (full0, full1).
"""

from __future__ import annotations

import csv
import functools
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import recorder

if TYPE_CHECKING:
    from collections.abc import Callable

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


RECORDERS = ["made", *(["ns-2"] if FOLDER.is_dir() else [])]
"""Who recorded: we ourselves, and ns-2 where its recordings are."""
by_each = pytest.mark.parametrize("by", RECORDERS)


@functools.cache
def made(name: str) -> dict[str, recorder.Rows]:
    scheme, run = name.split("_", 1)
    if scheme == "AVQ":
        chosen = AVQ_RUNS[run]
        return {"pkts": recorder.avq(chosen.in_bytes, chosen.drops, chosen.limit, chosen.share)}
    of = recorder.Rem() if scheme == "REM" else recorder.Pi()
    packets, ticks = recorder.ticked(of, *RUNS[run], marks=run == "ect")
    return {"pkts": packets, "ticks": ticks}


def recorded(by: str, name: str, kind: str) -> list[dict[str, str]]:
    if by == "made":
        return made(name)[kind]
    with (FOLDER / f"{name}.{kind}.csv").open() as file:
        return list(csv.DictReader(file))


def packets_of(by: str, name: str) -> list[Packet]:
    return [Packet(float(r["t_us"]) * 1e-6, int(r["size"]), r["verdict"]) for r in recorded(by, name, "pkts")]


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


def never(link: Link, packet: Packet) -> bool:
    """The buffer is large enough."""
    del link, packet
    return False


@dataclass(frozen=True, slots=True)
class AvqRun:
    """A recording of AVQ: its virtual buffer is a part of the buffer."""

    in_bytes: bool
    drops: bool
    limit: int = 1000
    share: float = 0.05


AVQ_RUNS = {
    "ect": AvqRun(in_bytes=False, drops=False),
    "ect_bytes": AvqRun(in_bytes=True, drops=False),
    "udp": AvqRun(in_bytes=False, drops=True),
    "var": AvqRun(in_bytes=True, drops=True),
    "full0": AvqRun(in_bytes=False, drops=True, limit=100, share=3.0),
    "full1": AvqRun(in_bytes=True, drops=True, limit=100, share=3.0),
}
