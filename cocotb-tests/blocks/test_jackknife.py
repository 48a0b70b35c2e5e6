# SPDX-License-Identifier: Apache-2.0
"""The jackknife pipeline against its integer model, and the CARE paper's Table II out of the hardware."""

from __future__ import annotations

import numpy as np
import pytest
from lib.player import Player
from lib.simulation import RTL

from sluice_golden.jackknife import Coefficients, estimate

LATENCY, ORDERS_LATENCY, FREQUENCIES_AT = 27, 9, 2
EXAMPLE = (18, 76, (43, 16, 8, 6, 0))  # t, S, f_1..f_5
INPUTS = ["io_captures_valid", "io_captures_payload", "io_frequencies_distinct"]
INPUTS += [f"io_frequencies_f_{i}" for i in range(5)]
OUTPUTS = ["io_estimate_valid", "io_estimate_payload", *(f"io_orders_{i}" for i in range(6))]


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


@pytest.mark.parametrize(
    ("block", "coefficients"), [("jackknife", Coefficients.exact), ("jackknife_limit", Coefficients.limit)]
)
def test_jackknife(block: str, coefficients) -> None:
    given = windows(20_000)
    cycles = len(given) + LATENCY
    stimulus = {name: np.zeros(cycles, dtype=np.uint32) for name in INPUTS}
    at = slice(FREQUENCIES_AT, FREQUENCIES_AT + len(given))
    stimulus["io_captures_valid"][: len(given)] = 1
    stimulus["io_captures_payload"][: len(given)] = [t for t, _, _ in given]
    stimulus["io_frequencies_distinct"][at] = [s for _, s, _ in given]
    for i in range(5):
        stimulus[f"io_frequencies_f_{i}"][at] = [f[i] for _, _, f in given]
    seen = Player(RTL / "blocks" / f"sluice_block_{block}.sv", INPUTS, OUTPUTS).play(stimulus, cycles)

    orders = np.stack([seen[f"io_orders_{i}"] for i in range(6)], axis=1).astype(np.int64)
    orders = (orders ^ (1 << 21)) - (1 << 21)  # 22 bits with a sign
    for c, (t, s, f) in enumerate(given):
        model = estimate(f, s, t, coefficients(t))
        assert tuple(orders[c + ORDERS_LATENCY]) == model.orders, given[c]
        assert seen["io_estimate_valid"][c + LATENCY]
        assert seen["io_estimate_payload"][c + LATENCY] == model.value, given[c]
    if coefficients is Coefficients.exact:
        table = [round(n / 512, 1) for n in orders[ORDERS_LATENCY].tolist()]
        assert table == [76, 116.6, 141.4, 158.5, 170.3, 176.4]
        assert round(seen["io_estimate_payload"][LATENCY] / 256) == 142
