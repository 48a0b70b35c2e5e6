# SPDX-License-Identifier: Apache-2.0
"""What hostile senders cannot have, with what ships: bounds in the closed loop, each beside the form that does not hold it."""

from __future__ import annotations

from typing import Any

import pytest
from built import built

from sluice.experiments import udp
from sluice.experiments.papers import hostile
from sluice.experiments.papers.hostile import ect, ids
from sluice.loop import simulation
from sluice.loop.scenario import Scenario
from sluice.support import paths

SECONDS = 15


@pytest.fixture(scope="module", autouse=True)
def simulator() -> None:
    """What every run needs."""
    built(paths.ns3_module())


def run(network: Scenario, aqm: str, **settings: float) -> dict[str, Any]:
    """The beginning of a scenario; the tenth that is not measured is where flows start."""
    return simulation.simulate(simulation.prepare(network.lasting(SECONDS), aqm, settings, seed=1))


@pytest.mark.parametrize(("aqm", "least"), [("care", 8.5), ("purge", 8.5), ("green-2q", 5)])
def test_a_flood_of_ids_leaves_the_link_to_tcp(aqm: str, least: float) -> None:
    """500 packets of 64 bytes a second, 2.6 % of the link."""
    assert hostile.tcp_mbps(run(ids.flood(500), aqm)) > least


def test_without_its_gate_the_flood_closes_cares_link() -> None:
    assert hostile.tcp_mbps(run(ids.flood(500), "care", gate=0)) < 3


@pytest.mark.parametrize("aqm", ["care", "red", "codel"])
def test_who_sets_ect_and_does_not_listen_gains_nothing_by_it(aqm: str) -> None:
    """At twice the link: within a tenth of what it has without."""
    with_ect, without = (udp.throughput_mbps(run(ect.scenario(2, is_ect), aqm)) for is_ect in (True, False))
    assert with_ect < 1.1 * without


def test_with_marks_alone_it_has_cares_link() -> None:
    assert udp.throughput_mbps(run(ect.scenario(2, True), "care", mark_most=1)) > 9
