# SPDX-License-Identifier: Apache-2.0
"""The generated counters of flows: which exist, and where their files are."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sluice.hardware.catalog import entries
from sluice.support import paths


@dataclass(frozen=True)
class Counter:
    """One named counter of flows."""

    name: str
    grade: str
    buckets: int
    values: int
    estimate: str
    latency_cycles: int

    @property
    def module(self) -> str:
        """Name of its Verilog module."""
        return paths.module(self.name)

    @property
    def verilog(self) -> Path:
        """Its SystemVerilog."""
        return paths.build() / "rtl" / self.name / f"{self.module}.sv"


def load() -> list[Counter]:
    """All counters, generating the catalogue first if it is not there."""
    return entries("counters", Counter)
