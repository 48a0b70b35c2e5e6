# SPDX-License-Identifier: Apache-2.0
"""A port of a config_db.json as the words that a tile takes, in the order in which they are to be written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sluice.driver.sonic import buffer, classes, profile, queue, table
from sluice.driver.sonic.table import Row
from sluice.hardware.registers import RegisterMap
from sluice.support.errors import UserError

_OF_DSCPS = ("DSCP_TO_TC_MAP", "TC_TO_QUEUE_MAP", "PORT_QOS_MAP")
_READ = ("WRED_PROFILE", "QUEUE", "SCHEDULER", "BUFFER_PROFILE", "BUFFER_QUEUE", *_OF_DSCPS)
_DSCP_AT = 16
"""The lowest bit of the DSCP in a word to DSCP_QUEUE; below it stands the queue."""


@dataclass(frozen=True, slots=True)
class Word:
    """To be written to a register."""

    address: int
    word: int
    name: str
    of: str
    """Whose it is."""


@dataclass(slots=True)
class Switch:
    """What a file says, and what of it no tile carries."""

    profiles: dict[str, profile.Profile]
    ports: dict[str, dict[int, queue.Queue]]
    alphas: dict[str, dict[int, int]]
    schedulers: dict[str, queue.Scheduler]
    of_dscps: dict[str, dict[int, int]]
    """Of a port, the queue of each DSCP."""
    notes: list[str] = field(default_factory=list)


def load(file: Path) -> Switch:
    """What is read of a file's tables."""
    tables, notes = table.load(file), list[str]()
    if "WRED_PROFILE" not in tables:
        raise UserError(f"{file} has no table WRED_PROFILE")
    profiles = {name: profile.read(row) for name, row in Row.all(tables, "WRED_PROFILE", notes).items()}
    schedulers = queue.schedulers(Row.all(tables, "SCHEDULER", notes))
    ports = queue.of_queues(Row.all(tables, "QUEUE", notes), profiles, schedulers)
    alphas = buffer.of_queues(
        Row.all(tables, "BUFFER_QUEUE", notes), buffer.alphas(Row.all(tables, "BUFFER_PROFILE", notes))
    )
    of_dscps = classes.of_ports(
        Row.all(tables, "PORT_QOS_MAP", notes),
        classes.classes(Row.all(tables, "DSCP_TO_TC_MAP", notes)),
        classes.queues(Row.all(tables, "TC_TO_QUEUE_MAP", notes)),
        [*ports, *alphas],
    )
    ports = {port: ports.get(port, {}) for port in [*ports, *alphas, *of_dscps]}
    notes += [f"{name}: the table is not read" for name in sorted(tables.keys() - {*_READ})]
    return Switch(profiles, ports, alphas, schedulers, of_dscps, notes)


def of_one_profile(switch: Switch, registers: RegisterMap, name: str, colour: str) -> list[Word]:
    """Of a tile with one queue, which judges all packets as those of one colour."""
    return list(_set(registers, switch.profiles[_choice("profile", name, switch.profiles)][colour].raw(), name))


def notes_of_one_colour(switch: Switch, colour: str) -> list[str]:
    """Where such a tile judges packets of other colours by other numbers than their own."""
    return [
        f"WRED_PROFILE|{name}: {other} packets are judged as {colour} ones, by other numbers than their own"
        for name, its in switch.profiles.items()
        for other in profile.COLOURS
        if its[other] != its[colour]
    ]


def of_port(switch: Switch, registers: RegisterMap, port: str, colours: profile.Colours) -> list[Word]:
    """Of a tile with many queues: what it is to do as the port does, packets having these colours.

    First the colours, where any DSCP is not green; else the tile's table of them is left as it is, after a reset all green. They
    have a set of their own, with which the profile that was set last is set again to what it is. Then each set of the profiles,
    then the queues. Profile 0 stays as it is after a reset: queues without a profile have it, for all colours. Last the queue of
    each DSCP, where the hardware has a table of these and the file says anything of the port's.

    What is given is not changed. A port that is not there, a queue that the tile has not, or too many sets are a user error.
    """
    port, queues, used = _port(switch, port)
    alphas, queues = switch.alphas.get(port, {}), _with_shares(switch, port, queues)
    most_queues = 1 << registers.widths["QUEUE_SELECT"]
    of_dscps = switch.of_dscps.get(port, {}) if _has_dscps(registers) else {}
    if beyond := [number for number in (*queues, *of_dscps.values()) if number >= most_queues]:
        raise UserError(f"{registers.config} has {most_queues} queues, and {port} has one of the number {beyond[0]}")
    words = list(_set(registers, colours.raw(), "all queues")) if colours else []
    sets = profile.distinct(switch.profiles, used)
    bits = registers.parameter("profile").width
    most = (1 << bits) - 1
    if len(sets) > most:
        raise UserError(
            f"{registers.config} has {most} profiles beside that of queues without one, and {len(sets)} are wanted"
        )
    numbers = {its: number for number, its in enumerate(sets, 1)}
    for its, of in sets.items():
        words += _set(registers, {"profile": numbers[its], **its.raw()}, of)
    selected = {"": 0}
    for name in used:
        of_colours = [numbers[switch.profiles[name][colour]] for colour in profile.COLOURS]
        selected[name] = sum(number << bits * place for place, number in enumerate(of_colours))
    quanta = queue.quanta(queues, switch.schedulers, (1 << registers.widths["SELECTED_QUANTUM"]) - 1)
    levels = queue.levels(queues, switch.schedulers, _levels(registers))
    for number, of_queue in queues.items():
        values = {
            "QUEUE_SELECT": number,
            "SELECTED_PROFILE": selected[of_queue.profile],
            "SELECTED_QUANTUM": quanta.get(number, 0),
            "SELECTED_ALPHA": alphas.get(number, 0),
        }
        if _levels(registers) > 1:
            values["SELECTED_LEVEL"] = levels.get(number, 0)
        words += [Word(registers.addresses[name], word, name, f"queue {number}") for name, word in values.items()]
    for dscp, number in of_dscps.items():
        word = dscp << _DSCP_AT | number
        words.append(Word(registers.addresses["DSCP_QUEUE"], word, "DSCP_QUEUE", f"DSCP {dscp}, queue {number}"))
    return words


