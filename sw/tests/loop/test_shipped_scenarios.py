# SPDX-License-Identifier: Apache-2.0
"""The shipped scenarios, with the built hardware: each runs with every AQM, and shows what it is for."""

from __future__ import annotations

from dataclasses import replace
from statistics import median
from typing import Any

import pytest
from built import built

from sluice.hardware import catalog
from sluice.hardware.registers import RegisterMap
from sluice.loop import aqm, runs, scenario, simulation
from sluice.loop.reports import scenario_page
from sluice.support import paths

PART = 100
"""Each scenario runs for this part of its time: long enough to refuse what cannot be, and to carry packets."""


@pytest.fixture(scope="module", autouse=True)
def simulator() -> None:
    """What every run needs."""
    built(paths.ns3_module())


def aqms() -> list[str]:
    """The configuration of each algorithm that stands for it, and ns-3's own."""
    return [*(algorithm.default_config for algorithm in catalog.load().algorithms), *aqm.NS3]


@pytest.mark.parametrize("name", scenario.names())
def test_a_scenario_runs_with_every_aqm(name: str) -> None:
    whole = scenario.load(name)
    short = whole.lasting(whole.duration_s / PART)
    for aqm_name in aqms():
        result = simulation.simulate(simulation.prepare(short, aqm_name, {}, seed=1))
        assert result["arrivals"] > 0, aqm_name
        assert result["parameters"]["limit"] == whole.limit, aqm_name


@pytest.mark.parametrize("config", catalog.load().config_names)
def test_a_scenario_gives_what_a_parameter_follows(config: str) -> None:
    registers = RegisterMap.load(paths.register_map(config))
    given = replace(scenario.load("main"), ecn=True).facts
    assert set(registers.following(given)) == set(registers.follows)


@pytest.mark.parametrize("name", scenario.names())
def test_a_scenario_is_explained(name: str) -> None:
    page = scenario_page.page()
    assert f"### `{name}`" in page
    assert f"sluice compare {name}" in page


def of_part(name: str, seconds: float, aqm_name: str) -> dict[str, Any]:
    """The result of the first seconds of a scenario."""
    [result] = runs.run_all([simulation.prepare(scenario.load(name).lasting(seconds), aqm_name, {}, 1)], name, False)
    return result


def test_bufferbloat_is_a_delay_that_red_takes_away() -> None:
    assert of_part("bufferbloat", 6, "droptail")["queue_delay_ms"]["p99"] > 300
    assert of_part("bufferbloat", 6, "red")["queue_delay_ms"]["p99"] < 60


def test_the_step_marks_and_keeps_the_queue_at_its_threshold() -> None:
    """Without an average and random numbers, RED in gates and ns-3's decide alike packet by packet."""
    ours, theirs = (of_part("datacenter-step", 0.1, name) for name in ("red", "ns3-red"))
    assert 10 < ours["queue_packets"]["mean"] < 22
    assert not ours["drops"]
    assert sum(ours["marks"].values()) > 0.05 * ours["arrivals"]
    assert sum(ours["marks"].values()) == sum(theirs["marks"].values())
    assert ours["queue_packets"] == theirs["queue_packets"]


def test_short_transfers_are_slower_behind_a_long_queue() -> None:
    """By the median: a lost last packet costs a second with either."""
    medians = {}
    for name in ("droptail", "red"):
        transfers = [flow["transfers"] for flow in of_part("short-flows", 8, name)["flows"] if "transfers" in flow]
        medians[name] = median(transfers[0]["seconds"])
    assert medians["red"] < 0.8 * medians["droptail"]
