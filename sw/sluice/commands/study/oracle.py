# SPDX-License-Identifier: Apache-2.0
"""`sluice oracle`: the Linux kernel's own queue disciplines beside the RTL."""

from __future__ import annotations

from pathlib import Path

import rich_click as click
from rich.box import SIMPLE_HEAD
from rich.table import Table

from sluice.experiments.linux import comparison, disciplines, kept, machine, traffic
from sluice.support import paths
from sluice.support.errors import UserError
from sluice.support.output import console, json_option, progress, provenance, write_json
from sluice.support.units import RATE_BPS

LINK = 0.98
"""Of its rate that the kernel's link must have for the two to be comparable."""


@click.command(name="oracle")
@click.argument("names", nargs=-1, metavar="[DISCIPLINE]...")
@click.option(
    "--trace", type=click.Path(path_type=Path), help="A capture whose frames are sent, instead of a constant rate."
)
@click.option("--rate", type=RATE_BPS, default="10M", show_default=True, help="Rate of the link.")
@click.option(
    "--load", type=click.FloatRange(min=0.01, max=20), default=1.5, show_default=True, help="What comes, in links."
)
@click.option(
    "--seconds", type=click.FloatRange(min=0.5, max=600), default=30, show_default=True, help="How long it comes."
)
@click.option(
    "--kernel", type=click.Path(path_type=Path), help="The kernel's program, instead of linux.uml on the path."
)
@click.option("--keep", is_flag=True, help="Put the rows into sim/results/linux.csv.")
@json_option
def command(
    names: tuple[str, ...],
    trace: Path | None,
    rate: float,
    load: float,
    seconds: float,
    kernel: Path | None,
    keep: bool,
    json_file: Path | None,
) -> None:
    """Send the same packets through Linux's queue disciplines and through the RTL, and show what both made of them.

    The kernel is Debian's user-mode-linux: a program that needs no privilege, boots within seconds from the host's files, and
    sees no network but the one made in it. Its tc is the host's. Each discipline hangs under HTB, which is the link; the tile
    has a link of the same rule behind it, and gets the packets when the kernel got them. It takes as long as the trace, in
    real time: best on a machine that has nothing else to do.

    \b
      sluice oracle                                   # all that both have, at a constant rate
      sluice oracle red codel --load 1.1 --seconds 60
      sluice oracle pie --trace tcp.pcapng --rate 9M --json pie.json
    """
    chosen = disciplines.named(names)
    host = machine.find(kernel)
    packets = traffic.of_capture(trace) if trace else traffic.constant(load * rate, seconds)
    called = trace.stem if trace else f"constant {load:g} x"
    table = Table(box=SIMPLE_HEAD)
    for heading in ("discipline", "", "packets", "drops", "marks", "queue", "delay ms"):
        table.add_column(heading, justify="left" if heading in {"discipline", ""} else "right")
    rows = []
    with progress() as bar:
        task = bar.add_task(f"Linux {host.version}", total=len(chosen))
        for discipline in chosen:
            found = comparison.compare(
                host, discipline, packets, round(rate), paths.build() / "linux" / discipline.name
            )
            rows.append(kept.row(discipline, called, rate, packets, host.version, found))
            for who, measured in (("Linux", found.linux), ("RTL", found.rtl)):
                table.add_row(
                    discipline.name if who == "Linux" else "",
                    who,
                    f"{len(packets):,}",
                    f"{measured.drops:,}",
                    f"{measured.marks:,}",
                    f"{measured.queue:.2f}",
                    f"{measured.delay_ms:.2f}",
                )
            bar.advance(task)
    console.print(table)
    slowest, latest = min(row["link"] for row in rows), max(row["late_ms"] for row in rows)
    console.print(
        f"{called}, link of {rate / 1e6:g} Mbit/s: the kernel's had {100 * slowest:.1f} % of that while packets waited,"
        f" and they came to it late by {latest:g} ms on average, or less",
        soft_wrap=True,
    )
    if json_file:
        write_json(json_file, {**provenance(), "rows": rows})
    if slowest < LINK:
        raise UserError(
            f"the machine is too busy: the kernel's link is below {LINK:.0%} of its rate, and no row is kept"
        )
    if keep:
        kept.keep(rows)
