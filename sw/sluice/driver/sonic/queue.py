# SPDX-License-Identifier: Apache-2.0
"""Rows of QUEUE and SCHEDULER: which profile each queue of a port has, and what share of the link."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from sluice.driver.sonic.table import Row, number, one_of
from sluice.support.errors import UserError

FRAME = 1514
"""Bytes that the queue of the least weight may send in a round: a full frame."""
_KEY = re.compile(r"(?P<ports>[^|]+)\|(?P<first>\d+)(-(?P<last>\d+))?")
_SHAPING = ("meter_type", "cir", "cbs", "pir", "pbs", "priority")


@dataclass(frozen=True, slots=True)
class Queue:
    """What a queue is set to; no name where nothing is said."""

    profile: str
    scheduler: str


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


def of_ports(
    rows: Mapping[str, Row], profiles: Mapping[str, object], schedulers: Mapping[str, object]
) -> dict[str, dict[int, Queue]]:
    """The queues of each port, by their numbers."""
    found: dict[str, dict[int, Queue]] = {}
    for key, row in rows.items():
        queue = Queue(
            _named(row, "wred_profile", "WRED_PROFILE", profiles), _named(row, "scheduler", "SCHEDULER", schedulers)
        )
        row.finish()
        match = _KEY.fullmatch(key)
        if not match:
            raise UserError(f"QUEUE|{key}: a port and the number of a queue are expected, or a range of them")
        first, last = int(match["first"]), int(match["last"] or match["first"])
        if first > last:
            raise UserError(f"QUEUE|{key}: the range is empty")
        for port in match["ports"].split(","):
            its = found.setdefault(port, {})
            for number_ in range(first, last + 1):
                if number_ in its and its[number_] != queue:
                    raise UserError(f"QUEUE|{key}: queue {number_} of {port} is set twice, and not to the same")
                its[number_] = queue
    return found


def _named(row: Row, field: str, table: str, known: Mapping[str, object]) -> str:
    """The row of another table that a field names, by its name or in the older form `[TABLE|name]`."""

    def read(text: str) -> str:
        name = text.removeprefix(f"[{table}|").removesuffix("]") if text.startswith("[") else text
        if name not in known:
            raise ValueError(f"names no row of {table}")
        return name

    return row.take(field, read, "")
