# SPDX-License-Identifier: Apache-2.0
"""A wheel of the `sluice` command carries what the generator says of the hardware.

Where it is installed there is neither the generator nor `build/rtl`, so the catalogue and all register maps go along as
`sluice/hardware/generated`. An installation in editable mode reads them in the tree, where they may change.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

RTL = Path(__file__).resolve().parents[1] / "build" / "rtl"


class WithHardware(build_py):
    """Copies the Python files, and beside them the catalogue and register maps."""

    def run(self) -> None:
        """Refuses to make a wheel that would know of no hardware."""
        super().run()
        if self.editable_mode:
            return
        catalog = RTL / "catalog.json"
        if not catalog.is_file():
            raise SystemExit(f"{catalog} is not built: a wheel is made by `make wheels`")
        carried = Path(self.build_lib) / "sluice" / "hardware" / "generated"
        entries = (
            entry for listed in json.loads(catalog.read_text()).values() if isinstance(listed, list) for entry in listed
        )
        maps = [RTL / entry["name"] / "registers.json" for entry in entries if isinstance(entry, dict)]
        for file in [catalog, *(found for found in maps if found.is_file())]:
            target = carried / file.relative_to(RTL)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target)


setup(cmdclass={"build_py": WithHardware})
