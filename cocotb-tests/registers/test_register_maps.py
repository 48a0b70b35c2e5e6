# SPDX-License-Identifier: Apache-2.0
"""The generated register maps and what must agree with them."""

from __future__ import annotations

import re

import pytest
from lib.simulation import ROOT, catalog, registers

from sluice_golden import models

CONFIGS = [c["name"] for c in catalog()["configs"]]
FOR_ALL = {"test_conformance", "test_rules"}
"""Tests of cores that go over the whole catalogue."""


@pytest.mark.parametrize("config", CONFIGS)
def test_no_two_registers_at_one_address(config: str) -> None:
    words = registers(config)["registers"]
    addresses = [w["address"] for w in words]
    names = [w["name"] for w in words]
    assert len(set(addresses)) == len(addresses)
    assert len(set(names)) == len(names)
    assert all(a % 4 == 0 and 0 <= a < 4096 for a in addresses)
    assert [w["name"] for w in words[:3]] == ["ID", "VERSION", "CAPS"]


@pytest.mark.parametrize("config", CONFIGS)
def test_the_golden_model_has_the_same_parameters(config: str) -> None:
    """Names, formats by their defaults, and what the reasons do: written down twice, by hand, and equal."""
    declared = registers(config)
    own = {"limit", "limit_bytes", "seed0", "seed1", "seed2"}
    raw = {
        p["name"]: round(p["default"] * (1 << p["fraction"]))
        for p in declared["parameters"]
        if p["name"] not in own and not re.match(r"queue\d*_|dscp_colours", p["name"])
    }
    model = models()[config]
    assert model.defaults() == raw
    assert model.random_words == declared["needs"]["random_words"]
    assert model.has_rtt == declared["needs"]["rtt"]
    assert model.samples == declared["needs"]["samples"]
    assert model.queues == declared["needs"]["queues"]
    assert model.profiles == declared["needs"]["profiles"]
    assert model.chooses_queue == declared["needs"]["chooses_queue"]
    assert model.picks_late == declared["needs"]["picks_late"]
    assert model.gives_quanta == declared["needs"]["gives_quanta"]
    assert model.takes_victims == declared["needs"]["takes_victims"]
    assert model.is_legal(model.defaults())
    assert [(r.action, r.reason) for r in (*model.reasons, *model.head_reasons)] == [
        (r["action"], r["name"]) for r in declared["reasons"] if r["name"] not in {"Pushed out drop", "Overlimit drop"}
    ]
    assert set(model().status()) == {s["name"] for s in declared["status"]}


def test_catalogue_models_pages_and_tests_are_of_the_same_algorithms() -> None:
    """Corners may stand in a file of a family's: an algorithm has some if a file beside those for all of them names it."""
    algorithms = {a["name"] for a in catalog()["algorithms"]}
    pages = {p.stem for p in (ROOT / "docs" / "algorithms").glob("*.md")}
    corners = [p.read_text() for p in (ROOT / "cocotb-tests" / "cores").rglob("test_*.py") if p.stem not in FOR_ALL]
    assert {c["name"] for c in catalog()["configs"]} == set(models())
    assert pages == algorithms
    assert {name for name in algorithms if not any(f'"{name}"' in text for text in corners)} == set()
