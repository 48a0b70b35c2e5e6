# SPDX-License-Identifier: Apache-2.0
"""What a datapath of many queues showed, against the golden model of its tile, and against what came."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from datapath.frames.reference import marked
from datapath.frames.sized import MOST
from datapath.many_queues.rows import BEGIN, CLOCK_NS, Rows, Shown
from datapath.many_queues.traffic import SERIAL, is_good
from lib.simulation import datapath, registers
from lib.tile.player import raw_defaults, tile_model
from lib.witness import model_of

from sluice_golden.core import Packet
from sluice_golden.packets.frame_parser import parse
from sluice_golden.tile.queue import Limits

if TYPE_CHECKING:
    from sluice_golden.tile.model import TileModel

ACTIONS = ("pass", "mark", "drop")


def model_of_tile(rows: Rows) -> TileModel:
    """The golden model of the tile as it is set."""
    declared, classes = registers(rows.name), rows.classes
    raw = raw_defaults(declared) | rows.settings | (classes.settings if classes else {})
    core, now = model_of(datapath(rows.name)["config"])(), dict(raw)
    for changed in ({}, *(classes.sets if classes else ())):
        now |= changed
        core.apply({name: now[name] for name in core.defaults()})
    profiles = classes.profiles if classes else {}
    queues = next(word["reset"] for word in declared["registers"] if word["name"] == "QUEUES")
    bounds = (raw["queue_limit"], raw["queue_limit_bytes"], raw["queue_quantum"])
    each = [Limits(*bounds, profiles.get(queue, 0), raw["queue_alpha"]) for queue in range(queues)]
    return tile_model(declared, core, raw, each)


def packet_of(rows: Rows, number: int, frame: bytes, flow: int) -> Packet:
    """A frame as the tile is told of it."""
    service = parse(frame).service or 0
    dscp = service >> 2
    queue = rows.classes.queue_of(dscp) if rows.classes else 0
    return Packet(flow, len(frame), service & 3, cookie=number, queue=queue, dscp=dscp)


def check_as_the_model(rows: Rows, shown: Shown) -> Counter[str]:
    """Every verdict in its clock, all that leaves the queues, and every frame at the output. How many of each."""
    good = [frame.data for frame in rows.frames if is_good(frame)]
    codes = {reason["name"]: reason["code"] for reason in registers(rows.name)["reasons"]}
    model, due = model_of_tile(rows), None
    arrivals, left = shown.clocks("m_flow"), shown.ports["m_left_valid"]
    assert len(arrivals) == len(good), "each good frame is judged, and no other"
    flows = {clock: number for number, clock in enumerate(arrivals)}
    seen: Counter[str] = Counter()
    expected = []
    owed = shown.asked_before
    for clock in range(-shown.asked_before, 0):
        model.begin(clock, (BEGIN + clock) * CLOCK_NS)
        model.ask()
        model.finish(clock)
    for clock in range(len(shown.is_ready) - 1):
        assert bool(shown.ports["m_verdict_valid"][clock]) == (due is not None), (
            f"clock {clock}: verdict too soon or missing"
        )
        if due is not None:
            verdict = (ACTIONS.index(due.verdict.action), codes.get(due.verdict.reason, 0), due.queue)
            shows = shown.at(clock, "m_verdict", "action", "reason", "queue")
            assert shows == verdict, f"clock {clock}: verdict {shows} instead of {due}"
            seen[due.verdict.reason] += due.verdict.action != "pass"
        model.begin(clock, (BEGIN + clock + 1) * CLOCK_NS)
        if clock in flows:
            number = flows[clock]
            model.arrive(clock, packet_of(rows, number, good[number], int(shown.ports["m_flow_id"][clock])))
        if shown.ports["watch_ask"][clock]:
            model.ask()
            owed += 1
        if left[clock + 1]:
            waiting = model.fair.leaving if model.fair else model.lists.picked if model.lists else ()
            assert waiting, f"clock {clock}: something leaves that is not there"
            assert owed, f"clock {clock}: something leaves that was not asked for"
            gone = model.leave(clock)
            action = "drop" if gone.is_dropped else "mark" if gone.reason else "pass"
            fate = (ACTIONS.index(action), codes.get(gone.reason, 0), gone.packet.queue)
            shows = shown.at(clock + 1, "m_left", "action", "reason", "queue")
            assert shows == fate, f"clock {clock}: left {shows} instead of {gone}"
            seen[gone.reason or "sent"] += 1
            owed -= not gone.is_dropped
            if not gone.is_dropped:
                frame = good[gone.packet.cookie]
                expected.append(marked(frame) if gone.packet.is_ce else frame)
        due = model.finish(clock)
    taken = shown.frames()
    for number, (frame, data) in enumerate(zip(taken, expected, strict=False)):
        assert frame.data == data, (
            f"clock {frame.clock}: frame {number} of {len(data)} bytes is not what left the queue"
        )
    assert len(taken) == len(expected)
    return seen


def check_all_is_back(rows: Rows, shown: Shown) -> None:
    """Every frame met one fate and all memory is free, by the counters."""
    counters, sent = shown.counters, rows.frames
    bad = [frame for frame in sent if frame.is_bad]
    overlong = [frame for frame in sent if not frame.is_bad and len(frame.data) > MOST]
    drops = int((shown.ports["m_verdict_action"][shown.clocks("m_verdict")] == ACTIONS.index("drop")).sum())
    drops += int((shown.ports["m_left_action"][shown.clocks("m_left")] == ACTIONS.index("drop")).sum())
    expected = {
        "input_frames": len(sent),
        "input_bytes": sum(len(frame.data) for frame in sent),
        "bad_frames": len(bad),
        "oversize_frames": len(overlong),
        "output_frames": len(sent) - len(bad) - len(overlong) - drops,
        "held_frames": 0,
        "held_bytes": 0,
        "held_cells": 0,
        "queue_packets": 0,
        "queue_bytes": 0,
    }
    assert {name: counters[name] for name in expected} == expected
    assert shown.faults == 0


def check_content(rows: Rows, shown: Shown) -> int:
    """Whatever became of them: each frame that leaves is one that came, as it was or marked, and none leaves twice; those of a
    flow keep their order. How many left."""
    good = [frame.data for frame in rows.frames if is_good(frame)]
    known, wait = set(good), Counter(map(as_if_marked, good))
    last: defaultdict[bytes, int] = defaultdict(lambda: -1)
    taken = shown.frames()
    for frame in taken:
        data = as_if_marked(frame.data)
        assert frame.data in known or frame.data == data, f"clock {frame.clock}: a frame that did not come"
        assert wait[data], f"clock {frame.clock}: a frame of {len(data)} bytes that did not come, or left before"
        wait[data] -= 1
        if len(data) > 100:
            flow, number = data[14:60], int.from_bytes(data[-SERIAL:], "big")
            assert number > last[flow], f"clock {frame.clock}: frame {number} behind {last[flow]} of its flow"
            last[flow] = number
    return len(taken)


def as_if_marked(data: bytes) -> bytes:
    """What leaves if it is marked: the same of two short frames that differ in their ECN field alone."""
    return marked(data) if may_be_marked(data) else data


def may_be_marked(data: bytes) -> bool:
    """It is an ECN-capable packet, and not marked yet."""
    service = parse(data).service
    return service is not None and service & 3 in {1, 2}
