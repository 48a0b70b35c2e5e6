# SPDX-License-Identifier: Apache-2.0
"""A host that looks at a tile's counters while packets come: it selects a queue, copies all counters at one instant, reads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence

    import numpy as np

    from sluice.hardware.registers import RegisterMap
    from sluice_golden.core import Packet
    from sluice_golden.tile.model import TileModel

ACCESS = 40
"""Clocks from one access to the next, enough for its answer."""
SELECTING = 1500
"""Clocks from the selecting to the copy."""
COUNTED = 2
"""Clocks from that to the last whose packets are in the copy."""
_SELECTED = "selected_"


@dataclass(frozen=True, slots=True)
class Look:
    """One of them. Its clocks are those of the traffic."""

    clock: int
    queue: int

    @property
    def copied(self) -> int:
        """The last clock whose packets are in the copy."""
        return self.clock + SELECTING + COUNTED


class Reader:
    """Puts looks into the rows of a tile's inputs, and finds the answers."""

    def __init__(self, known: RegisterMap) -> None:
        self._known = known
        self._has_queues = any(name.startswith(_SELECTED) for name in known.counters)

    @property
    def clocks(self) -> int:
        """Of a look, from its beginning to its last answer."""
        return SELECTING + ACCESS * (2 * len(self._known.counters) + 3)

    def write(self, inputs: dict[str, np.ndarray], begin: int, look: Look) -> None:
        """`begin` is the row of the traffic's first clock."""
        row = begin + look.clock
        if self._has_queues:
            write_word(inputs, row, self._known.addresses["QUEUE_SELECT"], look.queue)
        row += SELECTING
        write_word(inputs, row, self._known.addresses["SNAPSHOT"], 1)
        words = [self._known.addresses["SNAPSHOT"]]
        words += [address + high for address in self._known.counters.values() for high in (0, 4)]
        for i, address in enumerate(words, 1):
            inputs["s_axil_arvalid"][row + ACCESS * i] = 1
            inputs["s_axil_araddr"][row + ACCESS * i] = address

    @property
    def writes(self) -> int:
        """Of a look."""
        return 1 + self._has_queues

    def read(self, answers: list[int]) -> list[dict[str, int]]:
        """The counters of each look, without those of the queue where they could not be copied."""
        each = 1 + 2 * len(self._known.counters)
        assert len(answers) % each == 0
        return [self._counters(answers[i : i + each]) for i in range(0, len(answers), each)]

    def _counters(self, words: list[int]) -> dict[str, int]:
        is_missing, lows, highs = words[0], words[1::2], words[2::2]
        read = {name: low | high << 32 for name, low, high in zip(self._known.counters, lows, highs, strict=True)}
        return {name: value for name, value in read.items() if not (is_missing and name.startswith(_SELECTED))}


def looks_along(offered: Sequence[Packet | None], known: RegisterMap, rng: random.Random) -> list[Look]:
    """One after the other, each at a queue that has packets then."""
    clocks = Reader(known).clocks
    looks = []
    for clock in range(0, len(offered) - clocks, clocks):
        near = [packet.queue for packet in offered[clock : clock + SELECTING] if packet]
        looks.append(Look(clock, rng.choice(near or [0])))
    return looks


def counters_of(model: TileModel, queue: int) -> dict[str, int]:
    """What the registers are to show of a model's state."""
    of_queue = {_SELECTED + name: value for name, value in model.counters.of_each[queue].items()}
    return model.counters | {"queue_packets": model.packets, "queue_bytes": model.bytes} | of_queue


def compare(clock: int, read: dict[str, int], expected: dict[str, int]) -> None:
    """Every counter that was read; those of a queue add up."""
    differing = {name: (value, expected.get(name, 0)) for name, value in read.items() if value != expected.get(name, 0)}
    assert not differing, f"clock {clock}: counters, read and expected: {differing}"
    check_sums(read)


def check_sums(read: dict[str, int]) -> None:
    """What a queue accepted is queued or has departed, where one was read."""
    for unit in ("packets", "bytes") if f"{_SELECTED}packets" in read else ():
        rest = read[f"{_SELECTED}{unit}"] + read[f"{_SELECTED}departed_{unit}"]
        assert read[f"{_SELECTED}accepted_{unit}"] == rest, read


def write_word(inputs: dict[str, np.ndarray], row: int, address: int, value: int) -> None:
    """A write of one clock: the registers take address and word when they have nothing to do."""
    inputs["s_axil_awvalid"][row] = inputs["s_axil_wvalid"][row] = 1
    inputs["s_axil_awaddr"][row] = address
    inputs["s_axil_wdata"][row], inputs["s_axil_wstrb"][row] = value, 15
