# SPDX-License-Identifier: Apache-2.0
"""A datapath around a tile of a thousand queues: frames leave in any order, and give their memory back wherever they end.

Each verdict, departure and drop at a head is that of the tile's golden model, fed with the arrivals and asks that the datapath
makes, and what leaves is byte for byte what came, in the model's order. Copies with one fault each do not pass. One datapath has
all runs, and the others, which are that one with another width or another tile, a few.
"""

from __future__ import annotations

import random

import pytest
from datapath.frames.sized import MOST, udp
from datapath.many_queues.checks import check_all_is_back, check_as_the_model, check_content
from datapath.many_queues.faults import FAULTS, faults_of, player_of
from datapath.many_queues.rows import BEGIN, CLOCK_NS, Rows, Sent, beats_of, lanes_of
from datapath.many_queues.traffic import (
    BY_DSCP,
    NAME,
    NAMES,
    NS_PER_BYTE_FRACTION,
    clocks_of,
    frames,
    numbered,
    ready,
    run_by_model,
    run_of_overload,
)

BUCKET_NS = 64 + 256 * CLOCK_NS
"""What a link may be ahead of its rate: `burst` after a reset, and the clocks that answers take."""


OTHERS = NAMES[1:]


def cases(seeds: int, others: int) -> list[tuple[str, int]]:
    """The first datapath with so many seeds, and each other one with fewer."""
    return [(NAME, seed) for seed in range(seeds)] + [(name, seed) for name in OTHERS for seed in range(others)]


@pytest.mark.parametrize(("name", "seed"), cases(6, 3))
def test_as_the_golden_model(name: str, seed: int) -> None:
    """Every verdict, departure and drop, and every frame byte for byte in the model's order."""
    rows = run_by_model(name, seed)
    shown = rows.run(player_of(name))
    seen = check_as_the_model(rows, shown)
    check_all_is_back(rows, shown)
    print(f"{name}, seed {seed}: {dict(seen)}, 0 mismatches")
    assert seen["sent"] > 50
    assert seed or name != BY_DSCP or min(seen["WRED drop"], seen["WRED mark"]) > 10


@pytest.mark.parametrize(("name", "seed"), cases(4, 1))
def test_overload_loses_no_cell(name: str, seed: int) -> None:
    """Several buffers' worth of good, bad, overlong, longest and shortest frames at line rate before a slow output."""
    rows = run_of_overload(name, seed)
    shown = rows.run(player_of(name))
    left = check_content(rows, shown)
    check_all_is_back(rows, shown)
    counters = shown.counters
    print(f"{name}, seed {seed}: {left} of {len(rows.frames)} frames left, {counters['overlimit_drop']} found no room")
    assert counters["overlimit_drop"] > 50
    assert counters["input_bytes"] > 1 << 20


@pytest.mark.parametrize(("name", "size"), [*((NAME, size) for size in (60, 200, 1514)), *((n, 200) for n in OTHERS)])
def test_a_shaped_link_keeps_its_rate(name: str, size: int) -> None:
    """Frames at half of the link's rate, then at twice that: at no time has more left than its bucket allows, though the link
    saved up before; and under load it has no gaps."""
    rng = random.Random(size)
    beats = beats_of(size, lanes_of(name))
    cost_ns = size + 24  # a byte takes a ns, and the output could send twice as many
    sparse, dense = 2 * cost_ns // CLOCK_NS - beats, cost_ns // CLOCK_NS // 2 - beats
    sent = [Sent(numbered(udp(rng, size), number), sparse if number < 300 else max(0, dense)) for number in range(900)]
    settings = {"limit": 4000, "ns_per_byte": 1 << NS_PER_BYTE_FRACTION, "overhead": 24, "queue_alpha": 0}
    settings |= {} if name == BY_DSCP else {"target": 1 << 30}
    rows = Rows(name, settings, sent, ready(rng, clocks_of(sent, name), 1.0))
    taken = rows.run(player_of(name)).frames()
    ahead = most = 0.0
    for number, frame in enumerate(taken[:-1]):
        passed_ns = (taken[number + 1].clock - frame.clock) * CLOCK_NS
        ahead = max(0.0, ahead + cost_ns - passed_ns)
        most = max(most, ahead)
    loaded = taken[400 : len(taken) - 40]
    rate = cost_ns * (len(loaded) - 1) / ((loaded[-1].clock - loaded[0].clock) * CLOCK_NS)
    print(f"{name}, {size} bytes: at most {most:.0f} ns ahead of the rate, {100 * rate:.1f} % of it under load")
    assert most <= BUCKET_NS
    assert rate == pytest.approx(1, abs=0.01)


