# SPDX-License-Identifier: Apache-2.0
"""`sluice live`: Linux' own TCP through a Verilated datapath."""

from __future__ import annotations

import os
from pathlib import Path

import rich_click as click

from sluice.loop import aqm
from sluice.output import json_option
from sluice.packets import datapaths, live
from sluice.units import RATE_BPS, TIME_S


@click.command(name="live")
@click.argument("name", metavar="DATAPATH")
@click.argument("words", metavar="[-- COMMAND...]", nargs=-1, type=click.UNPROCESSED)
@click.option(
    "--rate", "rate_bps", type=RATE_BPS, default="10M", show_default=True, help="Rate of the link behind the queue."
)
@click.option("--delay", "delay_s", type=TIME_S, default="20ms", show_default=True, help="Of the line, each way.")
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="A parameter; may be given several times.")
@click.option("--both-ways", is_flag=True, help="A datapath of the same kind on the way back too.")
@click.option(
    "--congestion", default="cubic", show_default=True, help="TCP's congestion control, one that the kernel has."
)
@click.option("--for", "duration_s", type=TIME_S, help="End after that time.")
@click.option("--record", type=click.Path(path_type=Path), help="Write the run into this folder, to be replayed.")
@click.option(
    "--socket",
    "socket",
    type=click.Path(path_type=Path),
    help="Serve the registers there, in place of a socket in $XDG_RUNTIME_DIR/sluice.",
)
@click.option("--strict", is_flag=True, help="Exit status 4 if the run was not sound.")
@click.option("--quiet", is_flag=True, help="No line a second.")
@json_option
def command(
    name: str,
    words: tuple[str, ...],
    rate_bps: float,
    delay_s: float,
    settings: tuple[str, ...],
    both_ways: bool,
    congestion: str,
    duration_s: float | None,
    record: Path | None,
    socket: Path | None,
    strict: bool,
    quiet: bool,
    json_file: Path | None,
) -> None:
    """Let two network namespaces, `left` and `right`, speak through a Verilated datapath as time goes by.

    COMMAND runs in `left`, and the run ends with it and has its exit status; without one it ends with Ctrl-C. The other end is
    $SLUICE_PEER there, and `nsenter --net=$SLUICE_RIGHT` runs a command in `right`.

    \b
      sluice live red --rate 10M --delay 20ms -- ./client.sh
      sluice live codel --rate 10M --set target=5000000 --record run -- ./client.sh
      sluice replay run/forward.pcap --config codel-512 --settings run/run.json
    """
    chosen = datapaths.find(name)
    values = live.parameters(chosen, rate_bps, aqm.numbers(aqm.parse_settings(settings)))
    told = live.words(chosen, values)
    told += ["--delay-ns", str(round(delay_s * 1e9)), "--congestion", congestion]
    told += ["--duration-ns", str(round(duration_s * 1e9))] if duration_s else []
    told += ["--socket", str(socket or live.new_socket())]
    told += ["--record", str(record)] if record else []
    told += ["--json", str(json_file)] if json_file else []
    flags = {"--both-ways": both_ways, "--strict": strict, "--quiet": quiet}
    told += [flag for flag, is_set in flags.items() if is_set]
    program = live.program()
    os.execv(program, [program, *told, *(["--", *words] if words else [])])
