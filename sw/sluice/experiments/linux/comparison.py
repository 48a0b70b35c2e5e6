# SPDX-License-Identifier: Apache-2.0
"""The same arrivals through the kernel's qdisc and through the RTL, and what both make of them.

The kernel runs in real time, so what it got it got a little late, and its times of arrival are what the RTL is given: a slow
machine shifts both alike. A late link is not shared: the kernel's HTB makes up for it out of `BURST_BYTES`.
"""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import Any

from sluice.experiments.linux import machine, traffic
from sluice.experiments.linux.disciplines import Discipline
from sluice.experiments.linux.machine import Machine
from sluice.experiments.linux.traffic import Packet
from sluice.hardware.registers import RegisterMap
from sluice.support import paths
from sluice.support.errors import UserError

BURST_BYTES = 3200
"""That the link may send at once after it has stood idle, in the kernel and behind the tile."""

_DEVICE = "port0"
_BOOT_S = 60.0


@dataclass(frozen=True)
class Fate:
    """When a packet left, if it did, and whether with a mark that it got here; times from the trace's beginning on."""

    arrival_ns: int
    departure_ns: int
    is_marked: bool


@dataclass(frozen=True)
class Measured:
    """What one of both made of the trace."""

    drops: int
    marks: int
    queue: float
    """Packets in the queue that would leave it, on average over the trace's time."""
    delay_ms: float
    """Of those that left, on average."""

    @classmethod
    def of(cls, fates: list[Fate]) -> Measured:
        """Of all packets of a trace."""
        waits = [fate.departure_ns - fate.arrival_ns for fate in fates if fate.departure_ns >= 0]
        last = max(max(fate.arrival_ns, fate.departure_ns) for fate in fates)
        marks = sum(fate.is_marked for fate in fates)
        return cls(len(fates) - len(waits), marks, sum(waits) / max(last, 1), fmean(waits or [0]) / 1e6)


@dataclass(frozen=True)
class Comparison:
    """Both, and how well the kernel's machine kept time."""

    linux: Measured
    rtl: Measured
    late_ms: float
    """By which a packet came to the kernel later than the trace has it, on average."""
    link: float
    """Rate of the kernel's link while packets waited for it, of what it should be: less where the machine has no time for it."""


def compare(host: Machine, discipline: Discipline, packets: list[Packet], rate_bps: int, folder: Path) -> Comparison:
    """Runs both; a user error where the kernel drops what it does not count, or weighs averages otherwise."""
    fates, shown = _through_linux(host, discipline, packets, rate_bps, folder)
    measured = Measured.of(fates)
    if shown["drops"] != measured.drops:
        raise UserError(
            f"{discipline.kind}: the kernel counts {shown['drops']} drops, and {measured.drops} packets did not leave"
        )
    meant = discipline.parameters(traffic.mean_bytes(packets), rate_bps).get("weight_exponent")
    if shown["options"].get("ewma") != meant:
        raise UserError(
            f"{discipline.kind}: the kernel's ewma is {shown['options'].get('ewma')}, and the tile's {meant}"
        )
    came = [packet._replace(time_ns=fate.arrival_ns) for packet, fate in zip(packets, fates, strict=True)]
    late = fmean(now.time_ns - wanted.time_ns for now, wanted in zip(came, packets, strict=True))
    rtl = Measured.of(through_rtl(discipline, came, rate_bps))
    link = link_rate(fates, packets, 8e9 / rate_bps)
    return Comparison(measured, rtl, late / 1e6, link)


def link_rate(fates: list[Fate], packets: list[Packet], ns_per_byte: float) -> float:
    """The rate between departures of which the second packet was there at the first, of what it should be; 1 without any."""
    left = sorted((fate.departure_ns, fate.arrival_ns, p.bytes) for fate, p in zip(fates, packets, strict=True))
    pairs = [(a, b) for a, b in pairwise(each for each in left if each[0] >= 0) if b[1] <= a[0]]
    taken = sum(b[0] - a[0] for a, b in pairs)
    return sum(a[2] for a, _ in pairs) * ns_per_byte / taken if taken else 1.0


def _through_linux(
    host: Machine, discipline: Discipline, packets: list[Packet], rate_bps: int, folder: Path
) -> tuple[list[Fate], dict[str, Any]]:
    """What the kernel made of them, and what its tc shows at the end."""
    folder.mkdir(parents=True, exist_ok=True)
    trace, fates, shown = (folder.resolve() / name for name in ("trace", "fates", "shown.json"))
    trace.write_text(traffic.text(packets))
    words = f"{discipline.kind} {discipline.words(traffic.mean_bytes(packets), rate_bps)}"
    machine.run(
        host,
        [
            f"load net/sched/sch_htb {discipline.module} drivers/net/dummy",
            f"ip link add {_DEVICE} type dummy",
            f"ip link set {_DEVICE} up",
            f"tc qdisc add dev {_DEVICE} root handle 1: htb default 1",
            f"tc class add dev {_DEVICE} parent 1: classid 1:1 htb rate {rate_bps}bit burst {BURST_BYTES} cburst {BURST_BYTES}",
            f"tc qdisc add dev {_DEVICE} parent 1:1 handle 10: {words}",
            "sleep 1",  # PIE's first update comes half a second after its beginning
            f"guest play {_DEVICE} '{trace}' '{fates}'",
            f"tc -s -d -j qdisc show dev {_DEVICE} >'{shown}'",
        ],
        folder,
        packets[-1].time_ns / 1e9 + _BOOT_S,
    )
    lines = [line.split() for line in fates.read_text().splitlines()]
    made = [
        Fate(int(came), int(left), ce == "1" and packet.ecn != 3)
        for (came, left, ce), packet in zip(lines, packets, strict=True)
    ]
    return made, next(each for each in json.loads(shown.read_text()) if each["handle"] == "10:")


def through_rtl(discipline: Discipline, packets: list[Packet], rate_bps: int) -> list[Fate]:
    """What the tile made of them, with the link of HTB behind it."""
    registers = RegisterMap.load(paths.made(paths.register_map(discipline.config)))
    settings = discipline.parameters(traffic.mean_bytes(packets), rate_bps)
    fields = {name: registers.parameter(name) for name in settings}
    ns_per_byte = 8e9 / rate_bps
    command = [
        str(paths.made(paths.build() / "linux" / "tile-port")),
        str(paths.made(paths.model(discipline.config))),
        *(str(ns_per_byte), str(round(BURST_BYTES * ns_per_byte)), str(discipline.tick_ns)),
        *(f"{fields[name].address}={fields[name].raw(value)}" for name, value in settings.items()),
    ]
    ran = subprocess.run(command, input=traffic.text(packets), capture_output=True, text=True, check=False)
    if ran.returncode:
        raise UserError(ran.stderr.strip().removeprefix("tile-port: "))
    lines = [line.split() for line in ran.stdout.splitlines()]
    return [
        Fate(packet.time_ns, int(left), marked == "1") for packet, (left, marked) in zip(packets, lines, strict=True)
    ]
