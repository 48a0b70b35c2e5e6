# SPDX-License-Identifier: Apache-2.0
"""A datapath around a tile of a thousand queues: frames leave in any order, and give their memory back wherever they end.

Each verdict, departure and drop at a head is that of the tile's golden model, fed with the arrivals and asks that the datapath
makes, and what leaves is byte for byte what came, in the model's order. Copies with one fault each do not pass.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from datapath.frames.sized import MOST, udp
from datapath.many_queues.checks import check_all_is_back, check_as_the_model, check_content
from datapath.many_queues.faults import FAULTS, player_of
from datapath.many_queues.rows import BEGIN, CLOCK_NS, Rows, Sent
from datapath.many_queues.traffic import (
    NAME,
    NS_PER_BYTE_FRACTION,
    frames,
    numbered,
    ready,
    run_by_model,
    run_of_overload,
)

if TYPE_CHECKING:
    from lib.player import Player

BUCKET_NS = 64 + 256 * CLOCK_NS
"""What a link may be ahead of its rate: `burst` after a reset, and the clocks that answers take."""


@pytest.fixture(scope="module")
def player() -> Player:
    return player_of(NAME)


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
