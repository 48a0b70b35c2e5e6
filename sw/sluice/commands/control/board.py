# SPDX-License-Identifier: Apache-2.0
"""`sluice board`: counters and parameters of a board on a serial line."""

from __future__ import annotations

import rich_click as click
from rich.table import Table

from sluice.driver.serial_host import SerialHost, terminal
from sluice.hardware import boards
from sluice.hardware.registers import RegisterMap, TileDriver
from sluice.loop import aqm
from sluice.support import paths
from sluice.support.errors import UserError
from sluice.support.output import console


@click.command(name="board")
@click.argument("board", metavar="BOARD")
@click.argument("device", metavar="DEVICE")
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="Parameters to set first, as one set.")
def command(board: str, device: str, settings: tuple[str, ...]) -> None:
    """Show the counters of BOARD, whose serial line is DEVICE; with --set change its parameters before.

    DEVICE is the system's name of the line or, for one at another machine, a URL of pySerial's.

    \b
      sluice board lattice-versa-ecp5 /dev/ttyUSB1
      sluice board lattice-versa-ecp5 /dev/ttyUSB1 --set ns_per_byte=80 --set overhead=24
      sluice board lattice-versa-ecp5-care rfc2217://lab:4000
    """
    registers = RegisterMap.load(paths.made(paths.register_map(boards.named(board).name)))
    values = aqm.numbers(aqm.parse_settings(settings))
    for name, value in values.items():
        registers.parameter(name).raw(value)  # a mistake is one before the line is opened
    bus = SerialHost(terminal(device))
    if bus.read(registers.addresses["DIGEST"]) != registers.digest:
        raise UserError(f"{device}: the board has other registers; load the bitstream that was made with these")
    driver = TileDriver(bus, registers)
    if values:
        driver.configure(values)
    table = Table("counter", "value")
    for name, count in (driver.snapshot() | driver.reasons()).items():
        table.add_row(name, f"{count:,}")
    console.print(table)
