# SPDX-License-Identifier: Apache-2.0
"""`sluice watch`: queue, delay, rates, drops and marks of a datapath as they go."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import rich_click as click
from rich.live import Live

from sluice.driver import running
from sluice.driver.device import DriverError
from sluice.driver.directions import Direction, directions
from sluice.driver.watch import exporter
from sluice.driver.watch.look import Interval, take
from sluice.driver.watch.screen import Screen, line
from sluice.support.errors import UserError
from sluice.support.output import console, file_option, writing
from sluice.support.units import TIME_S

_Show = Callable[[Sequence[Interval]], None]


@click.command(name="watch")
@click.argument("where", metavar="[WHERE]", required=False)
@click.option("--every", "every_s", type=TIME_S, default="1s", show_default=True, help="Between two looks.")
@click.option("--for", "duration_s", type=TIME_S, help="End after that time.")
@click.option("--metrics", metavar="[HOST]:PORT", help="Answer Prometheus there; HOST is 127.0.0.1 unless given.")
@file_option("--json", "json_file", "Write an object a line here, one for each look at a direction.")
def command(
    where: str | None, every_s: float, duration_s: float | None, metrics: str | None, json_file: Path | None
) -> None:
    """Show what a datapath does, on a terminal as a screen, elsewhere as lines; ends with the run.

    WHERE is what the driver opens, such as unix:PATH, uio:/dev/uio0 or pci:0000:01:00.0/2: a live run, or hardware. Without it
    it is the live run that is there.

    \b
      sluice watch
      sluice watch --metrics :9464 pci:0000:01:00.0/2
    """
    place = where or f"unix:{running.find(None)}"
    address = _address(metrics) if metrics else None
    with ExitStack() as stack:
        found = stack.enter_context(directions(place))
        if address:
            exporter.serve(stack.enter_context(directions(place)), *address)
        shows = [stack.enter_context(_screen()) if console.is_terminal else _print_lines]
        if json_file:
            shows.append(stack.enter_context(_json_lines(json_file)))
        for intervals in _intervals(found, every_s, duration_s):
            for show in shows:
                show(intervals)


@contextmanager
def _screen() -> Iterator[_Show]:
    screen = Screen()
    with Live(console=console, auto_refresh=False) as live:
        yield lambda intervals: live.update(screen.shown(intervals), refresh=True)


def _print_lines(intervals: Sequence[Interval]) -> None:
    click.echo("\n".join(map(line, intervals)))


@contextmanager
def _json_lines(file: Path) -> Iterator[_Show]:
    begin_s = time.monotonic()

    def show(intervals: Sequence[Interval]) -> None:
        for interval in intervals:
            said = {"s": interval.end.at_s - begin_s, "direction": interval.direction.name, **interval.values()}
            lines.write(json.dumps(said) + "\n")
        lines.flush()

    with writing(file) as lines:
        yield show


def _intervals(found: Sequence[Direction], every_s: float, duration_s: float | None) -> Iterator[list[Interval]]:
    """Those of all directions from one look to the next, until the time is over or the run has ended."""
    last = [take(direction) for direction in found]
    begin_s = due_s = last[0].at_s
    while duration_s is None or due_s < begin_s + duration_s:
        due_s = max(due_s + every_s, time.monotonic())  # one that is late has no others behind it to be made good
        time.sleep(max(0, due_s - time.monotonic()))
        try:
            now = [take(direction) for direction in found]
        except DriverError as error:
            if error.code != "ENODEV":
                raise
            return
        yield [Interval(*each) for each in zip(found, last, now, strict=True)]
        last = now


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not port.isdecimal() or not 0 < int(port) < 1 << 16:
        raise UserError(f"'{text}' is no [HOST]:PORT")
    return host or "127.0.0.1", int(port)
