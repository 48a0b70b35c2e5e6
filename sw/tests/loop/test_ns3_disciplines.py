# SPDX-License-Identifier: Apache-2.0
"""ns-3's own fair queueing, a yardstick of the tables, has the quantum of a real link and shares fairly."""

from __future__ import annotations

import pytest

from sluice import experiments
from sluice.experiments import udp
from sluice.loop import aqm, scenario, simulation
from sluice.support.errors import UserError


def test_a_fair_queue_has_the_quantum_of_ethernet_unless_it_is_told_another() -> None:
    main = scenario.load("main")
    found = aqm.resolve("ns3-fq-codel", main, {}, 1)
    assert found.text == "ns3::FqCoDelQueueDisc[quantum=1514|MaxSize=100p]"
    assert found.parameters == {"quantum": 1514, "limit": 100}
    assert "quantum=300|" in aqm.resolve("ns3-fq-codel", main, {"quantum": 300}, 1).text
    assert "quantum=1048576|" in aqm.resolve("ns3-fq-codel", main, {"quantum": 2.0**20}, 1).text


def test_a_salted_fair_queue_hashes_flows_with_the_runs_seed() -> None:
    main = scenario.load("main")
    assert "Perturbation=7]" in aqm.resolve("ns3-fq-codel", main, {"salted": 1}, 7).text
    assert "Perturbation=0]" in aqm.resolve("ns3-fq-codel", main, {"salted": 0}, 7).text


@pytest.mark.parametrize("quantum", [0, 1.5, -1, 1 << 21])
def test_what_is_no_quantum_is_a_mistake_of_the_users(quantum: float) -> None:
    job = simulation.prepare(scenario.load("main").lasting(1), "ns3-fq-codel", {"quantum": quantum}, seed=1)
    with pytest.raises(UserError, match=f"quantum={quantum} is not a whole number of bytes from 1 to 1048576"):
        simulation.simulate(job)


def test_udp_keeps_its_fair_share_among_35_tcp_flows() -> None:
    """CARE's Table VI at its highest load, in less time. With the simulated device's MTU as quantum it is five times as much."""
    [cell] = [
        cell for cell in experiments.load("care-table6").cells() if (cell.aqm, cell.point) == ("ns3-fq-codel", "30 %")
    ]
    result = simulation.simulate(simulation.prepare(cell.scenario.lasting(6), cell.config, {}, seed=1))
    assert len(result["flows"]) == 36
    assert udp.throughput_mbps(result) == pytest.approx(10 / 36, rel=0.1)
