# SPDX-License-Identifier: Apache-2.0
"""A look at a datapath's registers, and what two of them say of the time between."""

from __future__ import annotations

import time
from dataclasses import dataclass

from sluice.driver.directions import Direction

_COUNTER = 1 << 48
"""Counters begin anew there."""


@dataclass(frozen=True)
class Look:
    """What registers said, the counters of one instant; status and parameters in their units."""

    at_s: float
    counters: dict[str, int]
    status: dict[str, float]
    parameters: dict[str, float]

    @property
    def wait_s(self) -> float | None:
        """How long the link takes for what is queued, which a packet that comes now waits for; None where no rate is set."""
        its = self.parameters
        bytes_ = self.counters["queue_bytes"] + its["overhead"] * self.counters["queue_packets"]
        return bytes_ * its["ns_per_byte"] * 1e-9 if its["ns_per_byte"] else None

    def by_reason(self, direction: Direction, action: str) -> dict[str, int]:
        """Counts of the reasons for "drop" or "mark", by name, such as "overlimit"."""
        registers = direction.registers
        names = {address: name for name, address in registers.counters.items()}
        reasons = (names[address] for address in registers.reasons.values())
        suffix = f"_{action}"
        return {name.removesuffix(suffix): self.counters[name] for name in reasons if name.endswith(suffix)}


def take(direction: Direction) -> Look:
    """Looks in one message, with nobody else's accesses between."""
    its = direction.registers
    status, parameters = list(its.status.values()), list(its.parameters.values())
    addresses = [address + high for address in its.counters.values() for high in (0, 4)]
    addresses += [field.address for field in status]
    addresses += [field.address + its.in_force_offset for field in parameters]
    _, *words = direction.device.batch([(its.addresses["SNAPSHOT"], 1), *((address, None) for address in addresses)])
    at_s, rest = time.monotonic(), iter(words)
    return Look(
        at_s,
        {name: next(rest) | next(rest) << 32 for name in its.counters},
        {field.name: field.value(next(rest)) for field in status},
        {field.name: field.value(next(rest)) for field in parameters},
    )


@dataclass(frozen=True)
class Interval:
    """Between two looks at one direction."""

    direction: Direction
    begin: Look
    end: Look

    def per_s(self, counter: str) -> float:
        """How fast a counter counted."""
        counted = (self.end.counters[counter] - self.begin.counters[counter]) % _COUNTER
        return counted / (self.end.at_s - self.begin.at_s)

    def values(self) -> dict[str, float]:
        """What is to be seen, in the order in which it is shown: names have units."""
        queue, wait_s = self.end.counters["queue_packets"], self.end.wait_s
        return {
            "in_mbps": self.per_s("received_bytes") * 8e-6,
            "out_mbps": self.per_s("departed_bytes") * 8e-6,
            "queue_packets": queue,
            **({} if wait_s is None else {"wait_ms": wait_s * 1e3}),
            **{
                f"{reason}_{action}s_per_s": self.per_s(f"{reason}_{action}")
                for action in ("drop", "mark")
                for reason in self.end.by_reason(self.direction, action)
            },
            **self.end.status,
        }
