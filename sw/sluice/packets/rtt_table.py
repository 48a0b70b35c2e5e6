# SPDX-License-Identifier: Apache-2.0
"""The table of round-trip times by source and destination prefix in a datapath whose core asks for them: filled from here.

A pair of prefixes stands under a hash of 32 bits in either of two tables, at a place that nine bits of the hash name. Where
both of a pair's places are taken, others move to their second places (cuckoo hashing).
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping
from ipaddress import IPv4Network, IPv6Network
from typing import NamedTuple

from sluice.hardware.registers import Bus, RegisterMap
from sluice.support.errors import UserError

_PLACE_BITS = 9
PLACES = 1 << _PLACE_BITS
"""Of each table."""

TABLES = 2
_MOST_MOVES = 500
_PREFIX_BYTES = 8


class Pair(NamedTuple):
    """Source and destination prefix, of one version and of the lengths that the datapath is set to."""

    source: IPv4Network | IPv6Network
    destination: IPv4Network | IPv6Network

    @property
    def hash(self) -> int:
        """What the datapath knows the pair by: the CRC-32 of version and prefixes."""
        prefixes = (net.network_address.packed[:_PREFIX_BYTES].ljust(_PREFIX_BYTES, b"\0") for net in self)
        return zlib.crc32(bytes([self.source.version]) + b"".join(prefixes))


def placed(hashes: Iterable[int]) -> dict[tuple[int, int], int]:
    """A table and a place in it for each hash; a user error if they do not all find one."""
    taken: dict[tuple[int, int], int] = {}
    for entering in hashes:
        moving, table = entering, 0
        for _ in range(_MOST_MOVES):
            free = next((t for t in range(TABLES) if (t, _place(moving, t)) not in taken), None)
            table = table if free is None else free
            at = (table, _place(moving, table))
            settled, moving = moving, taken.get(at, -1)
            taken[at] = settled
            if free is not None:
                break
            table = 1 - table  # what was there goes to its other place
        else:
            raise UserError(f"the table of round-trip times has no room for all pairs; {len(taken)} fit")
    return taken


def _place(hashed: int, table: int) -> int:
    return hashed >> _PLACE_BITS * table & PLACES - 1


def fill(bus: Bus, registers: RegisterMap, times_us: Mapping[Pair, int]) -> None:
    """Write the whole table anew: the time in us of each pair. The datapath's prefix lengths are set to theirs by who calls."""
    by_hash = {pair.hash: us for pair, us in times_us.items()}
    if len(by_hash) < len(times_us):
        raise UserError("two pairs of prefixes have one hash; leave one out")
    taken = placed(by_hash)
    for table in range(TABLES):
        for place in range(PLACES):
            hashed = taken.get((table, place), place << _PLACE_BITS * table)
            bus.write(registers.addresses["RTT_PAIR"], hashed)
            bus.write(registers.addresses[f"RTT_TIME{table}"], by_hash.get(hashed, 0) if (table, place) in taken else 0)
