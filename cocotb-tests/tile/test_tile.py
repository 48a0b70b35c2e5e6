# SPDX-License-Identifier: Apache-2.0
"""Runs the tile's promises around every algorithm."""

from __future__ import annotations

from typing import Any

import pytest
from lib.simulation import RTL, catalog, copy_of, registers, simulate

from sluice.faults.mutants import far_counters, upset_port
from sluice.support import paths

REGISTER_TESTS = ("droptail", "cared")
"""The register block is one for all: held to its promises on the smallest tile, and on one of many words and with ticks."""

TRANSPARENT = far_counters.CONFIG
"""Counters, limits and what mends are one for all too: driven far where the core refuses nothing of its own, in a copy whose
counters begin far and that has a port which upsets it."""


def tiles() -> list[str]:
    """One configuration of each algorithm, of each set of ports that it asks for, and of each way to store packets.

    Where these are equal the tile is: sizes and variants of a core are inside of it, and all of those are compared with models
    without a tile.
    """
    first: dict[tuple[Any, ...], str] = {}
    for config in catalog()["configs"]:
        needs, around = registers(config["name"])["needs"], config["settings"]
        first.setdefault((config["algorithm"], *around.values(), *needs.items()), config["name"])
    return [*first.values(), *catalog()["witnesses"]]


@pytest.mark.parametrize("config", tiles())
def test_tile(config: str) -> None:
    source, bench = RTL / config / f"{paths.module('tile', config)}.sv", f"tile-{config}"
    parameters = {"SLUICE_CONFIG": config}
    if config == TRANSPARENT:
        parameters[far_counters.EXPECTED] = "1"
        source = copy_of(source, bench, upset_port.added(far_counters.far(source.read_text()), source.stem))
    modules = ["tile.tile_contract", "tile.tile_identity", "tile.tile_time"]
    modules += ["tile.tile_registers", "tile.tile_bus_pace", "tile.tile_masters"] if config in REGISTER_TESTS else []
    modules += ["tile.tile_extremes", "tile.tile_mended"] if config == TRANSPARENT else []
    modules += ["tile.tile_queues"] if "queue1_limit" in {p["name"] for p in registers(config)["parameters"]} else []
    modules += (
        ["lists.lists_contract"] if "queue_quantum" in {p["name"] for p in registers(config)["parameters"]} else []
    )
    modules += ["tile.tile_ticks"] if registers(config)["ticks"] else []
    simulate(source, ",".join(modules), bench=bench, parameters=parameters, inside=("core",))