def notes_of_dscps(switch: Switch, registers: RegisterMap, ports: Iterable[str]) -> list[str]:
    """Where the file says the queue of a DSCP and the hardware does not look for it: a tile is told it, or has one queue."""
    said = [] if _has_dscps(registers) else [port for port in ports if switch.of_dscps.get(port)]
    return [
        f"PORT_QOS_MAP|{port}: {registers.config} has no table of queues by DSCP, as datapaths have" for port in said
    ]


def notes_of_levels(switch: Switch, registers: RegisterMap, port: str) -> list[str]:
    """Where the port has queues of strict priority and the tile has no levels, or too few."""
    port, queues, _ = _port(switch, port)
    strict = queue.levels(_with_shares(switch, port, queues), switch.schedulers, _levels(registers))
    if strict and _levels(registers) == 1:
        says = "queues of strict priority take their turns as others do, with a weight of 1; wred-1k-levels has levels"
        return [f"QUEUE|{port}: {says}"]
    alone = len(strict) - len(set(strict.values())) + 1
    return [f"QUEUE|{port}: of its queues of strict priority the lowest {alone} share a level"] if alone > 1 else []


def _levels(registers: RegisterMap) -> int:
    """Levels of strict priority that queues may have."""
    return 1 << registers.widths["SELECTED_LEVEL"] if "SELECTED_LEVEL" in registers.addresses else 1


def _has_dscps(registers: RegisterMap) -> bool:
    return "DSCP_QUEUE" in registers.addresses


def notes_of_colours(switch: Switch, port: str, colours: profile.Colours) -> list[str]:
    """Where the port's profiles have numbers for a colour that no packet has."""
    there, notes = {colours.of(dscp) for dscp in profile.DSCPS}, list[str]()
    for name in _port(switch, port)[2]:
        its = switch.profiles[name]
        without = [colour for colour in profile.COLOURS if colour not in there and its[colour] != its["green"]]
        if without:
            why = f"no DSCP is {without[0]}" if colours else "all packets are green"
            notes.append(
                f"WRED_PROFILE|{name}: its numbers for {' and '.join(without)} packets hold for none, as {why}"
            )
    return notes


def _port(switch: Switch, name: str) -> tuple[str, dict[int, queue.Queue], list[str]]:
    """Its name, its queues, and the names of the profiles that these have: all profiles where the file says no queue."""
    if switch.ports:
        name = _choice("port", name, switch.ports)
    queues = switch.ports.get(name, {})
    return name, queues, sorted({its.profile for its in queues.values() if its.profile} if queues else switch.profiles)


def _with_shares(switch: Switch, port: str, queues: Mapping[int, queue.Queue]) -> dict[int, queue.Queue]:
    """Those of a port, and those of which the file says a share of the buffer and nothing else."""
    return {number: queues.get(number, queue.Queue()) for number in sorted({*queues, *switch.alphas.get(port, {})})}


def _set(registers: RegisterMap, values: Mapping[str, int], of: str) -> Iterable[Word]:
    """A set of parameters, and its COMMIT."""
    for name, raw in values.items():
        yield Word(registers.parameter(name).address, raw, name, of)
    yield Word(registers.addresses["COMMIT"], 1, "COMMIT", of)


def _choice(what: str, name: str, among: Iterable[str]) -> str:
    known = sorted(among)
    if name in known:
        return name
    raise UserError(
        f"there is no {what} '{name}'; there are: {', '.join(known)}"
        if name
        else f"say which {what}: {', '.join(known)}"
    )
