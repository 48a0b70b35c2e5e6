# SPDX-License-Identifier: Apache-2.0
"""`sluice live`: Linux' own TCP through a Verilated datapath."""

from __future__ import annotations

import os
from dataclasses import asdict
from datetime import datetime
from pathlib import Path

import rich_click as click
from rich.table import Table

from sluice.driver import running
from sluice.hardware import datapaths
from sluice.loop import aqm
from sluice.packets import live
from sluice.support.errors import UserError
from sluice.support.output import console, json_option, write_json
from sluice.support.units import RATE_BPS, TIME_S


class _Live(click.RichGroup):
    """What is said of runs that are there; every other word begins a run."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """A datapath's name and all behind it is for `run`."""
        return super().resolve_command(ctx, args if args[0] in self.commands else ["run", *args])


@click.group(
    name="live",
    cls=_Live,
    add_help_option=False,
    no_args_is_help=False,
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
def command() -> None:
    """Let Linux' own TCP speak through a Verilated datapath."""


@command.command(name="run")
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
def _run(
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
    $SLUICE_PEER there, and `nsenter --net=$SLUICE_RIGHT` runs a command in `right`. `sluice live list` shows the runs that are
    there, and `sluice live enter` runs a command in one of their namespaces.

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
    running.clean()
    place = running.folder() / str(os.getpid())
    told += ["--socket", str(socket or f"{place}.sock"), "--run-file", f"{place}.json"]
    told += ["--record", str(record)] if record else []
    told += ["--json", str(json_file)] if json_file else []
    flags = {"--both-ways": both_ways, "--strict": strict, "--quiet": quiet}
    told += [flag for flag, is_set in flags.items() if is_set]
    program = live.program()
    os.execv(program, [program, *told, *(["--", *words] if words else [])])


@command.command(name="list")
@json_option
def _list(json_file: Path | None) -> None:
    """Show the runs that are there: process, datapath, since when, and the socket of the registers.

    \b
      sluice live list
    """
    runs = running.runs()
    table = Table("process", "datapath", "since", "socket", box=None)
    for run in runs:
        since = datetime.fromtimestamp(run.since).astimezone()
        table.add_row(str(run.pid), run.datapath, f"{since:%Y-%m-%d %H:%M:%S}", str(run.socket))
    console.print(table if runs else "no live run")
    if json_file:
        write_json(json_file, {"runs": [{**asdict(run), "socket": str(run.socket)} for run in runs]})


@command.command(name="enter")
@click.argument("side", type=click.Choice(running.SIDES))
@click.argument("words", metavar="[-- COMMAND...]", nargs=-1, type=click.UNPROCESSED)
@click.option("--socket", type=click.Path(path_type=Path), help="Of the run, if there are several.")
def _enter(side: str, words: tuple[str, ...], socket: Path | None) -> None:
    """Run a command, or a shell, in a namespace of a run that is there.

    \b
      sluice live enter left -- ping -c 3 10.99.0.2
      sluice live enter right
    """
    told = running.one(socket).entering(side, words or [os.environ.get("SHELL", "/bin/sh")])
    try:
        os.execvp(told[0], told)
    except OSError as error:
        raise UserError(f"cannot run {told[0]}: {error.strerror}") from None
