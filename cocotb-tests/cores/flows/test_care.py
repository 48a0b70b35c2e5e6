# SPDX-License-Identifier: Apache-2.0
"""CARE against its integer model: every verdict and every estimate of more than a million arrivals.

Each configuration plays its scenarios one after the other: lengths of list and window, capture probabilities, numbers of
flows, skews, orders made to hit the list where it is weak, changes of the lengths and resets while packets are under way.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest
from lib.core.bench import CoreBench
from lib.core.cycle import Cycle

from sluice_golden import Arrival


@dataclass(frozen=True, slots=True)
class Scenario:
    """``order``: zipf (with ``skew``), one (flow), different (flows only), runs, rounds (flow after flow).

    ``changes``: parameters by the cycle of their set. ``resets``: cycles.
    """

    t: int
    t_n: int
    p_cap: float
    flows: int
    skew: float = 0.0
    order: str = "zipf"
    duty: float = 1.0
    arrivals: int = 44_000
    settings: dict[str, int] = field(default_factory=dict)
    changes: dict[int, dict[str, int]] = field(default_factory=dict)
    resets: tuple[int, ...] = ()


SHORTEN_AND_LENGTHEN = {
    9_000: {"list_length": 20, "window": 10},
    15_000: {"list_length": 50, "window": 50},
    15_060: {"list_length": 9, "window": 3},
}

SCENARIOS = {
    "care": [
        Scenario(200, 50, 0.04, 26, 1.0, arrivals=100_000),
        Scenario(200, 50, 0.04, 71, duty=0.5, settings={"ecn": 1}),
        Scenario(200, 64, 1.0, 300, 0.5),
        Scenario(200, 50, 1.0, 1, order="one"),
        Scenario(200, 50, 0.5, 1, order="different"),
        Scenario(199, 18, 0.3, 40, 1.5, settings={"gate": 1}),
        Scenario(64, 64, 1.0, 64, order="rounds"),
        Scenario(65, 64, 1.0, 66, order="rounds", settings={"gate": 2, "gate_threshold": 5}),
        Scenario(200, 50, 0.9, 30, 1.0, order="runs", changes=SHORTEN_AND_LENGTHEN),
        Scenario(100, 50, 0.2, 30, 1.0, duty=0.3, resets=(40, 41, 3_000, 20_000)),
        Scenario(8, 8, 1.0, 5, 0.7),
        Scenario(8, 1, 0.5, 3),
    ],
    "care-50": [
        Scenario(50, 50, 0.04, 26, 0.8),
        Scenario(50, 50, 1.0, 51, order="rounds"),
        Scenario(10, 5, 0.7, 8, 1.0, duty=0.2),
        Scenario(50, 50, 1.0, 40, 1.0, changes=SHORTEN_AND_LENGTHEN, resets=(12_345,)),
    ],
    "care-800": [Scenario(800, 50, 0.2, 100, 1.2), Scenario(513, 50, 1.0, 600, order="rounds")],
    "care-table-50": [Scenario(50, 50, 0.5, 200, 1.0), Scenario(8, 8, 1.0, 5, order="runs", duty=0.8)],
    "care-table-200": [
        Scenario(200, 50, 0.04, 26, 1.0),
        Scenario(200, 64, 1.0, 5_000, 0.8),
        Scenario(200, 50, 1.0, 1, order="one"),
        Scenario(200, 50, 0.5, 1, order="different"),
        Scenario(8, 8, 1.0, 2, changes=SHORTEN_AND_LENGTHEN),
        Scenario(150, 50, 1.0, 9, 0.5, duty=0.6, resets=(40, 300, 301, 2_000, 20_000), changes=SHORTEN_AND_LENGTHEN),
    ],
    "care-table-800": [
        Scenario(800, 50, 1.0, 900, 0.7),
        Scenario(800, 64, 0.3, 20, 1.0, resets=(5_000, 5_050)),
    ],
}


def flow_ids(scenario: Scenario, rng: np.random.Generator) -> np.ndarray:
    """One flow id per cycle."""
    count = scenario.arrivals
    ids = rng.integers(0, 2**32, scenario.flows, dtype=np.uint32)
    weights = (1.0 + np.arange(scenario.flows)) ** -scenario.skew
    drawn = rng.choice(scenario.flows, count, p=weights / weights.sum())
    match scenario.order:
        case "different":
            return np.arange(count, dtype=np.uint32) * np.uint32(2654435761)
        case "runs":
            return ids[np.repeat(drawn, 1 + drawn % 23)[:count]]
        case "rounds":
            return ids[np.arange(count) % scenario.flows]
        case _:
            return ids[drawn]


def play(bench: CoreBench, scenario: Scenario, rng: np.random.Generator) -> None:
    """From a reset on."""
    count = scenario.arrivals
    is_valid, is_ect = rng.random(count) < scenario.duty, rng.random(count) < 0.5
    flows, queues = flow_ids(scenario, rng).tolist(), rng.integers(0, 10, count).tolist()
    words = rng.integers(0, 2**32, (count, 2)).tolist()
    parameters = bench.model.defaults() | {"list_length": scenario.t, "window": scenario.t_n} | scenario.settings
    parameters |= {"capture_probability": round(scenario.p_cap * 2**31)}
    bench.step(Cycle(reset=True))
    for c in range(count):
        if c in scenario.resets:
            bench.step(Cycle(reset=True))
            continue
        cycle = Cycle()
        if is_valid[c]:
            cycle.arrival = Arrival(0, flows[c], 1000, int(is_ect[c]), queues[c], 0, tuple(words[c]))
        if c == 0 or c in scenario.changes or (c - 1 in scenario.resets and c not in scenario.resets):
            parameters |= scenario.changes.get(c, {})
            cycle.parameters = parameters
        bench.step(cycle)


@pytest.mark.parametrize("config", SCENARIOS)
def test_rtl_is_the_model(config: str) -> None:
    for number, scenario in enumerate(SCENARIOS[config]):
        bench = CoreBench(config)
        play(bench, scenario, np.random.default_rng(number))
        bench.check()


def test_there_are_a_million_arrivals_in_twenty_settings() -> None:
    scenarios = [s for of_config in SCENARIOS.values() for s in of_config]
    assert len(scenarios) >= 20
    assert sum(s.arrivals * s.duty for s in scenarios) >= 1_000_000
