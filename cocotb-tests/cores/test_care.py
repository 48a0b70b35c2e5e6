# SPDX-License-Identifier: Apache-2.0
"""CARE against its integer model: every verdict and every estimate of more than a million arrivals.

Each configuration plays its scenarios one after the other: lengths of list and window, capture probabilities, numbers of
flows, skews, orders made to hit the list where it is weak, changes of the lengths and resets while packets are under way.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import pytest
from lib.player import Player
from lib.simulation import RTL, module_name

from sluice_golden import Arrival, models

if TYPE_CHECKING:
    from sluice_golden import CoreModel

LATENCY = 39
STATUS_LEAD = 3  # the status shows an estimate this many cycles before the verdict leaves
ACTIONS = {"pass": 0, "mark": 1, "drop": 2}
REASONS = {"": 0, "Unforced drop": 1, "Unforced mark": 2}
STATUS = ["flows", "recaptures", "fill"]


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
    15_040: {"list_length": 9, "window": 3},
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


def stimulus(scenario: Scenario, defaults: dict[str, int], rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Inputs per cycle; the arrivals end long enough before the end for the last verdict."""
    count = scenario.arrivals
    given = {
        "arrival_valid": rng.random(count) < scenario.duty,
        "arrival_packet_flow": flow_ids(scenario, rng),
        "arrival_packet_ect": rng.random(count) < 0.5,
        "arrival_queue_packets": rng.integers(0, 10, count),
        "arrival_random_0": rng.integers(0, 2**32, count, dtype=np.uint32),
        "arrival_random_1": rng.integers(0, 2**32, count, dtype=np.uint32),
        "rst": np.isin(np.arange(count), scenario.resets),
        "apply": np.zeros(count, dtype=np.uint32),
    }
    given["arrival_valid"] &= ~given["rst"]

    first = {"list_length": scenario.t, "window": scenario.t_n}
    first |= {"capture_probability": round(scenario.p_cap * 2**31)} | scenario.settings
    again: dict[int, dict[str, int]] = {c + 1: {} for c in scenario.resets if c + 1 not in scenario.resets}
    given |= {f"parameters_{name}": np.zeros(count, dtype=np.uint32) for name in defaults}
    staged = dict(defaults)
    for cycle, change in sorted(({0: first} | scenario.changes | again).items()):
        staged |= change
        given["apply"][cycle] = 1
        for name, value in staged.items():
            given[f"parameters_{name}"][cycle:] = value
    rest = 2 * LATENCY
    return {name: np.concatenate([column, np.zeros(rest, column.dtype)]) for name, column in given.items()}


def expected(model: type[CoreModel], given: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """What the model says, in the cycle of the arrival."""
    said = {name: np.zeros(len(given["rst"]), dtype=np.uint32) for name in ["valid", "action", "reason", *STATUS]}
    columns = {name: column.astype(np.int64).tolist() for name, column in given.items()}
    names = list(model.defaults())
    golden = model()
    for c, (is_reset, is_arrival) in enumerate(zip(columns["rst"], columns["arrival_valid"], strict=True)):
        if is_reset:
            golden = model()
            said["valid"][max(0, c - LATENCY + 1) : c] = 0  # these were still under way
        if is_arrival:
            arrival = Arrival(
                now_ns=0,
                flow=columns["arrival_packet_flow"][c],
                size=1000,
                ect=bool(columns["arrival_packet_ect"][c]),
                queue_packets=columns["arrival_queue_packets"][c],
                queue_bytes=0,
                random=(columns["arrival_random_0"][c], columns["arrival_random_1"][c]),
            )
            verdict = golden.arrive(arrival)
            said["valid"][c] = 1
            said["action"][c] = ACTIONS[verdict.action]
            said["reason"][c] = REASONS[verdict.reason]
            for name, value in golden.status().items():
                said[name][c] = value
        if c and columns["apply"][c - 1] and not is_reset:  # the set enters a cycle later
            parameters = {name: columns[f"parameters_{name}"][c] for name in names}
            assert golden.is_legal(parameters)
            golden.apply(parameters)
    return said


@pytest.mark.parametrize("config", SCENARIOS)
def test_rtl_is_the_model(config: str) -> None:
    model = models()[config]
    inputs = ["arrival_valid", "arrival_packet_flow", "arrival_packet_ect", "arrival_queue_packets"]
    inputs += ["arrival_random_0", "arrival_random_1", "apply"]
    inputs += [f"parameters_{name}" for name in model.defaults()]
    outputs = ["verdict_valid", "verdict_action", "verdict_reason", *(f"status_{name}" for name in STATUS)]
    player = Player(RTL / config / f"{module_name('core', config)}.sv", inputs, outputs)
    for number, scenario in enumerate(SCENARIOS[config]):
        given = stimulus(scenario, model.defaults(), np.random.default_rng(number))
        seen = player.play(given, len(given["rst"]))
        said = expected(model, given)

        is_due = np.roll(said["valid"], LATENCY) == 1
        assert np.array_equal(seen["verdict_valid"] == 1, is_due), f"{scenario}: verdicts in other cycles"
        for name, lead in [("action", 0), ("reason", 0), *((name, STATUS_LEAD) for name in STATUS)]:
            port = f"status_{name}" if lead else f"verdict_{name}"
            differs = np.roll(seen[port], lead) != np.roll(said[name], LATENCY)
            wrong = np.flatnonzero(is_due & differs) - LATENCY
            assert not wrong.size, f"{scenario}: another {name} for {wrong.size} arrivals, first in {wrong[:1]}"


def test_there_are_a_million_arrivals_in_twenty_settings() -> None:
    scenarios = [s for of_config in SCENARIOS.values() for s in of_config]
    assert len(scenarios) >= 20
    assert sum(s.arrivals * s.duty for s in scenarios) >= 1_000_000
