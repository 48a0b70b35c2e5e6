# SPDX-License-Identifier: Apache-2.0
"""Rows of DSCP_TO_TC_MAP, TC_TO_QUEUE_MAP and PORT_QOS_MAP: in which of a port's queues a frame waits, by its DSCP.

A switch finds a frame's traffic class where it comes in and its queue where it leaves; a datapath here is one port, and takes
both from the row of that port. What the file leaves open is as SAI has it: a port without a map of its own takes the switch's
(`global`), a DSCP without a class has class 0, and a class without a queue the queue of its number.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sluice.driver.sonic.profile import DSCPS
from sluice.driver.sonic.table import Row, named, number

_CLASSES = range(16)
_QUEUES = range(1 << 10)
_GLOBAL = "global"
_REST = (
    *("dscp_to_tc_map", "tc_to_queue_map"),
    *("tc_to_pg_map", "pfc_to_pg_map", "pfc_to_queue_map", "pfc_enable", "pfcwd_sw_enable", "scheduler"),
    *("dot1p_to_tc_map", "mpls_tc_to_tc_map", "tc_to_dot1p_map", "tc_to_dscp_map", "dscp_to_fc_map", "exp_to_fc_map"),
)

Numbers = Mapping[int, int]


def numbers(rows: Mapping[str, Row], keys: range, values: range) -> dict[str, Numbers]:
    """Rows whose fields are numbers, and say a number each."""
    found: dict[str, Numbers] = {}
    for name, row in rows.items():
        its = dict[int, int]()
        for field in row.fields:
            try:
                key = number(keys[0], keys[-1])(field)
            except ValueError as error:
                raise row.mistake(f"has a field '{field}', which {error}") from None
            its[key] = row.take(field, number(values[0], values[-1]), 0)
        found[name] = its
    return found


def classes(rows: Mapping[str, Row]) -> dict[str, Numbers]:
    """The class of each DSCP, by the map's name."""
    return numbers(rows, DSCPS, _CLASSES)


def queues(rows: Mapping[str, Row]) -> dict[str, Numbers]:
    """The queue of each class, by the map's name."""
    return numbers(rows, _CLASSES, _QUEUES)


def of_ports(
    rows: Mapping[str, Row], of_dscp: Mapping[str, Numbers], of_class: Mapping[str, Numbers], others: Iterable[str]
) -> dict[str, dict[int, int]]:
    """The queue of each DSCP, of each port that has a row, and of others; none where neither of the two maps is said."""
    read = {}
    for key, row in rows.items():
        maps = (
            named(row, "dscp_to_tc_map", "DSCP_TO_TC_MAP", of_dscp),
            named(row, "tc_to_queue_map", "TC_TO_QUEUE_MAP", of_class),
        )
        row.finish(_REST)
        for port in key.split(","):
            if port in read:
                raise row.mistake(f"{port} has another row")
            read[port] = maps
    general = read.pop(_GLOBAL, ("", ""))
    found: dict[str, dict[int, int]] = {}
    for port in {**read, **dict.fromkeys(others)}:
        dscp_map, class_map = read.get(port, ("", ""))
        dscps, its_queues = of_dscp.get(dscp_map or general[0]), of_class.get(class_map or general[1], {})
        is_said = dscps is not None or its_queues
        by_dscp = {dscp: (dscps or {}).get(dscp, 0) for dscp in DSCPS if is_said}
        found[port] = {dscp: its_queues.get(its, its) for dscp, its in by_dscp.items()}
    return found
