# SPDX-License-Identifier: Apache-2.0
"""The generated datapaths: which exist, and where their files are."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sluice.hardware import catalog
from sluice.hardware.catalog import entries, unknown
from sluice.support import paths
from sluice.support.errors import UserError

_FASTEST = 512
"""Width that is taken when a configuration has datapaths of several: a frame takes the fewest clocks to simulate."""


@dataclass(frozen=True)
class DatapathConfig:
    """One named datapath."""

    name: str
    config: str
    algorithm: str
    grade: str
    data_bits: int
    buffer_bytes: int
    latency_cycles: int
    digest: int

    @property
    def library(self) -> Path:
        """The Verilated datapath, built if it was not there."""
        return paths.made(paths.models() / self.name / "libsluice_datapath.so")

    @property
    def has_queues(self) -> bool:
        """Its tile has many queues, so frames leave in any order."""
        return bool(catalog.load().config(self.config).settings.get("queues", 1) > 1)

    @property
    def reasons(self) -> list[dict[str, Any]]:
        """Why frames are dropped or marked: code, name and action of each."""
        found: list[dict[str, Any]] = json.loads(self.register_map.read_text())["reasons"]
        return found

    @property
    def module(self) -> str:
        """Name of its Verilog module."""
        return paths.module(self.name)

    @property
    def verilog(self) -> Path:
        """Its SystemVerilog."""
        return paths.build() / "rtl" / self.name / f"{self.module}.sv"

    @property
    def register_map(self) -> Path:
        """Its register map."""
        return paths.made(paths.register_map(self.name))


def load() -> list[DatapathConfig]:
    """All datapaths, generating the catalogue first if it is not there."""
    return entries("datapaths", DatapathConfig)


def find(name: str) -> DatapathConfig:
    """The datapath of that name, or the fastest one around the configuration of that name."""
    known = load()
    fitting = [d for d in known if name in {d.name, d.config}]
    if not fitting:
        raise UserError(unknown("datapath", name, sorted({d.name for d in known} | {d.config for d in known})))
    return min(fitting, key=lambda d: (d.name != name, abs(d.data_bits - _FASTEST)))
