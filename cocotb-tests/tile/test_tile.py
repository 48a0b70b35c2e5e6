# SPDX-License-Identifier: Apache-2.0
"""Runs the tile's promises on every configuration."""

from __future__ import annotations

import pytest
from lib.simulation import RTL, catalog, module_name, registers, simulate

CONFIGS = [c["name"] for c in catalog()["configs"]]


def run(config: str, tests: str) -> None:
    source = RTL / config / f"{module_name('tile', config)}.sv"
    simulate(source, tests, bench=f"tile-{config}", parameters={"SLUICE_CONFIG": config}, visible_levels=2)


@pytest.mark.parametrize("config", CONFIGS)
def test_tile(config: str) -> None:
    run(config, "tile.tile_contract")


@pytest.mark.parametrize("config", [name for name in CONFIGS if registers(name)["core_tick_cycles"]])
def test_ticks(config: str) -> None:
    run(config, "tile.tile_ticks")
