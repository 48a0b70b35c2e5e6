# SPDX-License-Identifier: Apache-2.0
"""One set of settings drives the RTL and ns-3's own disciplines alike."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sluice.loop import aqm, scenario
from sluice.support.errors import UserError


@pytest.fixture
def chosen(project: Path) -> scenario.Scenario:
    """The main scenario with RED settings that show."""
    red = {"min": 20.0, "max": 60.0, "probability": 0.05, "weight": 0.002}
    return replace(scenario.load("main"), limit=80, settings={"red": red})


def test_a_tile_gets_the_settings_of_its_algorithm(chosen: scenario.Scenario, project: Path) -> None:
    found = aqm.resolve("red", chosen, {"max": 70}, seed=5)
    assert found.model == project / "build/model/red/libsluice_tile.so"
    assert found.parameters == {
        "limit": 80,
        "avpkt": 1000,
        "idle_rate": pytest.approx(2e-5),
        "min": 20,
        "max": 70,
        "probability": 0.05,
        "weight_exponent": 9,
    }
    assert found.text.startswith(f"ns3::SluiceQueueDisc[Model={found.model}|Seed=5|Parameters=limit=80,")


def test_the_declaration_says_what_a_parameter_follows(
    chosen: scenario.Scenario, project: Path, red_registers: dict[str, Any]
) -> None:
    """Of a scheme that nobody here has heard of, and of every fact."""
    facts = {"limit": 80, "limit_bytes": 80_000, "packet_bytes": 1000, "rate_pps": 1250, "rate_bps": 10e6, "ecn": 1}
    own = [
        {
            "name": f"of_{fact}",
            "address": 0x54 + 4 * at,
            "width": 32,
            "fraction": 0,
            "unit": "",
            "default": 0,
            "doc": "",
        }
        | {"ns3": "", "follows": {"fact": fact, "factor": 2}}
        for at, fact in enumerate(facts)
    ]
    (project / "build/rtl/red/registers.json").write_text(json.dumps(red_registers | {"parameters": own}))
    marking = replace(chosen, ecn=True, settings={})
    assert aqm.resolve("red", marking, {}, 1).parameters == {f"of_{fact}": 2 * value for fact, value in facts.items()}
    assert aqm.resolve("red", marking, {"of_limit": 7}, 1).parameters["of_limit"] == 7
    assert "of_ecn" not in aqm.resolve("red", replace(marking, ecn=False), {}, 1).parameters


def test_ns3_gets_the_same_in_its_own_words(chosen: scenario.Scenario) -> None:
    found = aqm.resolve("ns3-red", chosen, {"UseEcn": "true"}, seed=5)
    assert found.model is None
    assert found.text == (
        "ns3::RedQueueDisc[LinkBandwidth=10Mbps|LinkDelay=2ms|MaxSize=80p|MeanPktSize=1000"
        "|MinTh=20|MaxTh=60|LInterm=20|QW=0.002|UseEcn=true]"
    )


def test_settings_for_all_go_to_those_that_have_them(chosen: scenario.Scenario) -> None:
    """An algorithm's own settings come before those for all."""
    shared = {"min": 7, "target": 5e6, "weight": 0.002}
    both = replace(chosen, settings={"all": shared, "ared": {"max": 30}, "red": {"min": 9}})
    assert aqm.resolve("ns3-codel", both, {}, 1).text == "ns3::CoDelQueueDisc[MaxSize=80p|Target=5000000ns]"
    assert aqm.resolve("ns3-fifo", both, {}, 1).text == "ns3::FifoQueueDisc[MaxSize=80p]"
    ared = aqm.resolve("ared", both, {}, 1).parameters
    assert (ared["min"], ared["max"], ared["weight_exponent"]) == (7, 30, 9)
    assert aqm.resolve("red", both, {}, 1).parameters["min"] == 9


def test_an_own_weight_in_other_words_comes_before_that_for_all(chosen: scenario.Scenario) -> None:
    both = replace(chosen, settings={"all": {"weight": 0.002}, "red": {"weight_exponent": 5}})
    assert aqm.resolve("red", both, {}, 1).parameters["weight_exponent"] == 5
    assert "QW=0.002" not in aqm.resolve("ns3-red", both, {}, 1).text
    assert aqm.resolve("ared", both, {}, 1).parameters["weight_exponent"] == 9


def test_ecn_is_switched_on_where_there_is_such_a_switch(chosen: scenario.Scenario) -> None:
    marking = replace(chosen, ecn=True)
    assert aqm.resolve("red", marking, {}, 1).parameters["ecn"] == 1
    assert "UseEcn=true" in aqm.resolve("ns3-pie", marking, {}, 1).text
    assert "UseEcn" not in aqm.resolve("ns3-fifo", marking, {}, 1).text
    assert aqm.resolve("red", marking, {"ecn": 0}, 1).parameters["ecn"] == 0


@pytest.mark.parametrize("name", sorted(aqm.NS3))
def test_every_discipline_of_ns3_takes_a_limit(chosen: scenario.Scenario, name: str) -> None:
    assert "MaxSize=33p" in aqm.resolve(name, chosen, {"limit": 33}, seed=1).text


def test_settings_out_of_arguments() -> None:
    assert aqm.parse_settings(("min=5", "probability=2e-2", "ecn=true", "QueueDelayReference=5ms")) == {
        "min": 5,
        "probability": 0.02,
        "ecn": 1,
        "QueueDelayReference": "5ms",
    }


@pytest.mark.parametrize("pair", ["min", "=5", "min=", "a=b|c=d", "a=[b]", "a=1,b=2"])
def test_what_is_no_setting(pair: str) -> None:
    with pytest.raises(UserError, match="key=value"):
        aqm.parse_settings((pair,))
