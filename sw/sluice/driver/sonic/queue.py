# SPDX-License-Identifier: Apache-2.0
"""Rows of QUEUE and SCHEDULER: which profile each queue of a port has, and what share of the link."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sluice.driver.sonic.table import Row, named, number, of_ports, one_of

FRAME = 1514
"""Bytes that the queue of the least weight may send in a round: a full frame."""
_SHAPING = ("meter_type", "cir", "cbs", "pir", "pbs", "priority")


@dataclass(frozen=True, slots=True)
class Queue:
    """What a queue is set to; no name where nothing is said."""

    profile: str = ""
    scheduler: str = ""


@dataclass(frozen=True, slots=True)
class Scheduler:
    """What a row of SCHEDULER says of the queues that have it."""

    weight: int = 0
    """0: it says none."""
    is_strict: bool = False


def schedulers(rows: Mapping[str, Row]) -> dict[str, Scheduler]:
    """Each by its name."""
    found = {}
    for name, row in rows.items():
        kind = row.take("type", one_of("DWRR", "WRR", "STRICT"), "")
        weight = row.take("weight", number(1, 100), 0)
        row.finish(_SHAPING)
        if kind == "WRR":
            row.note("weights of packets become weights of bytes")
        found[name] = Scheduler(1, is_strict=True) if kind == "STRICT" else Scheduler(weight)
    return found


def levels(queues: Mapping[int, Queue], of_scheduler: Mapping[str, Scheduler], number: int) -> dict[int, int]:
    """The level of each queue of strict priority, of so many: the higher its number, the higher, and all above the other queues,
    which have the lowest. Where there are not levels enough, the lowest of them share one."""
    strict = sorted(n for n, queue in queues.items() if queue.scheduler and of_scheduler[queue.scheduler].is_strict)
    least = min(1, len(queues) - len(strict))
    return {queue: max(least, number - len(strict) + place) for place, queue in enumerate(strict)}


def quanta(queues: Mapping[int, Queue], of_scheduler: Mapping[str, Scheduler], most: int) -> dict[int, int]:
    """Bytes that each queue with a weight may send in a round."""
    found = {number: of_scheduler[queue.scheduler].weight for number, queue in queues.items() if queue.scheduler}
    least = min((weight for weight in found.values() if weight), default=1)
    return {number: min(most, weight * FRAME // least) for number, weight in found.items() if weight}


def of_queues(
    rows: Mapping[str, Row], profiles: Mapping[str, object], schedulers: Mapping[str, object]
) -> dict[str, dict[int, Queue]]:
    """The queues of each port, by their numbers."""

    def read(row: Row) -> Queue:
        queue = Queue(
            named(row, "wred_profile", "WRED_PROFILE", profiles), named(row, "scheduler", "SCHEDULER", schedulers)
        )
        row.finish()
        return queue

    return of_ports(rows, read)
