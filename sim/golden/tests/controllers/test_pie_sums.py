# SPDX-License-Identifier: Apache-2.0
"""PIE's sum with ECN at a fixed probability: what clears it decides how many packets are marked. Prints the rows that
docs/compare/pie-ecn.md has (`-n0 -s`), and fails where that has others."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pie_sums
import pytest

from sluice_golden import Arrival
from sluice_golden.controllers.pi_family.pie import Pie

PAGE = Path(__file__).parents[4] / "docs/compare/pie-ecn.md"
PACKETS = 500_000
PROBABILITIES = (0.01, 0.05, 0.09)


def by(rule: Callable[[], pie_sums.Sum]) -> Callable[[float], list[int]]:
    def marks(p: float) -> list[int]:
        rng = random.Random(1)
        return rule().marks(p, (rng.random() for _ in range(PACKETS)))

    return marks


def here(p: float) -> list[int]:
    """The integer model's, which are the RTL's."""
    rng, model = random.Random(1), Pie()
    model.apply(model.parameters | {"ecn": 1})
    model.p = round(p * 2**40)
    packets = (Arrival(0, 1, 1000, 2, 5, 5000, (rng.getrandbits(32),)) for _ in range(PACKETS))
    return [number for number, packet in enumerate(packets) if model.arrive(packet).action == "mark"]


ROWS = (
    ("a mark or a drop", by(pie_sums.rfc)),
    ("a mark or a drop, the tile", here),
    ("a random hit or a drop, Linux", by(pie_sums.linux)),
    ("a drop alone, ns-3", by(pie_sums.ns3)),
)


@pytest.mark.parametrize(("rule", "marked"), ROWS, ids=["rfc", "tile", "linux", "ns-3"])
def test_how_many_are_marked(rule: str, marked: Callable[[float], list[int]]) -> None:
    """One in 0.85 / p + 1 / p, where a mark clears the sum."""
    shares = []
    for p in PROBABILITIES:
        marks = marked(p)
        shares.append(f"{100 * len(marks) / PACKETS:.2f} %")
        if "mark" in rule:
            assert len(marks) / PACKETS == pytest.approx(p / (1 + pie_sums.SOON), rel=0.08)
    row = f"| {rule} | {' | '.join(shares)} |"
    print(row)
    assert row in PAGE.read_text(encoding="utf-8"), f"{PAGE.name} lacks: {row}"


@pytest.mark.parametrize("p", PROBABILITIES)
def test_how_long_a_flood_is(p: float) -> None:
    """ns-3's has no end. Linux' is as long as its word takes to come round, from 8.5 to 256."""
    marks = by(pie_sums.ns3)(p)
    assert marks[-(PACKETS // 2) :] == list(range(PACKETS - PACKETS // 2, PACKETS))
    rng, linux = random.Random(1), pie_sums.linux()
    linux.value = pie_sums.OVERDUE
    flood = next(number for number in range(PACKETS) if not linux.takes(p, rng.random()))
    assert flood == pytest.approx((256 - pie_sums.OVERDUE) / p, abs=2)
