# SPDX-License-Identifier: Apache-2.0
"""The rules of every core as hardware, at both sides of every border that the model has.

A core that stands alone shows on `legal` which of its rules the values on its parameters' ports obey. A border is two sets that
differ by one in one parameter, of which the model accepts one.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import numpy as np
import pytest
from lib.core.parameter_sets import anywhere, near
from lib.player import Player
from lib.simulation import catalog, core_source, registers

from sluice_golden import models

if TYPE_CHECKING:
    from sluice_golden import CoreModel

CONFIGS = [c["name"] for c in catalog()["configs"] if models()[c["name"]].defaults()]
SETS, SETS_EACH = 10_000, 500  # at least, and for each parameter
LEAST_BORDERS = 20


def drawn(rng: random.Random, model: type[CoreModel], widths: dict[str, int]) -> dict[str, int]:
    """Any set: each value the default's, like it, or any."""
    values = model.defaults()
    for name, width in widths.items():
        draw = rng.choice((None, near, anywhere))
        if draw:
            values[name] = draw(rng, width, values[name])
    return values


def border(model: type[CoreModel], legal: dict[str, int], name: str, other: int) -> list[dict[str, int]]:
    """The two neighbours between a legal set and an illegal value of one parameter, the legal one first."""
    inside, outside = legal[name], other
    while abs(outside - inside) > 1:
        middle = (inside + outside) // 2
        if model.is_legal(legal | {name: middle}):
            inside = middle
        else:
            outside = middle
    return [legal | {name: inside}, legal | {name: outside}]


@pytest.mark.parametrize("config", CONFIGS)
def test_rules(config: str) -> None:
    """The hardware accepts exactly the sets that the model accepts, and every rule has stood at a border."""
    rng, model, declared = random.Random(1), models()[config], registers(config)
    widths = {p["name"]: p["width"] for p in declared["parameters"] if p["name"] in model.defaults()}
    sets, borders = [model.defaults()], []
    while len(sets) < max(SETS, SETS_EACH * len(widths)):
        values = drawn(rng, model, widths)
        sets.append(values)
        name = rng.choice(list(widths))
        other = rng.choice((0, (1 << widths[name]) - 1, anywhere(rng, widths[name], 0)))
        if model.is_legal(values) and not model.is_legal(values | {name: other}):
            borders.append(len(sets))
            sets += border(model, values, name, other)

    player = Player(core_source(config))
    columns = {f"parameters_{name}": np.array([s[name] for s in sets], dtype=np.uint64) for name in widths}
    rules = next((port.width for port in player.outputs if port.name == "legal"), 0)
    if not rules:
        assert all(map(model.is_legal, sets)), (
            f"{config}'s model refuses sets of parameters, and its hardware has no rule"
        )
        return
    legal = player.play(columns)["legal"]
    for values, accepted in zip(sets, legal == (1 << rules) - 1, strict=True):
        assert accepted == model.is_legal(values), values
    broken = [int(legal[at + 1]) ^ ((1 << rules) - 1) for at in borders]
    names = [rule["name"] for rule in declared["rules"]][-rules:]
    for bit, name in enumerate(names):
        assert sum(bits >> bit & 1 for bits in broken) >= LEAST_BORDERS, f"{name} was hardly broken"
