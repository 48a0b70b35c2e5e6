# SPDX-License-Identifier: Apache-2.0
"""What a kind of queue discipline is to tc, and how one is printed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sluice.driver.tc import numbers
from sluice.driver.tc.cells import Cell, as_json, as_text, cell, counted, text_only
from sluice.driver.tc.reading import Reading

_FIRST_HANDLE = 0x8001
_NO_REQUEUES = 0


@dataclass(frozen=True)
class Kind:
    """A queue discipline that a datapath's algorithm has the words of; both have one name."""

    name: str
    settings: Callable[[Sequence[str]], dict[str, float]]
    """Parameters of the datapath, in their units, that the words of a command line say."""
    options: Callable[[Reading, bool], list[Cell]]
    """What is set; with details, if wanted."""
    drops: Sequence[str]
    """Counters of dropped packets."""
    overlimits: Sequence[str]
    """Counters of decisions that Linux counts so."""
    statistics: Callable[[Reading], list[Cell]]
    """What it counts besides what all count."""


@dataclass(frozen=True)
class Shown:
    """A queue discipline as it is printed."""

    head: list[Cell]
    options: list[Cell]
    statistics: list[Cell]

    @property
    def text(self) -> str:
        """Lines."""
        return f"qdisc {as_text(self.head)}{as_text(self.options)}\n{as_text(self.statistics)}"

    @property
    def json(self) -> str:
        """An object."""
        parts = [as_json(self.head), f'"options":{{{as_json(self.options)}}}', as_json(self.statistics)]
        return "{" + ",".join(part for part in parts if part) + "}"


def show(
    kind: Kind, number: int, reading: Reading, device: str = "", *, details: bool = False, statistics: bool = False
) -> Shown:
    """The queue discipline of a direction of that number; `device` is its name where the user has not named it."""
    head = [
        cell("kind", kind.name, "{}"),
        cell("handle", f"{_FIRST_HANDLE + number:x}:", " {} "),
        *([cell("dev", device, "dev {} ")] if device else []),
        Cell("root", value=True, text="root "),
        cell("refcnt", 2, "refcnt {} "),
    ]
    counts = [*_basic(kind, reading), *kind.statistics(reading), text_only("\n")] if statistics else []
    return Shown(head, kind.options(reading, details), counts)


def _basic(kind: Kind, reading: Reading) -> list[Cell]:
    """What every queue discipline counts."""
    counters = reading.counters
    backlog = counters["queue_bytes"] % 2**32
    return [
        cell("bytes", counters["departed_bytes"], " Sent {} bytes"),
        cell("packets", counters["departed_packets"], " {} pkt"),
        counted("drops", reading.total(*kind.drops), " (dropped {}"),
        counted("overlimits", reading.total(*kind.overlimits), ", overlimits {}"),
        counted("requeues", _NO_REQUEUES, " requeues {}) \n"),
        Cell("backlog", backlog, f" backlog {numbers.size_text(backlog)}"),
        counted("qlen", counters["queue_packets"], " {}p"),
        text_only(f" requeues {_NO_REQUEUES}\n"),
    ]
