# SPDX-License-Identifier: Apache-2.0
"""A datapath of many queues as `sluice replay` drives it: what leaves, in which order and when, is what its ports show clock by
clock, which the tile's golden model has agreed to; and the command tells all of it by queue."""

from __future__ import annotations

import csv
import json
import random
from collections import Counter, defaultdict
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from datapath.frames.made import capture_of
from datapath.frames.reference import marked
from datapath.frames.sized import udp
from datapath.many_queues.checks import check_as_the_model
from datapath.many_queues.faults import player_of
from datapath.many_queues.rows import CLOCK_NS, Rows, Sent, beats_of, lanes_of
from datapath.many_queues.traffic import BY_DSCP, NAME, NAMES, numbered, ready
from datapath.replaying import Link, model_of, run
from scapy.utils import RawPcapReader

from sluice.commands.cli import main
from sluice.packets import capture, queue_table
from sluice.packets.datapath import ACTIONS

if TYPE_CHECKING:
    from pathlib import Path

LAW = {"target": 400, "interval": 2000, "ecn": 1, "ce_threshold": 900, "min_bytes": 0, "mark_most": 2}
"""With which frames of a few flows, one behind the other, meet all that may happen at a head."""
SIZES = (60, 64, 65, 128, 200, 576)


def few_flows(seed: int, count: int) -> list[bytes]:
    """Frames of four flows or five, and now and then of another, each of which can be told from all others. Flows have DSCPs."""
    rng = random.Random(seed)
    few = [udp(rng, 60, rng.randrange(4), version, dscp) for dscp, version in enumerate((4, 6, 4, 6, 4))]
    rest = [udp(rng, rng.choice(SIZES), rng.randrange(4), dscp=20 + dscp) for dscp in range(40)]
    made = (rng.choice(few) if rng.random() < 0.9 else rng.choice(rest) for _ in range(count))
    return [numbered(frame + rng.randbytes(rng.choice(SIZES) + 41 - 60), number) for number, frame in enumerate(made)]


def test_as_the_ports_show_it() -> None:
    """Verdicts and queues, what is dropped and marked at the heads, and each frame that leaves with its time."""
    frames = few_flows(5, 900)
    beats = [beats_of(len(frame), lanes_of(NAME)) for frame in frames]
    starts = np.array([0, *accumulate(beats)][:-1], np.uint64)
    rows = Rows(NAME, {"limit": 200} | LAW, [Sent(frame) for frame in frames], ready(random.Random(0), sum(beats), 1.0))
    shown = rows.run(player_of(NAME))
    seen = check_as_the_model(rows, shown)
    assert min(seen[fate] for fate in ("sent", "Target exceeded drop", "CE threshold exceeded mark")) > 10
    model, driver = model_of(NAME)
    driver.configure({"limit": 200} | LAW)
    outcome = model.replay(capture_of(frames), starts * np.uint64(CLOCK_NS), lambda _: None)
    assert {name: driver.snapshot()[name] for name in shown.counters} == shown.counters
    model.close()
    ports = shown.ports
    judged = [shown.at(clock, "m_verdict", "queue")[0] for clock in shown.clocks("m_verdict")]
    assert outcome.seen["queue"].tolist() == judged
    fates = Counter(zip(outcome.seen["action"].tolist(), outcome.seen["reason"].tolist(), strict=True))
    for port, dropped in (("m_verdict", "drop"), ("m_left", "drop"), ("m_left", "mark")):
        for clock in shown.clocks(port):
            fate = (int(ports[f"{port}_action"][clock]), int(ports[f"{port}_reason"][clock]))
            fates[fate] -= ACTIONS[fate[0]] == dropped
    assert not any(count for (action, _), count in fates.items() if ACTIONS[action] != "pass")
    taken, order = shown.frames(), departed(outcome)
    ends = np.cumsum([len(frame) for frame in frames])
    assert [outcome.output[ends[i] - len(frames[i]) : ends[i]].tobytes() for i in order] == [its.data for its in taken]
    apart = np.diff(outcome.departure_ns[order]).astype(int).tolist()
    assert apart == [CLOCK_NS * int(gap) for gap in np.diff([its.clock for its in taken])]


def departed(outcome: Any) -> list[int]:
    """Numbers of the frames that left, in this order."""
    left = np.flatnonzero(outcome.seen["action"] < ACTIONS.index("drop"))
    return [int(number) for number in left[np.argsort(outcome.departure_ns[left])]]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("link", "stall"), [(Link(0.8, 24, 64), 0), (Link(8, 0, 3000), 1)])
def test_jumps_of_time_change_nothing(name: str, link: Link, stall: int) -> None:
    """What a clock shows that never jumps, frame by frame, and all counters."""
    rng = random.Random(f"{link} {stall}")
    law = {} if name == BY_DSCP else LAW | {"target": 5000}
    frames = [udp(rng, rng.choice((60, 200, 1500, 1500, 9000, 9700)), ecn=rng.randrange(4)) for _ in range(60)]
    times = np.cumsum([CLOCK_NS * rng.choice((0, 60, rng.randrange(8000))) for _ in frames]).astype(np.uint64)
    told = []
    for is_steady in (True, False):
        model, driver = model_of(name)
        driver.configure(link.settings | law | {"stall": stall, "limit": 12 if stall else 30})
        outcome = model.replay(capture_of(frames), times, lambda _: None, is_steady)
        told.append(
            (outcome.seen.tobytes(), outcome.departure_ns.tolist(), outcome.entry_ns.tolist(), driver.snapshot())
        )
        model.close()
    assert told[0] == told[1]


