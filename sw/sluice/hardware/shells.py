# SPDX-License-Identifier: Apache-2.0
"""The generated wrappers for other people's shells: which exist, and where their files are."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sluice.hardware.catalog import entries
from sluice.support import paths


@dataclass(frozen=True)
class Shell:
    """One datapath with the ports of a shell."""

    name: str
    shell: str
    datapath: str

    @property
    def page(self) -> str:
        """Name of its page in `docs/shells`."""
        return self.shell.partition("-")[0]

    @property
    def files(self) -> list[Path]:
        """Its Verilog, the wrapper and what else its shell needs."""
        return sorted(file for kind in ("*.sv", "*.v") for file in (paths.build() / "rtl" / self.name).glob(kind))


def load() -> list[Shell]:
    """All wrappers, generating the catalogue first if it is not there."""
    return entries("shells", Shell)
