# SPDX-License-Identifier: Apache-2.0
"""`sluice release`: everything that users of the hardware take, in one archive."""

from __future__ import annotations

import importlib
from pathlib import Path

import rich_click as click

from sluice.support import paths
from sluice.support.output import console


@click.command(name="release")
@click.option(
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder to write into; build/release otherwise.",
)
def command(output: Path | None) -> None:
    """Write the Verilog of all supported configurations, datapaths and counters, with register maps (JSON, C header,
    SystemRDL, IP-XACT) and FuseSoC cores, the C driver, Python wheels, the Scala library, the pages also as a site, and
    checksums, and an archive of it all.

    Pages and constraints are those under version control. What is built already is taken as it is; `make release` builds it anew
    where its sources have changed, and then the same sources give the same bytes.

    \b
      sluice release
      sluice release --output /tmp/release
    """
    release = importlib.import_module("sluice.packages.release")  # PeakRDL takes a while to load
    archive = release.write(output or paths.build() / "release")
    console.print(f"{archive}", soft_wrap=True)
