# SPDX-License-Identifier: Apache-2.0
"""The cells and schemes of the atlas, with the built hardware: set by one rule, and each runs."""

from __future__ import annotations

from typing import Any

import pytest
from built import built

from sluice.experiments.atlas import cells, measures, rule, schemes
from sluice.experiments.atlas.cells import World
from sluice.experiments.atlas.schemes import Scheme
from sluice.hardware import catalog
from sluice.hardware.registers import RegisterMap
from sluice.loop import scenario, simulation
from sluice.support import paths

SHORT_S = 0.4
"""Long enough to refuse what cannot be, and to carry packets."""


@pytest.fixture(scope="module", autouse=True)
def simulator() -> None:
    """What every run needs."""
    built(paths.ns3_module())


def run(scheme: Scheme, world: World, duration_s: float = SHORT_S) -> dict[str, Any]:
    """The beginning of a cell."""
    cell = scheme.cell(world)
    return simulation.simulate(simulation.prepare(cell.scenario.lasting(duration_s), cell.config, {}, seed=1))


@pytest.mark.parametrize("world", cells.WORLDS, ids=cells.names())
def test_a_cell_is_set_by_the_rule_and_nothing_else(world: World) -> None:
    assert world.scenario.settings == rule.settings(world.scenario)
    assert world.quick_s <= world.scenario.duration_s


def test_every_scenario_of_the_folder_is_a_cell() -> None:
    assert sorted(cells.names()) == [name.rpartition("/")[2] for name in scenario.names(scenario.ATLAS)]


def test_the_rule_knows_everybodys_target() -> None:
    set_ = rule.settings(cells.find("mild").scenario)
    for algorithm in catalog.load().algorithms:
        if "target" in {parameter["name"] for parameter in algorithm.parameters}:
            assert "target" in set_[algorithm.name]


def test_the_rule_is_what_defaults_say_where_these_say_a_time() -> None:
    """15 ms, and 5 ms of CoDel's kind, are no tuning."""
    set_ = rule.settings(cells.find("mild").scenario)
    for name in ("pie", "pi2", "dualpi2", "codel", "cobalt"):
        assert RegisterMap.load(paths.register_map(name)).defaults["target"] == set_[name]["target"]


@pytest.mark.parametrize("world", cells.WORLDS, ids=cells.names())
def test_a_cell_runs(world: World) -> None:
    result = run(schemes.find(["ns3-fifo"])[0], world)
    assert result["arrivals"] > 0
    assert measures.of(world.scenario.lasting(SHORT_S), result).keys() >= {world.headline}


@pytest.mark.parametrize("scheme", schemes.all_schemes(), ids=lambda scheme: scheme.name)
def test_a_scheme_runs_with_what_is_said_of_it(scheme: Scheme) -> None:
    result = run(scheme, cells.find("mild"))
    assert result["arrivals"] > 0
    assert scheme.own.items() <= result["parameters"].items()


def test_every_algorithm_is_a_scheme() -> None:
    configs = {scheme.config for scheme in schemes.all_schemes()}
    assert {algorithm.default_config for algorithm in catalog.load().algorithms} <= configs


def test_the_borders_are_borders() -> None:
    """Before a sender that does not listen, one keeps what it always has, the other the fair share."""
    droptail, fair = (
        run(scheme, cells.find("udp-mix"), 8) for scheme in schemes.find(["droptail", schemes.FAIR_QUEUE])
    )
    world = cells.find("udp-mix").scenario.lasting(8)
    assert (measures.of(world, fair)["deaf_shares"] or 0) == pytest.approx(1, rel=0.15)
    assert (measures.of(world, droptail)["deaf_shares"] or 0) > 4
