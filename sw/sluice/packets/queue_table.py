# SPDX-License-Identifier: Apache-2.0
"""What became of a capture, queue by queue, in a datapath of many queues.

By the datapath's own counters, where it has those of single queues; else by what it said of each frame.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.table import Table

from sluice.hardware.registers import TileDriver
from sluice.packets.datapath import ACTIONS, Datapath, Outcome

BUSIEST = 12
"""Queues that a table shows, of many."""

_COUNTED = "selected_"
_DROP, _MARK, _OVERSIZE = (ACTIONS.index(name) for name in ("drop", "mark", "oversize"))


@dataclass(frozen=True)
class QueueFate:
    """One queue: what was let in, what left, and why other packets did not or were marked, by reason."""

    queue: int
    accepted_packets: int
    accepted_bytes: int
    departed_packets: int
    departed_bytes: int
    most_packets: int
    """That it held at a time."""
    dropped: dict[str, int]
    marked: dict[str, int]


def fates(
    datapath: Datapath,
    driver: TileDriver,
    outcome: Outcome,
    length: NDArray[np.uint32],
    reasons: Sequence[Mapping[str, Any]],
) -> list[QueueFate]:
    """Of each queue that a frame came to, in the order of their numbers."""
    named = {int(reason["code"]): str(reason["name"]) for reason in reasons}
    marks = {str(reason["name"]) for reason in reasons if reason["action"] == "mark"}
    judged = outcome.seen["action"] != _OVERSIZE
    numbers = np.unique(outcome.seen["queue"][judged]).tolist()
    if driver.map.counts_queues:
        return [_counted(queue, driver.snapshot_of(queue), named.values(), marks) for queue in numbers]
    return [_seen(queue, datapath, outcome, length, named) for queue in numbers]


def _counted(queue: int, counters: Mapping[str, int], names: Iterable[str], marks: set[str]) -> QueueFate:
    by_reason = {name: counters[_COUNTED + name.lower().replace(" ", "_")] for name in names}
    own = {name: counters[_COUNTED + name] for name in QueueFate.__annotations__ if _COUNTED + name in counters}
    happened = {name: count for name, count in by_reason.items() if count}
    return QueueFate(
        queue,
        **own,
        dropped={name: count for name, count in happened.items() if name not in marks},
        marked={name: count for name, count in happened.items() if name in marks},
    )


def _seen(
    queue: int, datapath: Datapath, outcome: Outcome, length: NDArray[np.uint32], named: Mapping[int, str]
) -> QueueFate:
    action, reason = outcome.seen["action"], outcome.seen["reason"]
    its = (outcome.seen["queue"] == queue) & (action != _OVERSIZE)
    left = its & (action < _DROP)
    counts = datapath.of_queue(queue)
    by_reason = [Counter(named[int(code)] for code in reason[its & (action == what)]) for what in (_DROP, _MARK)]
    return QueueFate(
        queue,
        counts.accepted_packets,
        counts.accepted_bytes,
        int(left.sum()),
        int(length[left].sum()),
        counts.most_packets,
        *(dict(happened) for happened in by_reason),
    )


def table(rows: list[QueueFate]) -> Table:
    """The busiest queues, that to which most packets came first; and below how many others there are."""
    busiest = sorted(rows, key=lambda row: (-_offered(row), row.queue))
    shown, others = busiest[:BUSIEST], busiest[BUSIEST:]
    dropped = sorted({name for row in shown for name in row.dropped})
    marked = sorted({name for row in shown for name in row.marked})
    heads = ("queue", "accepted", "bytes", "departed", "bytes", "most queued", *dropped, *marked)
    caption = f"{len(others)} more queues with {sum(map(_offered, others))} frames" if others else None
    shape = Table(*heads, title="by queue", caption=caption)
    for row in shown:
        counts = (row.queue, row.accepted_packets, row.accepted_bytes, row.departed_packets, row.departed_bytes)
        drops, marks = (row.dropped.get(name, 0) for name in dropped), (row.marked.get(name, 0) for name in marked)
        shape.add_row(*map(str, (*counts, row.most_packets, *drops, *marks)))
    return shape


def _offered(row: QueueFate) -> int:
    """Packets that came: those that left, and those that were dropped, be it before they were let in or behind."""
    return row.departed_packets + sum(row.dropped.values())
