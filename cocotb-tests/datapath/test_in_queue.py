# SPDX-License-Identifier: Apache-2.0
"""Frames that are dropped and marked in the queue: through witnesses, which do so at random, and through CoDel.

The model is driven from C++, which also refuses beats that are not full and frames that are torn.
"""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING

import numpy as np
import pytest
from datapath.frames.reference import marked
from datapath.frames.sized import udp
from datapath.replaying import PERIOD_NS, Link, replay, run
from lib.simulation import registers
from scapy.utils import RawPcapReader

from sluice.packets import capture
from sluice.packets.datapath import ACTIONS
from sluice_golden import models
from sluice_golden.core import Head

if TYPE_CHECKING:
    from pathlib import Path

LANES = 8
EXIT_CLOCKS = 32
"""From the clock in which CoDel judges a frame to its first beat, more or less."""
UNLIMITED, SLOW = Link(0, 0, 64), Link(1, 24, 64)
SIZES = (60, 60, 61, 64, 200, 576, 1500, 9000)


def frames(count: int, seed: int) -> list[bytes]:
    """Some, of which half may be marked."""
    rng = random.Random(seed)
    return [udp(rng, rng.choice(SIZES), ecn=rng.choice((0, 0, 1, 2, 3))) for _ in range(count)]


def codes(name: str, where: str) -> set[int]:
    """Codes of the reasons that are given at the arrival, at the head or in the queue."""
    return {r["code"] for r in registers(name)["reasons"] if r["name"].startswith(where)}


@pytest.mark.parametrize("name", ["head-witness-64", "head-witness-512", "out-witness-64"])
@pytest.mark.parametrize(("link", "gap_ns"), [(UNLIMITED, 0), (UNLIMITED, 1500), (SLOW, 0), (SLOW, 1500)])
def test_what_is_dropped_leaves_no_beat(name: str, link: Link, gap_ns: int) -> None:
    """What is kept leaves byte for byte, with CE where it was marked, and the table says which frame met what, and why."""
    sent = frames(1500, seed=gap_ns)
    outcome, left = replay(name, link, {}, sent, gap_ns)
    actions = [ACTIONS[action] for action in outcome.seen["action"]]
    for before, after, action, departure in zip(sent, left, actions, outcome.departure_ns, strict=True):
        expected = {"pass": before, "drop": bytes(len(before))}.get(action) or marked(before)
        assert after == expected, before.hex()
        assert (departure == 0) == (action == "drop")
    departures = outcome.departure_ns[outcome.departure_ns > 0]
    assert (np.diff(departures.astype(np.int64)) > 0).all(), "in order"
    where = "Head" if name.startswith("head") else "Pushed out"
    if gap_ns == 0 or where == "Head":  # nothing waits to be thrown out where frames come one by one
        assert np.isin(outcome.seen["reason"], list(codes(name, where))).sum() > 20


@pytest.mark.parametrize("name", ["head-witness-64", "head-witness-512"])
def test_jumps_of_time_change_nothing(name: str) -> None:
    """What a clock shows that never jumps: all that the witness hears, with its time, decides what becomes of frames. But it must
    not want a tick meanwhile: a jump over several makes one."""
    sent, calm = frames(300, seed=1), {"period": 4_000_000_000}
    for gap_ns in (0, 400, 2000, 4000, 20_000):
        steady, jumping = (replay(name, UNLIMITED, calm, sent, gap_ns, is_steady)[0] for is_steady in (True, False))
        assert (steady.seen == jumping.seen).all(), f"{gap_ns} ns apart"
        assert (steady.departure_ns == jumping.departure_ns).all()
        assert jumping.clocks <= steady.clocks


def test_codel_behind_a_slow_link(tmp_path: Path) -> None:
    """A capture that is a little too fast for the link: what CoDel drops leaves no beat, and the summary counts it by reason. It
    is what CoDel's model drops that judges each frame when the link has sent the one before."""
    pcap, out, table, summary = (tmp_path / name for name in ("made.pcap", "out.pcap", "frames.tsv", "summary.json"))
    sent, gap_ns, begin_ns = [udp(random.Random(3), 1500)] * 1500, 100_000, 10**9
    sent = [frame[:-4] + i.to_bytes(4) for i, frame in enumerate(sent)]
    capture.write(pcap, [begin_ns + gap_ns * i for i in range(len(sent))], sent)
    law = {"target": 1_000_000, "interval": 4_000_000, "min_bytes": 1500}
    settings = [argument for name, value in law.items() for argument in ("--set", f"{name}={value}")]
    files = ("--out", str(out), "--frames", str(table), "--json", str(summary))
    assert run(str(pcap), "--config", "codel-64", "--rate", "110M", "--set", "limit=1000", *settings, *files) == 0
    rows = [line.split("\t") for line in table.read_text().splitlines()]
    column = {name: [row[i] for row in rows[1:]] for i, name in enumerate(rows[0])}
    kept = [frame for frame, verdict in zip(sent, column["verdict"], strict=True) if verdict == "pass"]
    left = list(RawPcapReader(str(out)))
    assert [frame for frame, _ in left] == kept
    dropped = column["reason"].count("Target exceeded drop")
    result = json.loads(summary.read_text())
    assert result["dropped"] == {"Target exceeded drop": dropped}
    assert result["frames_out"] == len(kept) == len(sent) - dropped
    assert dropped > 50

    departures = [int(text or 0) for text in column["departure_ns"]]
    model = models()["codel"]()
    model.apply(model.defaults() | law)
    size = len(sent[0])
    queued_ns = begin_ns + PERIOD_NS * (size // LANES + registers("codel-64")["lead_cycles"])  # of the first frame
    for number in range(len(sent)):
        judged_ns = next(time for time in departures[number:] if time) - PERIOD_NS * EXIT_CLOCKS
        arrived = min(len(sent), 1 + (judged_ns - queued_ns) // gap_ns)
        head = Head(
            now_ns=judged_ns,
            flow=0,
            size=size,
            tag=0,
            is_ce=False,
            queue_packets=arrived - number - 1,
            queue_bytes=(arrived - number - 1) * size,
            is_ect=False,
            queued_ns=queued_ns + gap_ns * number,
        )
        assert model.head(head).action == column["verdict"][number], f"frame {number}"


def test_codel_at_line_rate() -> None:
    """Frames of one beat, one in every clock: each is asked for and judged at the head, and behind the first, for which an idle
    link had asked, none waits for that."""
    rng = random.Random(1)
    kinds = [udp(rng, 60) for _ in range(500)]
    sent = [kind[:-4] + number.to_bytes(4) for number, kind in enumerate(rng.choices(kinds, k=50_000))]
    outcome, left = replay("codel-512", UNLIMITED, {}, sent, gap_ns=0)
    assert (np.diff(outcome.entry_ns) == PERIOD_NS).all(), "the input never waits"
    assert (np.diff(outcome.departure_ns[1:]) == PERIOD_NS).all(), "no bubble at the output"
    assert left == sent
