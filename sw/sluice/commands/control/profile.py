# SPDX-License-Identifier: Apache-2.0
"""`sluice profile`: WRED profiles of switches, as register words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

import rich_click as click

from sluice.driver.sonic import profile, table, words
from sluice.hardware import designs
from sluice.hardware.registers import RegisterMap
from sluice.packets import replay
from sluice.support import paths
from sluice.support.errors import UserError
from sluice.support.output import file_option, json_option, provenance, write_json


@click.group(name="profile")
def command() -> None:
    """Read WRED profiles as switches under SONiC have them.

    \b
      sluice profile import config_db.json --port Ethernet0
      sluice profile import config_db.json --port Ethernet0 --yellow 12,20,28,36 --red 14,22,30,38
      sluice profile import config_db.json --port Ethernet0 --config wred-1k-64
      sluice profile import config_db.json --config wred --profile AZURE_LOSSLESS
    """


def _dscps(_context: click.Context, parameter: click.Parameter, text: str | None) -> frozenset[int]:
    """The DSCPs of a list; none without one."""
    read, found = table.number(profile.DSCPS[0], profile.DSCPS[-1]), set[int]()
    for each in [] if text is None else text.split(","):
        try:
            found.add(read(each.strip()))
        except ValueError as error:
            raise UserError(f"{parameter.opts[0]} takes DSCPs with commas between them, and '{each}' {error}") from None
    return frozenset(found)


@command.command(name="import")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--port", default="", help="Whose queues the tile's are, of several ports.")
@click.option("--profile", "name", default="", help="Which profile, for a tile of one queue.")
@click.option("--config", default="wred-1k", show_default=True, help="Tile or datapath whose registers are meant.")
@click.option(
    "--colour",
    type=click.Choice(profile.COLOURS),
    help="Of the packets whose thresholds are carried, for a tile of one queue; green without it.",
)
@click.option("--yellow", metavar="A,B,C", callback=_dscps, help="DSCPs of yellow packets, for a tile of many queues.")
@click.option("--red", metavar="A,B,C", callback=_dscps, help="DSCPs of red packets, likewise.")
@file_option("--writes", "writes_file", "Write the words as `sluice replay --writes` takes them.")
@json_option
def import_(
    file: Path,
    port: str,
    name: str,
    config: str,
    colour: str | None,
    yellow: frozenset[int],
    red: frozenset[int],
    writes_file: Path | None,
    json_file: Path | None,
) -> None:
    """Print the words that make a tile do what a config_db.json says.

    It reads WRED_PROFILE, QUEUE, SCHEDULER, BUFFER_PROFILE and BUFFER_QUEUE, and for a datapath, which finds a frame's queue
    by its DSCP, PORT_QOS_MAP, DSCP_TO_TC_MAP and TC_TO_QUEUE_MAP.

    The file does not say which packets are yellow or red: --yellow and --red say it to a tile of many queues. By the drop
    precedences of RFC 2597 it is --yellow 12,20,28,36 --red 14,22,30,38. Without them all packets are green.

    One line for each word, in the order in which they are to be written: address, word, register, whose it is. What cannot be
    carried is said on standard error, a line each. An unknown field ends it.
    """
    designs.find(config)
    registers = RegisterMap.load(paths.made(paths.register_map(config)))
    if "min_threshold" not in registers.parameters:
        raise UserError(
            f"{config} has no WRED profiles; wred, wred-1k, wred-1k-head, wred-1k-levels and wred-1k-64 have"
        )
    colours = profile.Colours(yellow, red)
    if "profile" in registers.parameters:
        if colour:
            raise UserError(f"--colour is for a tile of one queue; {config} has profiles for all colours")
        switch = words.load(file)
        port = port or _only(switch.ports)
        made = words.of_port(switch, registers, port, colours)
        notes = words.notes_of_colours(switch, port, colours) + words.notes_of_dscps(switch, registers, [port])
        notes += words.notes_of_levels(switch, registers, port)
        facts: dict[str, object] = {"yellow": sorted(yellow), "red": sorted(red)}
    else:
        if colours:
            raise UserError(f"--yellow and --red are for a tile of many queues; {config} has one profile, see --colour")
        colour = colour or "green"
        switch = words.load(file)
        made = words.of_one_profile(switch, registers, name or _only(switch.profiles), colour)
        notes = words.notes_of_one_colour(switch, colour) + words.notes_of_dscps(switch, registers, switch.of_dscps)
        facts = {"colour": colour}
    notes += switch.notes
    for word in made:
        click.echo(f"0x{word.address:03X} 0x{word.word:08X}  {word.name} of {word.of}")
    for note in notes:
        click.echo(f"not carried: {note}", err=True)
    if writes_file:
        replay.write_at_once(writes_file, [(word.address, word.word) for word in made])
    if json_file:
        result = {"config": config, **facts, "words": [asdict(word) for word in made], "notes": notes}
        write_json(json_file, provenance() | result)


def _only(names: Iterable[str]) -> str:
    """The only one that there is, or nothing."""
    first, *others = [*names, ""]
    return "" if others[:-1] else first
