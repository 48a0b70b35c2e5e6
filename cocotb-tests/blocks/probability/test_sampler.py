# SPDX-License-Identifier: Apache-2.0
"""The sampler takes with the probability that its register says, 0 and 1 included."""

from __future__ import annotations

import numpy as np
import pytest
from lib.player import Player
from lib.simulation import RTL

from sluice_golden.blocks.sampler import is_taken


@pytest.mark.parametrize("probability", [0.0, 2**-31, 0.04, 0.5, 1 - 2**-31, 1.0])
def test_sampler(probability: float) -> None:
    raw = round(probability * 2**31)
    draws = np.random.default_rng(1).integers(0, 2**32, 50_000, dtype=np.uint32)
    edges = [0, 1, 2, 2 * raw - 1, 2 * raw, 2**32 - 1, 2**31]
    draws[: len(edges)] = [edge % 2**32 for edge in edges]
    inputs = {
        "io_draw_valid": np.ones(len(draws)),
        "io_draw_payload": draws,
        "io_probability": np.full(len(draws), raw),
    }
    seen = Player(RTL / "blocks" / "sluice_block_sampler.sv").play(inputs)
    taken = seen["io_taken_payload"][1:]
    assert taken.tolist() == [is_taken(draw, raw) for draw in draws[:-1].tolist()]
    assert taken.mean() == pytest.approx(probability, abs=0.005)
