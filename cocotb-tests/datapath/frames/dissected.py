# SPDX-License-Identifier: Apache-2.0
"""A made capture, and what scapy's dissection says of each frame, in the columns that tshark's has."""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING

from datapath.frames.packets import MACS
from scapy.contrib.geneve import GENEVE
from scapy.contrib.gtp import GTP_U_Header
from scapy.contrib.mpls import MPLS
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.inet6 import ICMPv6EchoRequest, IPv6, IPv6ExtHdrFragment
from scapy.layers.l2 import ARP, Dot1AD, Dot1Q, Ether
from scapy.layers.ppp import PPP, PPPoE
from scapy.layers.vxlan import VXLAN
from scapy.packet import Packet, Raw

from sluice.packets import capture

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAMES = {
    Ether: "eth", Dot1Q: "vlan", Dot1AD: "ieee8021ad", MPLS: "mpls", ARP: "arp", IP: "ip", IPv6: "ipv6", TCP: "tcp",
    UDP: "udp", ICMP: "icmp", ICMPv6EchoRequest: "icmpv6", IPv6ExtHdrFragment: "ipv6.fraghdr", PPPoE: "pppoes", PPP: "ppp",
    GTP_U_Header: "gtp", VXLAN: "vxlan", GENEVE: "geneve",
}  # fmt: skip
"""Layers, and tshark's names of them."""

_TUNNELS = {
    GTP_U_Header: ("gtp_teid", "teid"),
    VXLAN: ("vxlan_vni", "vni"),
    GENEVE: ("geneve_vni", "vni"),
    PPPoE: ("pppoe_sid", "sessionid"),
}


def _frame(rng: random.Random) -> Packet:
    """A frame of some kind: link, network and transport, or a tunnel."""
    ports = {"sport": rng.randrange(20_000, 60_000), "dport": rng.randrange(60_000, 65_536)}
    service, ttl = rng.randrange(256), rng.randrange(1, 256)
    version6 = rng.random() < 0.4
    inner = IP(src="198.51.100.7", dst="192.0.2.9") / UDP(**ports)
    above: Packet = rng.choice(
        (
            TCP(**ports, flags=rng.randrange(1, 64)) / Raw(bytes(rng.randrange(60))),
            UDP(**ports) / Raw(bytes(rng.randrange(60))),
            ICMPv6EchoRequest() if version6 else ICMP(),
            UDP(sport=ports["sport"], dport=2152) / GTP_U_Header(teid=rng.getrandbits(32)) / inner,
            UDP(sport=ports["sport"], dport=4789) / VXLAN(vni=rng.getrandbits(24), flags=8) / Ether(**MACS) / inner,
            UDP(sport=ports["sport"], dport=6081) / GENEVE(vni=rng.getrandbits(24)) / Ether(**MACS) / inner,
        )
    )
    network: Packet
    if version6:
        network = IPv6(src=f"2001:db8::{rng.getrandbits(16):x}", dst="2001:db8:1::2", tc=service, hlim=ttl)
    else:
        source, later = f"10.{rng.randrange(256)}.0.{rng.randrange(1, 255)}", rng.random() < 0.1
        fragment = {"frag": rng.randrange(1, 99), "flags": "MF"} if later else {}
        network = IP(src=source, dst="203.0.113.5", tos=service, ttl=ttl, id=rng.getrandbits(16), **fragment)
        above = Raw(bytes(40)) if later else above
    tags = [Dot1Q(vlan=rng.randrange(1, 4095)) for _ in range(rng.choice((0, 0, 1, 2)))]
    link: Packet = Ether(**MACS)
    for tag in tags:
        link /= tag
    if rng.random() < 0.15:
        link = link / PPPoE(sessionid=rng.getrandbits(16)) / PPP(proto=0x57 if version6 else 0x21)
    return link / ARP() if rng.random() < 0.05 else link / network / above


def _row(packet: Packet) -> dict[str, str]:
    """What the outermost headers say; the frame is as long as it is."""
    layers = [layer for layer in packet.layers() if layer in _NAMES]
    vlans = [packet.getlayer(Dot1Q, i) for i in range(1, 3) if packet.getlayer(Dot1Q, i)]
    names = [
        "vlan_ids",
        "ethertype",
        "ip_version",
        "src",
        "dst",
        "proto",
        "sport",
        "dport",
        "dscp",
        "ecn",
        "is_fragment",
        "frag_offset",
        "gtp_teid",
        "pppoe_sid",
    ]
    names += ["vxlan_vni", "geneve_vni", "l3_off", "ip_totlen", "ip_id", "ip_ttl", "l4_off", "tcp_flags", "expert"]
    row = dict.fromkeys(names, "") | {"frame_len": str(len(packet)), "cap_len": str(len(packet))}
    row["protocols"] = ":".join(_NAMES[layer] for layer in layers)
    row["vlan_ids"] = ",".join(str(vlan.vlan) for vlan in vlans)
    row["ethertype"] = f"0x{(vlans[-1] if vlans else packet).type:04x}"
    for layer in layers:
        if layer in _TUNNELS:  # of one in another the datapath tells the outer one's number
            column, key = _TUNNELS[layer]
            row[column] = str(getattr(packet[layer], key))
            break
    network = next((packet[layer] for layer in layers if layer in {IP, IPv6}), None)
    if network is None:
        return row
    is6 = isinstance(network, IPv6)
    service = network.tc if is6 else network.tos
    row |= {"ip_version": "6" if is6 else "4", "src": network.src, "dst": network.dst}
    row |= {"proto": str(network.nh if is6 else network.proto), "dscp": str(service >> 2), "ecn": str(service & 3)}
    row |= {"l3_off": str(len(packet) - len(network)), "ip_totlen": str(network.plen if is6 else network.len)}
    row |= {"ip_id": "" if is6 else str(network.id), "ip_ttl": str(network.hlim if is6 else network.ttl)}
    is_part = not is6 and (network.frag or "MF" in network.flags)
    row |= {"is_fragment": str(int(bool(is_part))), "frag_offset": "" if is6 else str(8 * network.frag)}
    above = network.payload
    if isinstance(above, TCP | UDP):
        row |= {"sport": str(above.sport), "dport": str(above.dport), "l4_off": str(len(packet) - len(above))}
        row["tcp_flags"] = f"0x{int(above.flags):04x}" if isinstance(above, TCP) else ""
    return row


def rows(folder: Path, count: int) -> Iterator[dict[str, str]]:
    """Writes `made.pcap` into a folder; a row of each of its frames."""
    rng = random.Random(count)
    frames = [bytes(_frame(rng)) for _ in range(count)]
    capture.write(folder / "made.pcap", [10**9 + 1000 * i for i in range(count)], frames)
    for number, frame in enumerate(frames, 1):
        yield {"file": "made.pcap", "frame": str(number)} | _row(Ether(frame))