@pytest.mark.parametrize("name", NAMES)
def test_a_frame_in_every_clock(name: str) -> None:
    """Frames of one beat, each of which takes a cell, and now and then one of two or of many: more than there is room for, and
    nearly all of one queue."""
    rng, lanes = random.Random(1), lanes_of(name)
    few = (1, 2, lanes - 1, lanes, lanes, lanes, 8 * lanes + 1)
    sizes = [rng.choice((*few, rng.randint(1, MOST) if rng.random() < 0.01 else lanes)) for _ in range(20_000)]
    made = (rng.randbytes(size) for size in sizes)
    sent = [Sent(bytes(14) + data[14:] if len(data) > 14 else data, is_bad=rng.random() < 0.1) for data in made]
    rows = Rows(name, {"limit": 4000}, sent, ready(rng, clocks_of(sent, name), 1.0))
    shown = rows.run(player_of(name))
    check_content(rows, shown)
    check_all_is_back(rows, shown)
    assert shown.counters["overlimit_drop"] > 10_000


@pytest.mark.parametrize("name", NAMES)
def test_a_reset_in_the_middle(name: str) -> None:
    """A clock of it empties everything: of what came before nothing is left, and all cells are there for what comes behind."""
    rng = random.Random(7)
    before, behind = (frames(rng, count, (0,), odd=0.1) for count in (605, 900))
    reset = clocks_of(before[:600], name)
    behind[0] = Sent(behind[0].data, BEGIN, behind[0].is_bad)
    share = ready(rng, clocks_of(before + behind, name), 0.3)
    shown = Rows(name, {"limit": 4000}, before + behind, share, reset).run(player_of(name)).since(reset + 1)
    rows = Rows(name, {}, behind, shown.is_ready)
    assert check_content(rows, shown) > 200
    check_all_is_back(rows, shown)


FAULTY = [
    (name, fault.name) for name in (NAME, BY_DSCP) for fault in faults_of(name) if name == NAME or fault not in FAULTS
]


@pytest.mark.parametrize(("name", "fault"), FAULTY)
def test_a_fault_is_noticed(name: str, fault: str) -> None:
    """By one of the comparisons above."""
    number = 1 + [its.name for its in faults_of(name)].index(fault)

    def compare() -> None:
        rows = run_of_overload(name, 3)
        shown = rows.run(player_of(name), number)
        check_content(rows, shown)
        check_all_is_back(rows, shown)
        rows = run_by_model(name, 3)
        shown = rows.run(player_of(name), number)
        check_as_the_model(rows, shown)
        check_all_is_back(rows, shown)

    with pytest.raises(AssertionError):
        compare()


def test_a_lost_answer_is_mended() -> None:
    """However often one is: all frames leave that were let in, and all cells are free behind them."""
    rng = random.Random(1)
    sent = frames(rng, 250, (0, 0, 100), odd=0.15)
    rows = Rows(NAME, {"limit": 100}, sent, ready(rng, clocks_of(sent, NAME), 0.5))
    shown = rows.run(player_of(NAME), len(faults_of(NAME)) + 1)
    assert check_content(rows, shown) > 100
    check_all_is_back(rows, shown)
