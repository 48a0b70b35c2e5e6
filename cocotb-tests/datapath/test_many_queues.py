# SPDX-License-Identifier: Apache-2.0
"""A datapath around a tile of a thousand queues: frames leave in any order, and give their memory back wherever they end.

Each verdict, departure and drop at a head is that of the tile's golden model, fed with the arrivals and asks that the datapath
makes, and what leaves is byte for byte what came, in the model's order. Copies with one fault each do not pass.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import pytest
from datapath.frames.reference import marked
from datapath.frames.sized import MOST, udp
from datapath.rows import BEGIN, CLOCK_NS, Rows, Sent, Shown, source_of, watched
from lib.broken import Choice
from lib.player import Player
from lib.simulation import registers
from lib.tile.player import raw_defaults, tile_model
from lib.witness import model_of

from sluice_golden.core import Packet
from sluice_golden.packets.frame_parser import parse
from sluice_golden.tile.queue import Limits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sluice_golden.tile.model import TileModel

NAME, CONFIG = "fq-codel-1k-64", "fq-codel-1k"
ACTIONS = ("pass", "mark", "drop")
SIZES = (60, 60, 61, 64, 65, 72, 128, 129, 200, 576, 1000, 1514, 1514)
NS_PER_BYTE_FRACTION = 18
FAULTS = tuple(
    Choice(*fault)
    for fault in (
        (
            "last-cell-of-a-sent-frame-kept",
            r"(_zz_io_back_valid <= )(\(io_fetch_fire && \(isLast \|\| \(&place\)\)\))(;)",
            "io_fetch_fire && (&place)",
        ),
        ("next-cell-by-number", r"(current <= .*? )(io_next)( : cell_1\);)", "cell_1 + 1'b1"),
        ("linked-to-itself", r"(assign io_link_payload_1 = )(now)(;)", "cell_1"),
        ("not-linked", r"(assign io_link_valid = )(\(io_free_ready && .*)(;)", "1'b0"),
        ("last-cell-of-a-refused-frame-kept", r"(_zz_io_back_2_valid <= )(io_refused_valid)(;)", "1'b0"),
        ("cells-of-a-refused-frame-kept", r"(assign onDrop_chains_valid = )(\w+)(;)", "1'b0"),
        ("cells-of-a-dropped-frame-kept", r"( io_dropped_stage_valid <= )(io_dropped_valid)(;)", "1'b0"),
        ("cells-of-a-bad-frame-kept", r"( writer_io_void_stage_valid <= )(writer_io_void_valid)(;)", "1'b0"),
        (
            "cells-of-a-good-frame-given-back",
            r"(assign io_void_valid = \(\(io_isEnd && )(\(! io_isGood\))(\) &&)",
            "1'b1",
        ),
        (
            "chain-without-its-last-cell",
            r"(assign onTurn_isLast = )(\(onTurn_leftNow == .*\))(;)",
            "onTurn_leftNow <= 8'h02",
        ),
        ("tile-not-told-of-free-cells", r"( _zz_io_freed <= )(\(.*\))(;)", "2'd0"),
        (
            "tile-told-twice",
            r"(assign _zz__zz_io_freed_1 = )(reader_io_back_valid)(;)",
            "{} || walker_io_back_valid",
        ),
        ("a-mark-is-forgotten", r"(assign m_departure_\w+_payload_isMarked = )(\w+)(;)", "1'b0"),
    )
)
UPSET = Choice("answers-are-not-counted", r"(assign _zz_onAsk_owed_4 = )(\(io_known_fire && onAsk_isAny\))(;)", "1'b0")
"""What flipped bits bring about, again and again, and what is mended."""
SERIAL = 4
"""Bytes at the end of each long frame that tell it from all others."""
LAWS = (
    {"target": 2000, "interval": 20_000, "ecn": 1, "mark_most": 255, "ce_threshold": 8000},
    {"target": 1000, "interval": 3000, "min_bytes": 0},
    {"target": 3000, "interval": 10_000, "ecn": 1, "mark_most": 4},
)
BUCKET_NS = 64 + 256 * CLOCK_NS
"""What a link may be ahead of its rate: `burst` after a reset, and the clocks that answers take."""
LONG_REST = 60_000
"""Clocks in which all that waits leaves."""


@cache
def kinds(seed: int) -> tuple[bytes, ...]:
    """Frames of many flows, sizes and ECN fields."""
    rng = random.Random(seed)
    return tuple(udp(rng, rng.choice(SIZES), rng.randrange(4), rng.choice((4, 6))) for _ in range(400))


def numbered(frame: bytes, number: int) -> bytes:
    """The frame with a number at its end, where that is no header."""
    return frame[:-SERIAL] + number.to_bytes(SERIAL, "big") if len(frame) > 100 else frame


def frames(rng: random.Random, count: int, gaps: Sequence[int], *, odd: float = 0.0) -> list[Sent]:
    """So many, with idle clocks before each, and now and then one that is bad, overlong, the longest, short, or no packet."""
    sent = []
    for number in range(count):
        data, is_bad = numbered(rng.choice(kinds(1)), number), False
        if rng.random() < odd:
            odds = (
                (rng.randbytes(rng.choice((1, 7, 8, 9, 63, 64, 65))), False),
                (data, True),
                (rng.randbytes(rng.randint(1, MOST)), True),
                (rng.randbytes(MOST + rng.randint(1, 300)), False),
                (numbered(udp(rng, MOST, ecn=1), number), False),
            )
            data, is_bad = rng.choices(odds, (6, 6, 1, 1, 1))[0]
        sent.append(Sent(data, rng.choice(gaps), is_bad))
    return sent


def is_good(frame: Sent) -> bool:
    return not frame.is_bad and len(frame.data) <= MOST


def ready(rng: random.Random, clocks: int, share: float) -> np.ndarray:
    """Whether the output takes a beat in each clock: stretches of any rate that are as good as this share, then always."""
    takes = np.random.default_rng(rng.getrandbits(32)).random(clocks) < share
    return np.concatenate([takes, np.ones(LONG_REST, bool)]).astype(np.uint8)


def model_at(settings: dict[str, int]) -> TileModel:
    """The golden model of the tile under these settings."""
    declared = registers(NAME)
    raw = raw_defaults(declared) | settings
    core = model_of(CONFIG)()
    core.apply({name: raw[name] for name in core.defaults()})
    queue = Limits(raw["queue_limit"], raw["queue_limit_bytes"], raw["queue_quantum"], alpha=raw["queue_alpha"])
    queues = next(word["reset"] for word in declared["registers"] if word["name"] == "QUEUES")
    return tile_model(declared, core, raw, [queue] * queues)


def check_as_the_model(rows: Rows, shown: Shown) -> Counter[str]:
    """Every verdict in its clock, all that leaves the queues, and every frame at the output. How many of each."""
    good = [frame.data for frame in rows.frames if is_good(frame)]
    codes = {reason["name"]: reason["code"] for reason in registers(NAME)["reasons"]}
    model, due = model_at(dict(rows.settings)), None
    arrivals, left = shown.clocks("m_flow"), shown.ports["m_left_valid"]
    assert len(arrivals) == len(good), "each good frame is judged, and no other"
    flows = {clock: number for number, clock in enumerate(arrivals)}
    seen: Counter[str] = Counter()
    expected = []
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
            seen[due.verdict.reason] += due.verdict.action == "drop"
        model.begin(clock, (BEGIN + clock + 1) * CLOCK_NS)
        if clock in flows:
            number = flows[clock]
            frame = good[number]
            service = parse(frame).service
            ecn = 0 if service is None else service & 3
            model.arrive(clock, Packet(int(shown.ports["m_flow_id"][clock]), len(frame), ecn, cookie=number))
        if shown.ports["watch_ask"][clock]:
            model.ask()
        if left[clock + 1]:
            assert model.fair is not None
            assert model.fair.leaving, f"clock {clock}: something leaves that was not asked for"
            gone = model.leave(clock)
            action = "drop" if gone.is_dropped else "mark" if gone.reason else "pass"
            fate = (ACTIONS.index(action), codes.get(gone.reason, 0), gone.packet.queue)
            shows = shown.at(clock + 1, "m_left", "action", "reason", "queue")
            assert shows == fate, f"clock {clock}: left {shows} instead of {gone}"
            seen[gone.reason or "sent"] += 1
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


def run_by_model(seed: int, count: int = 700) -> Rows:
    """Frames that come a little too fast for the link, or much, in turn; the buffer's cells do not bind."""
    rng = random.Random(seed)
    law = LAWS[seed % len(LAWS)]
    gaps = ((0,), (0, 0, 400), (0, 30, 200))[seed % 3]
    half = 1 << NS_PER_BYTE_FRACTION  # of what the output takes
    link = ({}, {"ns_per_byte": half, "overhead": 24}, {"ns_per_byte": 3 * half})
    settings = {"limit": 250, "limit_bytes": 45_000, "queue_quantum": (300, 1514, 9600)[seed % 3]} | law
    settings |= link[seed // 2 % 3] | {"burst": 600}
    sent = frames(rng, count, gaps, odd=0.1)
    clocks = sum(frame.gap + -(-len(frame.data) // 8) for frame in sent)
    return Rows(NAME, settings, sent, ready(rng, clocks, (0.3, 1.0, 0.9)[seed // 2 % 3]))


def run_of_overload(seed: int, count: int = 2500) -> Rows:
    """Frames at line rate before an output that takes a part of them: the buffer's cells bind. Several times what it holds."""
    rng = random.Random(seed)
    sent = frames(rng, count, (0, 0, 0, 3), odd=0.15)
    clocks = sum(frame.gap + -(-len(frame.data) // 8) for frame in sent)
    law = {"target": 20_000, "interval": 100_000, "ecn": 1} if seed % 2 else {"target": 1000, "interval": 2000}
    return Rows(NAME, {"limit": 4000} | law, sent, ready(rng, clocks, (0.3, 0.05, 0.5)[seed % 3]))


@pytest.fixture(scope="module")
def player() -> Player:
    return Player(watched(source_of(NAME), NAME, (*FAULTS, UPSET)), f"watched-{NAME}")


@pytest.mark.parametrize("seed", range(6))
def test_as_the_golden_model(player: Player, seed: int) -> None:
    """Every verdict, departure and drop, and every frame byte for byte in the model's order."""
    rows = run_by_model(seed)
    shown = rows.run(player)
    seen = check_as_the_model(rows, shown)
    check_all_is_back(rows, shown)
    print(f"{NAME}, seed {seed}: {dict(seen)}, 0 mismatches")
    assert seen["sent"] > 50


@pytest.mark.parametrize("seed", range(4))
def test_overload_loses_no_cell(player: Player, seed: int) -> None:
    """Several buffers' worth of good, bad, overlong, longest and shortest frames at line rate before a slow output."""
    rows = run_of_overload(seed)
    shown = rows.run(player)
    left = check_content(rows, shown)
    check_all_is_back(rows, shown)
    counters = shown.counters
    print(f"{NAME}, seed {seed}: {left} of {len(rows.frames)} frames left, {counters['overlimit_drop']} found no room")
    assert counters["overlimit_drop"] > 50
    assert counters["input_bytes"] > 8 * 131_072


@pytest.mark.parametrize("size", [60, 200, 1514])
def test_a_shaped_link_keeps_its_rate(player: Player, size: int) -> None:
    """Frames at half of the link's rate, then at twice that: at no time has more left than its bucket allows, though the link
    saved up before; and under load it has no gaps."""
    rng = random.Random(size)
    beats = -(-size // 8)
    cost_ns = size + 24  # a byte takes a ns, and the output could send twice as many
    sparse, dense = 2 * cost_ns // CLOCK_NS - beats, 0
    sent = [Sent(numbered(udp(rng, size), number), sparse if number < 300 else dense) for number in range(900)]
    clocks = sum(frame.gap + beats for frame in sent)
    settings = {
        "limit": 4000,
        "ns_per_byte": 1 << NS_PER_BYTE_FRACTION,
        "overhead": 24,
        "target": 1 << 30,
        "queue_alpha": 0,
    }
    rows = Rows(NAME, settings, sent, ready(rng, clocks, 1.0))
    taken = rows.run(player).frames()
    ahead = most = 0.0
    for number, frame in enumerate(taken[:-1]):
        passed_ns = (taken[number + 1].clock - frame.clock) * CLOCK_NS
        ahead = max(0.0, ahead + cost_ns - passed_ns)
        most = max(most, ahead)
    loaded = taken[400 : len(taken) - 40]
    rate = cost_ns * (len(loaded) - 1) / ((loaded[-1].clock - loaded[0].clock) * CLOCK_NS)
    print(f"{size} bytes: at most {most:.0f} ns ahead of the rate, {100 * rate:.1f} % of it under load")
    assert most <= BUCKET_NS
    assert rate == pytest.approx(1, abs=0.01)


def test_a_frame_in_every_clock(player: Player) -> None:
    """Frames of one beat, each of which takes a cell, and now and then one of two or of many: more than there is room for."""
    rng = random.Random(1)
    sizes = [
        rng.choice((1, 2, 7, 8, 8, 8, 65, rng.randint(1, MOST) if rng.random() < 0.01 else 8)) for _ in range(20_000)
    ]
    sent = [Sent(rng.randbytes(size), is_bad=rng.random() < 0.1) for size in sizes]
    rows = Rows(NAME, {"limit": 4000}, sent, ready(rng, sum(-(-size // 8) for size in sizes), 1.0))
    shown = rows.run(player)
    check_content(rows, shown)
    check_all_is_back(rows, shown)
    assert shown.counters["overlimit_drop"] > 10_000


def test_a_reset_in_the_middle(player: Player) -> None:
    """A clock of it empties everything: of what came before nothing is left, and all cells are there for what comes behind."""
    rng = random.Random(7)
    before, behind = (frames(rng, count, (0,), odd=0.1) for count in (605, 900))
    reset = sum(-(-len(frame.data) // 8) for frame in before[:600])
    behind[0] = Sent(behind[0].data, BEGIN, behind[0].is_bad)
    clocks = sum(frame.gap + -(-len(frame.data) // 8) for frame in before + behind)
    shown = Rows(NAME, {"limit": 4000}, before + behind, ready(rng, clocks, 0.3), reset).run(player).since(reset + 1)
    rows = Rows(NAME, {}, behind, shown.is_ready)
    assert check_content(rows, shown) > 200
    check_all_is_back(rows, shown)


@pytest.mark.parametrize("number", range(1, len(FAULTS) + 1), ids=lambda number: FAULTS[number - 1].name)
def test_a_fault_is_noticed(player: Player, number: int) -> None:
    """By one of the comparisons above."""

    def compare() -> None:
        rows = run_of_overload(3)
        shown = rows.run(player, number)
        check_content(rows, shown)
        check_all_is_back(rows, shown)
        rows = run_by_model(3)
        shown = rows.run(player, number)
        check_as_the_model(rows, shown)
        check_all_is_back(rows, shown)

    with pytest.raises(AssertionError):
        compare()


def test_a_lost_answer_is_mended(player: Player) -> None:
    """However often one is: all frames leave that were let in, and all cells are free behind them."""
    rng = random.Random(1)
    sent = frames(rng, 250, (0, 0, 100), odd=0.15)
    clocks = sum(frame.gap + -(-len(frame.data) // 8) for frame in sent)
    rows = Rows(NAME, {"limit": 100}, sent, ready(rng, clocks, 0.5))
    shown = rows.run(player, len(FAULTS) + 1)
    assert check_content(rows, shown) > 100
    check_all_is_back(rows, shown)
