# SPDX-License-Identifier: Apache-2.0
"""One row of text per frame with what the RTL parser saw of it, in the spelling of tshark's fields.

A field is empty where the frame does not have it. Nothing here looks at a frame's bytes.
"""

from __future__ import annotations

import socket
from typing import Any

from sluice.packets.capture import Capture
from sluice.packets.datapath import ACTIONS, HAS, OUTCOMES, RTT_OPTIONS, TUNNELS, Outcome

COLUMNS = (
    "file", "frame", "frame_len", "cap_len", "vlan_ids", "ethertype", "ip_version", "src", "dst", "proto", "sport",
    "dport", "dscp", "ecn", "is_fragment", "frag_offset", "gtp_teid", "pppoe_sid", "vxlan_vni", "geneve_vni", "l3_off",
    "ip_totlen", "ip_id", "ip_ttl", "l4_off", "tcp_flags", "time_epoch", "mpls_label", "tunnel", "tunnel_id", "outcome",
    "flow", "verdict", "reason", "departure_ns", "rtt_us", "rtt_option",
    "queue",
)  # fmt: skip
"""Columns up to `time_epoch` bear tshark's values, the others are this datapath's own."""

_OVERSIZE = ACTIONS.index("oversize")
_TUNNEL_COLUMNS = {"gtp_teid": "gtp", "pppoe_sid": "pppoe", "vxlan_vni": "vxlan", "geneve_vni": "geneve"}


def rows(
    capture: Capture, outcome: Outcome, reasons: dict[int, str], *, has_queues: bool = False
) -> list[dict[str, str]]:
    """All rows, in order. `reasons`: names of the verdicts' reason codes. `has_queues`: each frame has the number of one."""
    return [
        {
            "file": capture.name,
            "frame": str(capture.numbers[i]),
            "frame_len": str(capture.wire_length[i]),
            "cap_len": str(capture.length[i]),
            "time_epoch": f"{capture.time_ns[i] // 10**9}.{capture.time_ns[i] % 10**9:09d}",
            "departure_ns": str(outcome.departure_ns[i] or ""),
            **_fields(outcome.seen[i], reasons),
            "queue": str(outcome.seen[i]["queue"]) if has_queues and outcome.seen[i]["action"] != _OVERSIZE else "",
        }
        for i in range(len(capture))
    ]


def text(table: list[dict[str, str]]) -> str:
    """The rows as tab-separated text with a header line."""
    lines = ["\t".join(COLUMNS)]
    lines += ["\t".join(row.get(column, "") for column in COLUMNS) for row in table]
    return "\n".join(lines) + "\n"


def _fields(seen: Any, reasons: dict[int, str]) -> dict[str, str]:
    action = ACTIONS[seen["action"]]
    if action == "oversize":
        return {"verdict": "drop", "reason": "Oversize drop"}
    bits = int(seen["has"])
    has = {name: bool(bits & bit) for name, bit in HAS.items()}
    fields = {
        "vlan_ids": ",".join(str(seen["vlan_id"][i]) for i in range(2) if has[f"vlan{i}"]),
        "ethertype": f"0x{seen['ether_type']:04x}" if has["type"] else "",
        "mpls_label": str(seen["mpls_label"]) if has["mpls"] else "",
        "outcome": OUTCOMES[seen["outcome"]],
        "flow": f"{seen['flow']:08x}",
        "rtt_us": str(seen["rtt_us"] or ""),
        "rtt_option": RTT_OPTIONS[seen["rtt_option"]] if seen["rtt_option"] else "",
        "verdict": action,
        "reason": reasons.get(int(seen["reason"]), ""),
    }
    if has["tunnel"]:
        kind = TUNNELS[seen["tunnel"]]
        fields |= {"tunnel": kind, "tunnel_id": str(seen["tunnel_id"])}
        fields |= {column: str(seen["tunnel_id"]) for column, name in _TUNNEL_COLUMNS.items() if name == kind}
    if has["ip"]:
        fields |= _network(seen, has)
    if has["ports"]:
        fields |= {
            "sport": str(seen["source_port"]),
            "dport": str(seen["destination_port"]),
            "l4_off": _offset(seen["transport_word"], has),
        }
    if has["tcp_flags"]:
        fields["tcp_flags"] = f"0x{seen['tcp_flags']:04x}"
    return fields


def _offset(word: int, has: dict[str, bool]) -> str:
    """Place in the frame of a header at that word; behind a compressed protocol field of PPP it begins a byte earlier."""
    return str(14 + 4 * int(word) - has["shifted"])


def _network(seen: Any, has: dict[str, bool]) -> dict[str, str]:
    is_ipv6 = has["ipv6"]
    family, length = (socket.AF_INET6, 16) if is_ipv6 else (socket.AF_INET, 4)
    service = int(seen["service"])
    return {
        "ip_version": "6" if is_ipv6 else "4",
        "src": socket.inet_ntop(family, seen["source"].tobytes()[:length]),
        "dst": socket.inet_ntop(family, seen["destination"].tobytes()[:length]),
        "proto": str(seen["protocol"]) if has["protocol"] else "",
        "dscp": str(service >> 2),
        "ecn": str(service & 3),
        "is_fragment": str(int(has["fragment"])),
        "frag_offset": str(8 * int(seen["fragment_offset"])) if has["fragment"] or not is_ipv6 else "",
        "l3_off": _offset(seen["network_word"], has),
        "ip_totlen": str(seen["ip_length"]),
        "ip_id": "" if is_ipv6 else str(seen["ip_id"]),
        "ip_ttl": str(seen["ttl"]),
    }
