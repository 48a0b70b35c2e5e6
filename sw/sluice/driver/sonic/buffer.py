# SPDX-License-Identifier: Apache-2.0
"""Rows of BUFFER_PROFILE and BUFFER_QUEUE: what part of what is free in the buffer each queue of a port may hold."""

from __future__ import annotations

from collections.abc import Mapping

from sluice.driver.sonic.table import Row, named, of_ports, one_of

UNIT = 9
"""The tile's code of an alpha of 1; `dynamic_th` is alpha's logarithm to the base of 2."""
_LEAST, _MOST = -8, 7
_REST = ("pool", "size", "static_th", "xon", "xoff", "xon_offset", "headroom_type", "packet_discard_action")


def alphas(rows: Mapping[str, Row]) -> dict[str, int]:
    """The code of each profile by its name; 0: it has none."""
    powers = one_of(*map(str, range(_LEAST, _MOST + 1)))
    found = {}
    for name, row in rows.items():
        power = row.take("dynamic_th", powers, "")
        row.finish(_REST)
        found[name] = UNIT + int(power) if power else 0
    return found


def of_queues(rows: Mapping[str, Row], of_profile: Mapping[str, int]) -> dict[str, dict[int, int]]:
    """The code of each queue of each port."""

    def read(row: Row) -> int:
        profile = named(row, "profile", "BUFFER_PROFILE", of_profile)
        row.finish()
        return of_profile[profile] if profile else 0

    return of_ports(rows, read)
