# SPDX-License-Identifier: Apache-2.0
"""`sluice simbricks`: a Verilated datapath as a network component of a SimBricks simulation."""

from __future__ import annotations

import os
from pathlib import Path

import rich_click as click

from sluice.hardware import datapaths
from sluice.loop import aqm
from sluice.packets import live
from sluice.support import paths
from sluice.support.errors import UserError
from sluice.support.units import RATE_BPS, TIME_S

_LEAST_LATENCY_S = 512e-9
"""A component that needs 256 ns to tell of a frame, and half of what two simulators may be apart."""

_LEAST_BITS = 512
"""A frame's beats must fit into these 256 ns."""


@click.command(name="simbricks")
@click.argument("name", metavar="DATAPATH")
@click.argument("left", type=click.Path(path_type=Path))
@click.argument("right", type=click.Path(path_type=Path))
@click.option(
    "--rate", "rate_bps", type=RATE_BPS, default="1G", show_default=True, help="Rate of the link behind the queue."
)
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="A parameter; may be given several times.")
@click.option("--latency", "latency_s", type=TIME_S, default="1us", show_default=True, help="Of both links.")
@click.option("--sync", "sync_s", type=TIME_S, help="Longest silence on them, the latency unless given.")
def command(
    name: str,
    left: Path,
    right: Path,
    rate_bps: float,
    settings: tuple[str, ...],
    latency_s: float,
    sync_s: float | None,
) -> None:
    """Join a SimBricks simulation between two simulators that listen at the sockets LEFT and RIGHT.

    Frames from LEFT go through the datapath to RIGHT; those from RIGHT go to LEFT as they are.

    \b
      sluice simbricks red left.eth right.eth --rate 10G --latency 2us --sync 500ns
    """
    interval_s = sync_s or latency_s
    if latency_s < _LEAST_LATENCY_S or interval_s > latency_s:
        raise UserError("the latency is 512ns or more, and no less than --sync")
    chosen = datapaths.find(name)
    if chosen.data_bits < _LEAST_BITS:
        raise UserError(f"{chosen.name} takes more than 256ns for a frame; take one of {_LEAST_BITS} bits")
    words = live.register_words(chosen, live.parameters(chosen, rate_bps, aqm.numbers(aqm.parse_settings(settings))))
    program = str(paths.made(paths.build() / "simbricks" / "sluice-simbricks"))
    told = [str(chosen.library), str(chosen.digest), str(left), str(right)]
    told += [str(round(time_s * 1e12)) for time_s in (latency_s, interval_s)]
    os.execv(program, [program, *told, *(f"{address}={word}" for address, word in words.items())])
