# SPDX-License-Identifier: Apache-2.0
"""A port of a config_db.json as the words that a tile takes, in the order in which they are to be written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sluice.driver.sonic import buffer, profile, queue, table
from sluice.driver.sonic.table import Row
from sluice.hardware.registers import RegisterMap
from sluice.support.errors import UserError

_READ = ("WRED_PROFILE", "QUEUE", "SCHEDULER", "BUFFER_PROFILE", "BUFFER_QUEUE")


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
    """What a file says, and what of it is not carried."""

    profiles: dict[str, dict[str, int]]
    ports: dict[str, dict[int, queue.Queue]]
    alphas: dict[str, dict[int, int]]
    weights: dict[str, int]
    notes: list[str] = field(default_factory=list)


def load(file: Path, colour: str) -> Switch:
    """What is read of a file's tables."""
    tables, notes = table.load(file), list[str]()
    if "WRED_PROFILE" not in tables:
        raise UserError(f"{file} has no table WRED_PROFILE")
    profiles = {name: profile.read(row, colour) for name, row in Row.all(tables, "WRED_PROFILE", notes).items()}
    weights = queue.weights(Row.all(tables, "SCHEDULER", notes))
    ports = queue.of_queues(Row.all(tables, "QUEUE", notes), profiles, weights)
    alphas = buffer.of_queues(
        Row.all(tables, "BUFFER_QUEUE", notes), buffer.alphas(Row.all(tables, "BUFFER_PROFILE", notes))
    )
    ports = {port: ports.get(port, {}) for port in [*ports, *alphas]}
    notes += [f"{name}: the table is not read" for name in sorted(tables.keys() - {*_READ})]
    return Switch(profiles, ports, alphas, weights, notes)


def of_one_profile(switch: Switch, registers: RegisterMap, name: str) -> list[Word]:
    """Of a tile with one queue."""
    return list(_set(registers, switch.profiles[_choice("profile", name, switch.profiles)], name))


def of_port(switch: Switch, registers: RegisterMap, port: str) -> list[Word]:
    """Of a tile with many queues. Profile 0 stays as it is after a reset: queues without one have it."""
    queues, alphas = dict[int, queue.Queue](), dict[int, int]()
    if switch.ports:
        port = _choice("port", port, switch.ports)
        queues, alphas = switch.ports[port], switch.alphas.get(port, {})
    used = sorted({its.profile for its in queues.values() if its.profile} if queues else switch.profiles)
    queues = {number: queues.get(number, queue.Queue()) for number in sorted({*queues, *alphas})}
    most_queues = 1 << registers.widths["QUEUE_SELECT"]
    if beyond := [number for number in queues if number >= most_queues]:
        raise UserError(f"{registers.config} has {most_queues} queues, and {port} has one of the number {beyond[0]}")
    most = (1 << registers.parameter("profile").width) - 1
    if len(used) > most:
        raise UserError(
            f"{registers.config} has {most} profiles beside that of queues without one, and {len(used)} are wanted"
        )
    numbers = {name: number for number, name in enumerate(used, 1)}
    words = [
        word
        for name, number in numbers.items()
        for word in _set(registers, {"profile": number, **switch.profiles[name]}, name)
    ]
    quanta = queue.quanta(queues, switch.weights, (1 << registers.widths["SELECTED_QUANTUM"]) - 1)
    for number, its in queues.items():
        values = {
            "QUEUE_SELECT": number,
            "SELECTED_PROFILE": numbers.get(its.profile, 0),
            "SELECTED_QUANTUM": quanta.get(number, 0),
            "SELECTED_ALPHA": alphas.get(number, 0),
        }
        words += [Word(registers.addresses[name], word, name, f"queue {number}") for name, word in values.items()]
    return words


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
