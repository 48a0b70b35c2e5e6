# SPDX-License-Identifier: Apache-2.0
"""`sluice profile`: WRED profiles of switches, as register words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

import rich_click as click

from sluice.driver.sonic import profile, words
from sluice.hardware import catalog
from sluice.hardware.registers import RegisterMap
from sluice.support import paths
from sluice.support.errors import UserError
from sluice.support.output import json_option, provenance, write_json


@click.group(name="profile")
def command() -> None:
    """Read WRED profiles as switches under SONiC have them.

    \b
      sluice profile import config_db.json --port Ethernet0
      sluice profile import config_db.json --config wred --profile AZURE_LOSSLESS
    """


@command.command(name="import")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--port", default="", help="Whose queues the tile's are, of several ports.")
@click.option("--profile", "name", default="", help="Which profile, for a tile of one queue.")
@click.option("--config", default="wred-1k", show_default=True, help="Configuration whose registers are meant.")
@click.option(
    "--colour",
    type=click.Choice(profile.COLOURS),
    default="green",
    show_default=True,
    help="Of the packets whose thresholds are carried.",
)
@json_option
def import_(file: Path, port: str, name: str, config: str, colour: str, json_file: Path | None) -> None:
    """Print the words that make a tile do what a config_db.json says.

    It reads WRED_PROFILE, QUEUE, SCHEDULER, BUFFER_PROFILE and BUFFER_QUEUE.

    One line for each word, in the order in which they are to be written: address, word, register, whose it is. What cannot be
    carried is said on standard error, a line each. An unknown field ends it.
    """
    catalog.load().config(config)
    registers = RegisterMap.load(paths.made(paths.register_map(config)))
    if "min_threshold" not in registers.parameters:
        raise UserError(f"{config} has no WRED profiles; wred and wred-1k have")
    switch = words.load(file, colour)
    if "profile" in registers.parameters:
        made = words.of_port(switch, registers, port or _only(switch.ports))
    else:
        made = words.of_one_profile(switch, registers, name or _only(switch.profiles))
    for word in made:
        click.echo(f"0x{word.address:03X} 0x{word.word:08X}  {word.name} of {word.of}")
    for note in switch.notes:
        click.echo(f"not carried: {note}", err=True)
    if json_file:
        result = {"config": config, "colour": colour, "words": [asdict(word) for word in made], "notes": switch.notes}
        write_json(json_file, provenance() | result)


def _only(names: Iterable[str]) -> str:
    """The only one that there is, or nothing."""
    first, *others = [*names, ""]
    return "" if others[:-1] else first
