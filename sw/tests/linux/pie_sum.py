# SPDX-License-Identifier: Apache-2.0
"""The sum of the kernel's own PIE, with ECN and at a probability that stands still: how long its floods of marks are.

    .venv/bin/python sw/tests/linux/pie_sum.py SECONDS [KERNEL]

In user-mode Linux, as `sluice oracle` has it. Bursts of ECN-capable frames, three fifths of what the link carries, are more than
the target now and then, and p rises. As soon as it is above `WANTED` the next update is put off by more than an hour with
`tc qdisc change`, so that p stays; where it is at a hundredth or a tenth by then, all is done again. Nothing is ever dropped.
"""

from __future__ import annotations

import json
import sys
import tempfile
from itertools import groupby
from pathlib import Path

from sluice.experiments.linux import machine, traffic
from sluice.experiments.linux.traffic import Packet
from sluice.support.errors import UserError

RATE_BPS = 10_000_000
BURST, BURST_NS, GAP_NS = 60, 70_000_000, 400_000
WANTED, LEAST, MOST = 0.03, 0.012, 0.1
TRIES = 10
DEVICE, WORDS = "port0", "pie limit 100000 target 1ms ecn"
WINDOW, FLOOD = 50, 0.3
"""A flood: windows of so many packets in a row with more marks than that. Elsewhere p is the most."""


def bursts(seconds: float) -> list[Packet]:
    """All of the same flow, which PIE does not look at."""
    begins = range(0, round(seconds * 1e9), BURST_NS)
    return [Packet(begin + i * GAP_NS, 1000, 1, 2) for begin in begins for i in range(BURST)]


def script(folder: Path) -> list[str]:
    """What the kernel runs; it fails where p did not stop where it should."""
    show = f"tc -s -j qdisc show dev {DEVICE}"
    p = "sed -n 's/.*\"prob\":\\([0-9.e-]*\\).*/\\1/p'"
    return [
        "load net/sched/sch_htb net/sched/sch_pie drivers/net/dummy",
        f"ip link add {DEVICE} type dummy",
        f"ip link set {DEVICE} up",
        f"tc qdisc add dev {DEVICE} root handle 1: htb default 1",
        f"tc class add dev {DEVICE} parent 1: classid 1:1 htb rate {RATE_BPS}bit burst 3200 cburst 3200",
        f"tc qdisc add dev {DEVICE} parent 1:1 handle 10: {WORDS} tupdate 20ms alpha 1 beta 1",
        "sleep 1",
        f"guest play {DEVICE} {folder}/trace {folder}/fates & player=$!",
        f'while awk "BEGIN {{ exit 0$({show} | {p}) >= {WANTED} }}"; do :; done',
        f"tc qdisc change dev {DEVICE} parent 1:1 handle 10: {WORDS} tupdate 4000s",
        "sleep 2",
        f'awk "BEGIN {{ p = $({show} | {p}); exit p < {LEAST} || p > {MOST} }}"',
        "wait $player",
        f"{show} >{folder}/shown",
    ]


def floods(marks: list[bool]) -> list[int]:
    """The marks of each."""
    counts = [sum(marks[at : at + WINDOW]) for at in range(0, len(marks), WINDOW)]
    return [sum(group) for is_flood, group in groupby(counts, lambda count: count > FLOOD * WINDOW) if is_flood]


def run(host: machine.Machine, seconds: float, folder: Path) -> tuple[float, list[bool]]:
    """The p that stood still, and which packets were marked."""
    (folder / "trace").write_text(traffic.text(bursts(seconds)))
    for tries_left in reversed(range(TRIES)):
        try:
            machine.run(host, script(folder), folder, seconds + 60)
            break
        except UserError as error:
            if not tries_left:
                raise
            print(f"once more: {error}", file=sys.stderr)
    shown = next(each for each in json.loads((folder / "shown").read_text()) if each["handle"] == "10:")
    marks = [line.split()[2] == "1" for line in (folder / "fates").read_text().splitlines()]
    if shown["dropped"] or shown["ecn_mark"] != sum(marks):
        raise UserError(f"{shown['dropped']} were dropped, and {sum(marks)} of {shown['ecn_mark']} marks seen")
    return shown["prob"], marks


def main(seconds: str, kernel: str | None = None) -> None:
    host = machine.find(Path(kernel) if kernel else None)
    with tempfile.TemporaryDirectory() as folder:
        p, marks = run(host, float(seconds), Path(folder))
    found = floods(marks)
    print(f"Linux {host.version}: p stood at {p:.4f}; {sum(marks):,} of {len(marks):,} packets were marked")
    print(f"{len(found)} floods, of {', '.join(map(str, found))} marks; (256 - 8.5) / p is {247.5 / p:.0f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
