# SPDX-License-Identifier: Apache-2.0
"""What a tile says of itself after a reset, as a cocotb test for any tile."""

from __future__ import annotations

import os
from typing import Any

import cocotb
from lib.simulation import registers
from lib.tile.bench import TileBench
from lib.witness import model_of

CONFIG = os.environ["SLUICE_CONFIG"]


@cocotb.test()
async def every_word_begins_as_the_map_says(dut: Any) -> None:
    """Identity, defaults, status: the map's reset values are the hardware's; the digest and latency are the map's own."""
    declared = registers(CONFIG)
    bench = TileBench(dut, model_of(CONFIG), declared)
    await bench.start()
    for word in declared["registers"]:
        assert await bench.axil.read_dword(word["address"]) == word["reset"], word["name"]
    for parameter in declared["parameters"]:
        address = parameter["address"] + declared["in_force_offset"]
        assert await bench.axil.read_dword(address) == bench.raw[parameter["name"]]
    assert await bench.read("DIGEST") == declared["digest"]
    assert await bench.read("CAPS") >> 8 & 0xFF == declared["latency_cycles"]
