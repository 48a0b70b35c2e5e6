# SPDX-License-Identifier: Apache-2.0
"""Runs every configuration of the catalogue through the contract, and shows once that a broken core is caught."""

from __future__ import annotations

import pytest
from lib.simulation import RTL, catalog, copy_with, module_name, simulate

ARRIVALS = 100_000


def conformance(source, config: str, bench: str, arrivals: int) -> None:
    parameters = {"SLUICE_CONFIG": config, "SLUICE_ARRIVALS": str(arrivals), "SLUICE_SEED": "20260101"}
    simulate(source, "cores.conformance", bench=bench, parameters=parameters)


def core_source(config: str):
    return RTL / config / f"{module_name('core', config)}.sv"


@pytest.mark.parametrize("config", [c["name"] for c in catalog()["configs"]])
def test_conformance(config: str) -> None:
    conformance(core_source(config), config, f"core-{config}", ARRIVALS)


def test_a_broken_core_is_caught() -> None:
    """One wrong constant in the table of RED's idle decay, the entry for the shortest times, off by one in the last place."""
    broken = copy_with(
        core_source("red"),
        "core-red-broken",
        "decay_onTable_table[0] = 18'b111111111111111111",
        "decay_onTable_table[0] = 18'b111111111111111110",
    )
    with pytest.raises(AssertionError, match="tests failed"):
        conformance(broken, "red", "core-red-broken", 20_000)
