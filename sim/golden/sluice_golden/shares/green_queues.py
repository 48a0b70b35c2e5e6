# SPDX-License-Identifier: Apache-2.0
"""GREEN of two queues, as its paper proposes: compliant flows, whose round-trip time is known, in one, and the others in the
other. Each queue has the part of the link that its flows are of all flows.

N1 compliant flows and N2 others are counted for themselves. What GREEN does is to the first queue alone: only what overflows
there lowers gamma, and the utilisation is the lower one of two, the link's and that which the link would have had if all flows
had sent as much as the compliant ones. So gamma rises where the compliant flows leave some of their share, and where nobody
takes what the others leave of theirs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sluice_golden.blocks.cardinality.min_count import FLOWS_FRACTION
from sluice_golden.shares.green import Green
from sluice_golden.shares.green_window import Window, divide

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence
    from typing import Self

    from sluice_golden.core import Arrival, Departed, Packet, Settled

COMPLIANT, OTHERS = 0, 1
_BYTES_BITS, _QUANTUM_BITS = 40, 20
_ONE_FLOW = 1 << FLOWS_FRACTION


def departed_evenly(compliant_bytes: int, flows: tuple[int, int]) -> int:
    """Bytes of all flows, had each sent as much as the compliant ones; the most of all if there are none of these."""
    return divide(compliant_bytes * sum(flows), flows[COMPLIANT], _BYTES_BITS)


def quanta(quantum: int, flows: tuple[int, int]) -> tuple[int, int]:
    """Bytes that each queue sends on its turn: so many that of fewer flows. A queue of none counts as one of one."""
    fewer, more = sorted(max(number, _ONE_FLOW) for number in flows)
    larger = divide(more * quantum, fewer, _QUANTUM_BITS)
    return (quantum, larger) if flows[COMPLIANT] < flows[OTHERS] else (larger, quantum)


@dataclass(frozen=True, slots=True)
class _Shares:
    """What the scheduler does until the next window is over, and N2 of the last one, Q14.8."""

    others: int = 0
    quanta: tuple[int, int] = (1514, 1514)


class Green2Queues(Green):
    """With MINCOUNT's estimates of both numbers of flows."""

    name = "green-2q"
    queues = 2
    chooses_queue = True
    gives_quanta = True

    def __init__(self) -> None:
        super().__init__()
        self.others = self.make_counter()
        self.of_compliant = Window()
        self.shares = _Shares()
        self._counted = (0, 0)
        self._shares_next = self.shares

    @staticmethod
    def defaults() -> dict[str, int]:
        return Green.defaults() | {"quantum": 1514}

    def queue_of(self, packet: Packet) -> int:
        return COMPLIANT if packet.rtt_us else OTHERS

    def quanta(self) -> tuple[int, ...]:
        return self.shares.quanta

    def count(self, arrival: Arrival) -> None:
        (self.flows, self.others)[arrival.queue].arrive(arrival.flow)

    def end_window(self, now_ns: int) -> tuple[Window, int]:
        of_compliant, self.of_compliant = self.of_compliant, Window()
        window, compliant = super().end_window(now_ns)
        self._counted = min(compliant, self.rate.MOST_FLOWS), min(self.others.end(), self.rate.MOST_FLOWS)
        evenly = departed_evenly(of_compliant.departed, self._counted)
        return replace(window, departed=min(window.departed, evenly)), sum(self._counted)

    def settled(self, settled: Settled) -> None:
        if settled.queue == COMPLIANT:
            super().settled(settled)

    def departed(self, departed: Departed) -> None:
        super().departed(departed)
        if departed.queue == COMPLIANT:
            self.of_compliant.depart(departed.size)

    def found_queues_empty(self, now_ns: int, queues: Sequence[int]) -> None:
        """Nothing changes."""

    def tick(self, kind: str, now_ns: int) -> None:
        super().tick(kind, now_ns)
        if self._next:
            self._shares_next = _Shares(self._counted[OTHERS], quanta(self.parameters["quantum"], self._counted))

    def settle(self, kind: str) -> None:
        super().settle(kind)
        self.shares = self._shares_next

    def status(self) -> dict[str, int]:
        compliant, others = self.shares.quanta
        own = {"others": self.shares.others, "quantum_compliant": compliant, "quantum_others": others}
        return super().status() | own

    def of_counters(self) -> dict[str, int]:
        return super().of_counters() | {f"others_{name}": value for name, value in self.others.view.items()}

    # --- for tests ---

    def fork(self) -> Self:
        other = super().fork()
        other.others, other.of_compliant = self.others.fork(), self.of_compliant.fork()
        return other

    def pause_ns(self, rng: random.Random) -> int:
        """Up to a quarter of an hour, far beyond the longest window: a reset, which longer times need, ends what was counted."""
        return rng.getrandbits(rng.randint(0, 40))
