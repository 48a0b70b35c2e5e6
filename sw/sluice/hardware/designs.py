# SPDX-License-Identifier: Apache-2.0
"""What can be synthesized: the tile of each configuration, the datapaths and the counters of flows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from sluice.hardware import catalog, counters, datapaths, rtl_digest
from sluice.support import paths
from sluice.support.errors import UserError


@dataclass(frozen=True)
class Design:
    """One top module."""

    name: str
    module: str
    verilog: Path
    settings: dict[str, Any]
    latency_cycles: int
    placer: str = "heap"
    """nextpnr's: `heap`, its default, or `static`, the electrostatic one. With `heap` the 64-bit datapath takes a fifth
    more wire and twice the time; with `static` CARE's tile is no faster, with a counted list of 800 a tenth slower."""

    @cached_property
    def rtl(self) -> str:
        """Digest of its hardware as it is generated now."""
        return rtl_digest.digest(paths.made(self.verilog).read_text())


def load() -> dict[str, Design]:
    """All designs by name, tiles first, in the generator's order."""
    tiles = [
        Design(c.name, paths.module("tile", c.name), paths.tile_verilog(c.name), c.settings, c.latency_cycles)
        for c in catalog.load().configs
    ]
    wrapped = [
        Design(
            d.name,
            d.module,
            d.verilog,
            {"config": d.config, "data_bits": d.data_bits, "buffer_bytes": d.buffer_bytes},
            d.latency_cycles,
            placer="static",
        )
        for d in datapaths.load()
    ]
    counted = [
        Design(
            c.name,
            c.module,
            c.verilog,
            {"buckets": c.buckets, "values": c.values, "estimate": c.estimate},
            c.latency_cycles,
        )
        for c in counters.load()
    ]
    return {design.name: design for design in (*tiles, *wrapped, *counted)}


def find(name: str) -> Design:
    """The design of that name; a user error that names the nearest ones otherwise."""
    known = load()
    if name not in known:
        raise UserError(catalog.unknown("configuration", name, list(known)))
    return known[name]
