# SPDX-License-Identifier: Apache-2.0
"""Runs the tile's promises on every configuration."""

from __future__ import annotations

import pytest
from lib.simulation import RTL, catalog, module_name, simulate


@pytest.mark.parametrize("config", [c["name"] for c in catalog()["configs"]])
def test_tile(config: str) -> None:
    source = RTL / config / f"{module_name('tile', config)}.sv"
    simulate(
        source, "tile.tile_contract", bench=f"tile-{config}", parameters={"SLUICE_CONFIG": config}, visible_levels=2
    )
