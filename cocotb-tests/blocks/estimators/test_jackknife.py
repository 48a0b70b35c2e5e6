# SPDX-License-Identifier: Apache-2.0
"""The jackknife pipeline against its integer model, with what stands within it; and the CARE paper's Table II out of the
hardware."""

from __future__ import annotations

import random

import numpy as np
import pytest
from lib.player import Player
from lib.simulation import RTL

from sluice_golden.blocks.estimators.jackknife import TABLES, Coefficients, estimate

LATENCY, ORDERS_LATENCY, FREQUENCIES_AT = 27, 9, 2
EXAMPLE = (18, 76, (43, 16, 8, 6, 0))  # t, S, f_1..f_5
INPUTS = ["io_captures_valid", "io_captures_payload", "io_frequencies_distinct"]
INPUTS += [f"io_frequencies_f_{i}" for i in range(5)]


def windows(count: int) -> list[tuple[int, int, tuple[int, ...]]]:
    """Windows of every length, of few and many flows, of one kind and of two kinds of flows; one per clock."""
    rng = np.random.default_rng(2)
    made = [EXAMPLE, (0, 0, (0,) * 5)]
    for t in range(1, 128):
        made.append((t, t, (t, 0, 0, 0, 0)))
        made += [(t, t // i, tuple(t // i if j == i else 0 for j in range(1, 6))) for i in range(2, 6) if t % i == 0]
        made.append((t, 1, (int(t == 1), int(t == 2), int(t == 3), int(t == 4), int(t == 5))))
    while len(made) < count:
        t, flows = int(rng.integers(1, 128)), int(rng.integers(1, rng.choice([4, 11, 31, 101, 301])))
        shares = (1.0 + np.arange(flows)) ** -rng.choice([0, 0.5, 1, 1.5])
        counts = rng.multinomial(t, shares / shares.sum())
        made.append((t, int((counts > 0).sum()), tuple(int((counts == i).sum()) for i in range(1, 6))))
    return made


def numbers(coefficients: Coefficients, rng: random.Random) -> tuple[int, tuple[int, ...]]:
    """S and f_1..f_5 that no window need have, but that fit the formats at coefficients. Often with one of D_2..D_4 about 0, as
    the table of the significance has most of its entries there."""

    def difference(m: int) -> int:
        return sum((-b if i % 2 else b) * x for i, (b, x) in enumerate(zip(coefficients.steps[m - 1], f, strict=False)))

    while True:
        f = [rng.randrange(rng.choice((2, 4, 10, 40, 128))) for _ in range(5)]
        m, i = rng.choice((1, 2, 3, 4)), rng.randrange(5)
        if m > 1 and i <= m and coefficients.steps[m - 1][i]:
            factor = coefficients.steps[m - 1][i] * (-1 if i % 2 else 1)
            rest = difference(m) - factor * f[i]
            f[i] = max(0, min(127, round(-rest / factor) + rng.choice((0, 0, 0, 1, -1))))
        variances = (sum(b * x for b, x in zip(row, f, strict=False)) for row in coefficients.squares)
        if all(abs(difference(m)) < 255 << 14 for m in range(1, 5)) and max(variances) < 1 << 25:
            return rng.choice((rng.randrange(128), rng.randrange(8), rng.randrange(98, 128))), tuple(f)


@pytest.mark.parametrize(
    ("block", "coefficients", "made_up"),
    [("jackknife", Coefficients.exact, 125_000), ("jackknife_limit", Coefficients.limit, 20_000)],
)
def test_jackknife(block: str, coefficients, made_up: int) -> None:
    """Bit-exact over windows and made-up numbers, which read every entry of the tables that the two blocks share."""
    for table in TABLES:
        table.forget()
    rng = random.Random(4)
    given = windows(20_000)
    for _ in range(made_up):
        t = rng.randrange(128)
        given.append((t, *numbers(coefficients(t), rng)))
    models = [estimate(f, s, t, coefficients(t)) for t, s, f in given]

    cycles = len(given) + LATENCY
    stimulus = {name: np.zeros(cycles, dtype=np.uint32) for name in INPUTS}
    at = slice(FREQUENCIES_AT, FREQUENCIES_AT + len(given))
    stimulus["io_captures_valid"][: len(given)] = 1
    stimulus["io_captures_payload"][: len(given)] = [t for t, _, _ in given]
    stimulus["io_frequencies_distinct"][at] = [s for _, s, _ in given]
    for i in range(5):
        stimulus[f"io_frequencies_f_{i}"][at] = [f[i] for _, _, f in given]
    player = Player(RTL / "blocks" / f"sluice_block_{block}.sv")
    seen, widths = player.play(stimulus), {port.name: port.width for port in player.outputs}

    def compare(port: str, latency: int, bits: int, expected: list[int | None]) -> None:
        is_there = np.array([value is not None for value in expected])
        values = np.array([(value or 0) & ((1 << bits) - 1) for value in expected])
        wrong = np.flatnonzero(is_there & (seen[port][latency : latency + len(given)] != values))
        assert not wrong.size, f"{port} of {given[wrong[0]]}, {models[wrong[0]]}; {wrong.size} differ"

    compare("io_estimate_valid", LATENCY, 1, [1 for _ in models])
    compare("io_estimate_payload", LATENCY, 18, [model.value for model in models])
    for i in range(6):
        compare(f"io_orders_{i}", ORDERS_LATENCY, 22, [model.orders[i] for model in models])
    views = [f"{name}_{m}" for name in ("difference", "variance", "square", "allowed", "rest") for m in range(1, 5)]
    for name in (*views, "offset", "below", "above", "ratio", "step"):
        compare(f"view_{name}", LATENCY, widths[f"view_{name}"], [model.view.get(name) for model in models])

    if coefficients is Coefficients.exact:
        for table in TABLES:
            unread = [i for i, reads in enumerate(table.reads) if not reads]
            assert unread == ([0] if table.name == "log2(S - 1)" else []), table.name  # S = 0 has no flow to test
        orders = [int(seen[f"io_orders_{i}"][ORDERS_LATENCY]) for i in range(6)]
        assert [round(n / 512, 1) for n in orders] == [76, 116.6, 141.4, 158.5, 170.3, 176.4]
        assert round(int(seen["io_estimate_payload"][LATENCY]) / 256) == 142
