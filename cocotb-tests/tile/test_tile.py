# SPDX-License-Identifier: Apache-2.0
"""Runs the tile's promises on every configuration."""

from __future__ import annotations

import pytest
from lib.simulation import RTL, catalog, module_name, registers, simulate

REGISTER_TESTS = ("droptail", "cared")
"""The register block is one for all: held to its promises on the smallest tile, and on one of many words and with ticks."""

TRANSPARENT = "droptail"
"""Counters and limits are one for all too: driven far where the core refuses nothing of its own."""


@pytest.mark.parametrize("config", [c["name"] for c in catalog()["configs"]] + catalog()["witnesses"])
def test_tile(config: str) -> None:
    source = RTL / config / f"{module_name('tile', config)}.sv"
    modules = ["tile.tile_contract", "tile.tile_identity", "tile.tile_time"]
    modules += ["tile.tile_registers"] if config in REGISTER_TESTS else []
    modules += ["tile.tile_extremes"] if config == TRANSPARENT else []
    modules += ["tile.tile_ticks"] if registers(config)["ticks"] else []
    parameters = {"SLUICE_CONFIG": config}
    simulate(source, ",".join(modules), bench=f"tile-{config}", parameters=parameters, visible_levels=2)
