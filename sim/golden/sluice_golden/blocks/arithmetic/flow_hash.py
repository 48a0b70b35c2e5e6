# SPDX-License-Identifier: Apache-2.0
"""Exact model of the flow id: Toeplitz hash over the key, a tag for its kind, and a one-to-one mixer.

The hash is the published one of receive-side scaling; the mixer is B. Jenkins' 32-bit integer hash.
"""

from __future__ import annotations

from sluice_golden.packets.frame_parser import Seen

MASK = 0xFFFFFFFF
MODES = ("five_tuple", "three_tuple", "tunnel", "prefix", "vlan")
TUNNEL_CODES = {"gtp": 1, "pppoe": 2, "vxlan": 3, "geneve": 4, "gre": 5, "l2tp": 6}
PORTS, ADDRESSES, TUNNEL, PREFIX, VLAN, LINK = range(6)
IPV6 = 0x8000


def toeplitz(secret: bytes, key: bytes) -> int:
    """XOR of the 32 secret bits that begin at each set bit of the key."""
    bits = int.from_bytes(secret, "big")
    width = 8 * len(secret)
    result = 0
    for position in range(8 * len(key)):
        if key[position // 8] & 0x80 >> position % 8:
            result ^= bits >> width - 32 - position & MASK
    return result


def mix(a: int) -> int:
    """A bijection of 32-bit words."""
    a = (a + 0x7ED55D16) + (a << 12) & MASK
    a = a ^ 0xC761C23C ^ a >> 19
    a = (a + 0x165667B1) + (a << 5) & MASK
    a = ((a + 0xD3A2646C) ^ (a << 9)) & MASK
    a = (a + 0xFD7046C5) + (a << 3) & MASK
    return a ^ 0xB55A4F09 ^ a >> 16


def flow_key(frame: bytes, seen: Seen, mode: str, prefixes: tuple[int, int] = (24, 56)) -> tuple[bytes, int]:
    """Key bytes and tag of a frame. `prefixes`: source prefix lengths of IPv4 and IPv6.

    Zeros follow a key, so that the tag of one with addresses says which they are.
    """
    version = IPV6 if seen.version == 6 else 0
    source = seen.source.packed if seen.source else b""
    destination = seen.destination.packed if seen.destination else b""
    if mode == "vlan" and seen.vlan_ids:
        first, second = (*seen.vlan_ids, 0)[:2]
        return (first << 12 | second).to_bytes(3, "big"), len(seen.vlan_ids) * 2 - 1 << 4 | VLAN
    if mode == "prefix" and seen.source:
        width = 8 * len(source)
        wanted = min(prefixes[0 if seen.version == 4 else 1], width)
        kept = int.from_bytes(source, "big") >> width - wanted << width - wanted
        return kept.to_bytes(len(source), "big"), version | PREFIX
    if mode == "tunnel" and seen.tunnel and (not seen.is_fragment or seen.tunnel[0] == "pppoe"):
        name, number = seen.tunnel
        scope = destination if name in {"gtp", "gre", "l2tp"} else b""
        return number.to_bytes(4, "big") + scope, (version if scope else 0) | TUNNEL_CODES[name] << 4 | TUNNEL
    if seen.ports and not seen.is_fragment and mode != "three_tuple":
        assert seen.protocol is not None
        ports = b"".join(port.to_bytes(2, "big") for port in seen.ports)
        return source + destination + ports, version | seen.protocol << 4 | PORTS
    if seen.source:
        assert seen.protocol is not None
        protocol = 44 if seen.version == 6 and seen.is_fragment else seen.protocol
        return source + destination, version | protocol << 4 | ADDRESSES
    return frame[:12] + (seen.ethertype or 0).to_bytes(2, "big") if len(frame) >= 14 else b"", LINK


def flow_id(secret: bytes, key: bytes, tag: int) -> int:
    """The flow id of a key."""
    return mix(toeplitz(secret, key) ^ tag)
