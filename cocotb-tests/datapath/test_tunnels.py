# SPDX-License-Identifier: Apache-2.0
"""Subscribers in tunnels, as `sluice replay` has them from a capture: to URED each is one, whatever flows are inside, and of
all of them only the one that sends too much loses frames."""

from __future__ import annotations

import csv
import random
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from datapath.packets import MACS
from datapath.replaying import run
from scapy.contrib.gtp import GTP_U_Header
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.l2 import Ether
from scapy.layers.ppp import PPP, PPPoE

from sluice.packets import capture

if TYPE_CHECKING:
    from pathlib import Path

SUBSCRIBERS = 20
PAYLOADS = (100, 600, 1300, 1300)
"""Bytes behind the headers, of each flow of a subscriber: URED counts packets, and all have the same mix."""
REGULAR_BPS, GREEDY_BPS = 1.5e6, 50e6
"""What each offers. The link has 50 Mbit/s, so a fair share is 2.5 Mbit/s and what the regular ones leave 20 Mbit/s."""
SECONDS = 0.5
URED = {"buffer": 60, "min": 15, "max": 30, "weight_exponent": 7}
"""Of 60 full frames, which the packet buffer holds, a quarter and half; and averages that are faster than it fills."""

Sent = list[tuple[int, bytes]]


def frames_of(rng: random.Random, tunnel: str, number: int) -> list[bytes]:
    """A frame of each flow of a subscriber, in GTP-U from a base station or in PPPoE from a home."""
    outer = (
        Ether(**MACS) / IP(src="10.0.0.1", dst="10.0.0.2") / UDP(sport=2152, dport=2152) / GTP_U_Header(teid=number)
        if tunnel == "gtp"
        else Ether(**MACS) / PPPoE(sessionid=number) / PPP(proto=0x21)
    )
    own = f"100.64.{number >> 8}.{number & 255}"
    heads = [
        outer / IP(src=f"192.0.2.{rng.randrange(1, 255)}", dst=own) / TCP(sport=443, dport=rng.randrange(1024, 1 << 16))
        for _ in PAYLOADS
    ]
    return [bytes(head / rng.randbytes(size)) for head, size in zip(heads, PAYLOADS, strict=True)]


def sent_by(rng: random.Random, frames: list[bytes], bps: float) -> Sent:
    """Frames at random times, so many bits of them in a second."""
    gap_ns = 8e9 * sum(map(len, frames)) / len(frames) / bps
    sent, now = [], rng.expovariate(1 / gap_ns)
    while now < SECONDS * 1e9:
        sent.append((10**9 + round(now), rng.choice(frames)))
        now += rng.expovariate(1 / gap_ns)
    return sent


def lost(tmp_path: Path, config: str, settings: dict[str, int], greedy: int) -> dict[int, float]:
    """The part of each subscriber's frames that was dropped, before a link of 50 Mbit/s."""
    rng = random.Random(greedy)
    sent: Sent = []
    for number in range(1, SUBSCRIBERS + 1):
        frames = frames_of(rng, "gtp" if number % 2 else "pppoe", number)
        sent += sent_by(rng, frames, GREEDY_BPS if number == greedy else REGULAR_BPS)
    sent.sort(key=lambda one: one[0])
    pcap, table = tmp_path / "tunnels.pcap", tmp_path / "frames.tsv"
    capture.write(pcap, [time for time, _ in sent], [frame for _, frame in sent])
    given = [f"--set={name}={value}" for name, value in {"key_mode": 2, **settings}.items()]
    assert run(str(pcap), "--config", config, "--rate", "50M", *given, "--frames", str(table)) == 0
    offered, dropped = Counter[int](), Counter[int]()
    for row in csv.DictReader(table.read_text().splitlines(), delimiter="\t"):
        number = int(row["gtp_teid"] or row["pppoe_sid"], 0)
        offered[number] += 1
        dropped[number] += row["verdict"] == "drop"
    assert set(offered) == set(range(1, SUBSCRIBERS + 1))
    return {number: dropped[number] / offered[number] for number in offered}


@pytest.mark.parametrize("greedy", [7, 8], ids=["gtp", "pppoe"])
def test_only_the_greedy_subscriber_loses(tmp_path: Path, greedy: int) -> None:
    """More than half of what it sends, and no other one frame in a hundred."""
    parts = lost(tmp_path, "ured-64", URED, greedy)
    assert parts.pop(greedy) > 0.5
    assert max(parts.values()) < 0.01
