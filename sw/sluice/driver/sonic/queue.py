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


def weights(rows: Mapping[str, Row]) -> dict[str, int]:
    """The weight of each scheduler by its name; 0: it has none."""
    found = {}
    for name, row in rows.items():
        kind = row.take("type", one_of("DWRR", "WRR", "STRICT"), "")
        weight = row.take("weight", number(1, 100), 0)
        row.finish(_SHAPING)
        if kind == "STRICT":
            row.note("queues of strict priority take their turns as others do, with a weight of 1")
            weight = 1
        if kind == "WRR":
            row.note("weights of packets become weights of bytes")
        found[name] = weight
    return found


def quanta(queues: Mapping[int, Queue], of_scheduler: Mapping[str, int], most: int) -> dict[int, int]:
    """Bytes that each queue with a weight may send in a round."""
    found = {number: of_scheduler[queue.scheduler] for number, queue in queues.items() if queue.scheduler}
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
