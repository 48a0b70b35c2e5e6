# SPDX-License-Identifier: Apache-2.0
"""RED's probability that rises from drop to drop: each packet's answer, and the gaps that come of it."""

from __future__ import annotations

import numpy as np
import pytest
from lib.broken import Fault
from lib.player import Player
from lib.simulation import RTL

SOURCE = RTL / "blocks" / "sluice_block_rising_probability.sv"
LATENCY, ROWS, MOST_COUNT = 8, 30_000, (1 << 16) - 1
ONE = 1 << 32
FAULTS = (
    Fault(
        "rising_probability",
        "rising-by-one-less-behind-a-restart",
        r"rising_HITS\[4 : 1\]",
        "rising_HITS[3 : 0]",
        within=ROWS,
    ),
    Fault(
        "rising_probability", "rising-no-more-in-the-end", r"(nodes_4_rising_NUMBER <= ).*;", r"\g<1>5;", within=ROWS
    ),
)


def stimulus(rng: np.random.Generator, probability: float, duty: float, told: float) -> dict[str, np.ndarray]:
    """Packets near a probability, some of which are not tested, take no part or restart the count of themselves."""
    near = rng.integers(-2, 3, ROWS) + round(probability * ONE) * np.where(rng.random(ROWS) < 0.9, 1, rng.random(ROWS))
    part = rng.random(ROWS) < 0.95
    return {
        "io_packet_valid": rng.random(ROWS) < duty,
        "io_packet_payload_probability": np.clip(near, 0, ONE).astype(np.uint64),
        "io_packet_payload_draw": rng.integers(0, ONE, ROWS, dtype=np.uint64),
        "io_packet_payload_takesPart": part,
        "io_packet_payload_isTested": part & (rng.random(ROWS) < 0.8),
        "io_packet_payload_restarts": rng.random(ROWS) < told,
        "io_packet_payload_beginsFewer": rng.random(ROWS) < 0.5,
    }


def expected(given: dict[str, np.ndarray]) -> np.ndarray:
    """Which packets are hit. The product of draw and p is Q0.36, of the draw's 18 high bits."""
    names = ("probability", "draw", "isTested", "takesPart", "restarts", "beginsFewer")
    columns = [given[f"io_packet_payload_{name}"].tolist() for name in names]
    hits, count = np.zeros(ROWS, dtype=bool), 1
    for row, (p, draw, is_tested, takes_part, restarts, begins_fewer) in enumerate(zip(*columns, strict=True)):
        if not given["io_packet_valid"][row]:
            continue
        hits[row] = is_tested and (p << 4) + count * ((draw >> 14) * p >> 14) > draw << 4
        if takes_part:
            count = (0 if begins_fewer else 1) if hits[row] or restarts else min(count + 1, MOST_COUNT)
    return hits


def is_right(player: Player, given: dict[str, np.ndarray]) -> bool:
    seen = player.play(given)
    is_due = np.roll(given["io_packet_valid"], LATENCY)[LATENCY:]
    assert (seen["io_isHit_valid"][LATENCY:] == is_due).all()
    return bool((seen["io_isHit_payload"][LATENCY:] == expected(given)[:-LATENCY])[is_due].all())


@pytest.mark.parametrize(
    ("probability", "duty", "told"), [(0.3, 1.0, 0.1), (0.02, 0.9, 0.0), (0.001, 1.0, 0.0001), (1.0, 0.7, 0.1)]
)
def test_every_packet(probability: float, duty: float, told: float) -> None:
    given = stimulus(np.random.default_rng(1), probability, duty, told)
    assert expected(given).sum() > 20
    assert is_right(Player(SOURCE), given)


def test_gaps_are_uniform() -> None:
    """On 1..1/p, of packets that are all tested (1993, section 7)."""
    given = stimulus(np.random.default_rng(2), 0.02, 1.0, 0.0)
    given |= {f"io_packet_payload_{name}": np.ones(ROWS) for name in ("isTested", "takesPart")}
    given |= {"io_packet_payload_probability": np.full(ROWS, round(0.02 * ONE))}
    given |= {"io_packet_payload_beginsFewer": np.ones(ROWS)}
    gaps = np.diff(np.flatnonzero(Player(SOURCE).play(given)["io_isHit_payload"]))
    assert gaps.max() in (50, 51)
    assert gaps.mean() == pytest.approx(25.5, rel=0.05)
    assert np.quantile(gaps, (0.25, 0.75)) == pytest.approx((13, 38), abs=2)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_is_noticed(fault: Fault) -> None:
    assert not is_right(fault.player(SOURCE), stimulus(np.random.default_rng(1), 0.02, 0.9, 0.05))