@pytest.mark.parametrize("name", [NAME, BY_DSCP])
def test_the_command_tells_it_by_queue(name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Files, table and summary agree with each other, with the counters, and with what came; those of single queues too, where
    the datapath has them. A DSCP has the queue of its number."""
    frames = few_flows(7, 1200)
    pcap, out, table, summary = (tmp_path / name for name in ("in.pcap", "out.pcap", "frames.tsv", "summary.json"))
    capture.write(pcap, [10**9 + 100 * number for number in range(len(frames))], frames)
    law, reasons = LAW, ("Overlimit drop", "Target exceeded drop", "CE threshold exceeded mark")
    if name == BY_DSCP:
        law = {
            "min_threshold": 500,
            "max_threshold": 6000,
            "ecn": 1,
            "ecn_min_threshold": 500,
            "ecn_max_threshold": 6000,
        }
        reasons = ("Overlimit drop", "WRED drop", "WRED mark")
    settings = [f"--set={its}={value}" for its, value in ({"limit": 100, "queue_alpha": 0} | law).items()]
    files = ("--out", str(out), "--frames", str(table), "--json", str(summary))
    assert run(str(pcap), "--config", name, "--rate", "4G", *settings, *files) == 0
    result = json.loads(summary.read_text())
    with table.open() as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    of_queues: defaultdict[int, Counter[str]] = defaultdict(Counter)
    for row, frame in zip(rows, frames, strict=True):
        assert name != BY_DSCP or row["queue"] == row["dscp"]
        its = of_queues[int(row["queue"])]
        its[row["verdict"] if row["verdict"] == "pass" else row["reason"]] += 1
        its["departed_packets"] += row["departure_ns"] != ""
        its["departed_bytes"] += len(frame) if row["departure_ns"] else 0
    counters = result["counters"]
    assert [its["queue"] for its in result["queues"]] == sorted(of_queues)
    for its in result["queues"]:
        seen = of_queues[its["queue"]]
        assert its["dropped"] | its["marked"] == {
            name: n for name, n in seen.items() if "drop" in name or "mark" in name
        }
        assert {name: its[name] for name in ("departed_packets", "departed_bytes")} == {
            name: seen[name] for name in ("departed_packets", "departed_bytes")
        }
        heads = its["dropped"].get("Target exceeded drop", 0)
        assert its["accepted_packets"] == its["departed_packets"] + heads
        assert heads or its["accepted_bytes"] == its["departed_bytes"]
        assert min(its["accepted_packets"], 1) <= its["most_packets"] <= its["accepted_packets"]
    for reason in reasons:
        total = sum((its["dropped"] | its["marked"]).get(reason, 0) for its in result["queues"])
        assert total == counters[reason.lower().replace(" ", "_")] > 0
    assert sum(its["departed_bytes"] for its in result["queues"]) == counters["output_bytes"]
    written = [(meta.sec * 10**9 + meta.usec, frame) for frame, meta in RawPcapReader(str(out))]
    left = sorted((int(row["departure_ns"]), number) for number, row in enumerate(rows) if row["departure_ns"])
    assert [time for time, _ in written] == [time for time, _ in left]
    assert [number for _, number in left] != sorted(number for _, number in left), "frames leave in another order"
    for (_, data), (_, number) in zip(written, left, strict=True):
        assert data == (marked(frames[number]) if rows[number]["verdict"] == "mark" else frames[number])
    printed = capfd.readouterr().out
    others = len(of_queues) - queue_table.BUSIEST
    assert others > 0
    assert f"{others} more queues with " in printed


def test_a_switch_s_file_says_the_queue_of_each_dscp(tmp_path: Path) -> None:
    """All words are there before the first frame, which comes at time 0."""
    file, words, pcap, table = (tmp_path / name for name in ("config_db.json", "words.tsv", "in.pcap", "frames.tsv"))
    maps = {"DSCP_TO_TC_MAP": {"A": {"0": "3", "1": "1", "4": "9"}}, "TC_TO_QUEUE_MAP": {"A": {"3": "700", "9": "2"}}}
    ports = {"PORT_QOS_MAP": {"Ethernet0": {"dscp_to_tc_map": "A", "tc_to_queue_map": "A"}}}
    file.write_text(json.dumps({"WRED_PROFILE": {}, **maps, **ports}))
    with pytest.raises(SystemExit) as end:
        main(["profile", "import", str(file), "--config", BY_DSCP, "--writes", str(words)])
    assert not end.value.code
    frames = few_flows(9, 200)
    capture.write(pcap, [100 * number for number in range(len(frames))], frames)
    assert run(str(pcap), "--config", BY_DSCP, "--writes", str(words), "--frames", str(table)) == 0
    with table.open() as lines:
        queues = {(int(row["dscp"]), int(row["queue"])) for row in csv.DictReader(lines, delimiter="\t")}
    assert {of for of in queues if of[0] <= 4} == {(0, 700), (1, 1), (2, 0), (3, 0), (4, 2)}
    assert {queue for dscp, queue in queues if dscp > 4} == {0}
