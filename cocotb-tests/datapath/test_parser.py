# SPDX-License-Identifier: Apache-2.0
"""The RTL parser and flow hash, inside a whole datapath, against their golden models on packets of every kind."""

from __future__ import annotations

import functools
import itertools
import random
from functools import reduce
from ipaddress import IPv4Address, IPv6Address
from operator import truediv
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from datapath.frames.made import capture_of
from datapath.frames.packets import MACS, compressed, labels, random_packet, transport, transports
from scapy.contrib.gtp import GTP_U_Header
from scapy.layers.inet import IP, TCP, UDP, IPOption, fragment
from scapy.layers.inet6 import IPv6, IPv6ExtHdrDestOpt, IPv6ExtHdrFragment, PadN, fragment6
from scapy.layers.l2 import GRE_PPTP, Dot1Q, Ether
from scapy.layers.ppp import PPP, PPPoE
from scapy.packet import Raw

from sluice.hardware.datapaths import find
from sluice.hardware.registers import RegisterMap, TileDriver
from sluice.packets.datapath import HAS, OUTCOMES, TUNNELS, Datapath
from sluice_golden.blocks.arithmetic.flow_hash import MODES, flow_id, flow_key
from sluice_golden.packets.frame_parser import Seen, parse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scapy.packet import Packet

PACKETS = 2000
AUTHENTICATION = 51
"""The protocol number of the only extension header that may have an odd number of words."""
PREFIXES = (20, 50)


@pytest.fixture(scope="module", params=["red-64", "red-512"])
def datapath(request: pytest.FixtureRequest) -> Iterator[tuple[Datapath, RegisterMap]]:
    """A Verilated datapath with its register map."""
    chosen = find(request.param)
    model = Datapath(chosen.library)
    registers = RegisterMap.load(chosen.register_map)
    TileDriver(model, registers).configure({"min": 500, "max": 900})  # frames in flight are no queue to drop from
    yield model, registers
    model.close()


@functools.cache
def packets() -> tuple[bytes, ...]:
    """The packets of all tests."""
    rng = random.Random(1)
    return tuple(random_packet(rng) for _ in range(PACKETS))


def replay(model: Datapath, frames: list[bytes]) -> np.ndarray[Any, Any]:
    """What the RTL saw of frames that come back to back."""
    capture = capture_of(frames)
    outcome = model.replay(capture, np.zeros(len(frames), np.uint64), lambda _: None)
    kept = outcome.seen["action"] == 0
    assert kept.all(), "an empty queue drops nothing"
    assert np.array_equal(outcome.output, capture.data)
    return outcome.seen


def as_model(row: Any) -> Seen:
    """The RTL's fields in the model's form."""
    has = {name: bool(row["has"] & bit) for name, bit in HAS.items()}
    seen = Seen(outcome=OUTCOMES[row["outcome"]])
    seen.vlan_ids = [int(row["vlan_id"][i]) for i in range(2) if has[f"vlan{i}"]]
    seen.ethertype = int(row["ether_type"]) if has["type"] else None
    seen.mpls_label = int(row["mpls_label"]) if has["mpls"] else None
    if has["ip"]:
        seen.version = 6 if has["ipv6"] else 4
        address, size = (IPv6Address, 16) if has["ipv6"] else (IPv4Address, 4)
        seen.source = address(row["source"].tobytes()[:size])
        seen.destination = address(row["destination"].tobytes()[:size])
        seen.l3_offset = 14 + 4 * int(row["network_word"]) - has["shifted"]
        seen.protocol, seen.service, seen.ttl = (int(row[name]) for name in ("protocol", "service", "ttl"))
        seen.is_fragment, seen.fragment_offset = has["fragment"], int(row["fragment_offset"])
    if has["ports"]:
        seen.ports = (int(row["source_port"]), int(row["destination_port"]))
        seen.l4_offset = 14 + 4 * int(row["transport_word"]) - has["shifted"]
    if has["tcp_flags"]:
        seen.tcp_flags = int(row["tcp_flags"])
    if has["tunnel"]:
        seen.tunnel = (TUNNELS[row["tunnel"]], int(row["tunnel_id"]))
    return seen


def test_fields(datapath: tuple[Datapath, RegisterMap]) -> None:
    """Every field of every packet, whole, cut or mangled."""
    frames = packets()
    for frame, row in zip(frames, replay(datapath[0], list(frames)), strict=True):
        assert as_model(row) == parse(frame), frame.hex()
    outcomes = {parse(frame).outcome for frame in frames}
    assert outcomes == set(OUTCOMES), "the packets reach every outcome"


def test_headers_anywhere(datapath: tuple[Datapath, RegisterMap]) -> None:
    """Any transport at every word behind IPv6 and its extension headers, and IP behind every number of tags and labels, in a
    session and in none."""
    rng = random.Random(2)
    frames = []
    for _, make in itertools.product(range(60), transports(rng, IPv6())):
        built = bytes(IPv6() / make())
        kind, body = built[6], built[40:]
        for _ in range(rng.randrange(6)):
            if rng.random() < 0.3:
                words = rng.choice((3, 5))
                kind, body = AUTHENTICATION, bytes([kind, words - 2]) + rng.randbytes(4 * words - 2) + body
            else:
                options = PadN(optdata=rng.randbytes(4 * rng.choice((2, 2, 4, 8)) - 4))
                kind, body = 60, bytes(IPv6ExtHdrDestOpt(nh=kind, options=[options])) + body
        network = IPv6(src="2001:db8::1", dst="2001:db8::2", nh=kind, plen=len(body))
        frames.append(bytes(Ether(**MACS) / network) + body + rng.randbytes(40))
    for tags, session, stack in itertools.product(range(4), range(2), range(7)):
        for network in (IP(), IPv6()):
            link = [Ether(**MACS), *(Dot1Q(vlan=rng.randrange(4096)) for _ in range(tags))]
            if session:
                protocol = 0x281 if stack else 0x21 if IP in network else 0x57
                link += [PPPoE(sessionid=rng.getrandbits(16)), PPP(proto=protocol)]
            frames += [bytes(reduce(truediv, [*link, *labels(rng, stack), network / transport(rng, network)]))]
    for frame, row in zip(frames, replay(datapath[0], frames), strict=True):
        assert as_model(row) == parse(frame), frame.hex()


def test_the_outermost_tunnel_counts(datapath: tuple[Datapath, RegisterMap]) -> None:
    """A tunnel inside a PPPoE session leaves the session's number as it is."""
    inner = IP(src="10.0.0.1", dst="10.0.0.2") / UDP(sport=9, dport=2152) / GTP_U_Header(teid=0x1234567) / IP() / UDP()
    frames = [bytes(Ether(**MACS) / link / inner) for link in (PPPoE(sessionid=7) / PPP(proto=0x21), Dot1Q(vlan=3))]
    assert [as_model(row).tunnel for row in replay(datapath[0], frames)] == [("pppoe", 7), ("gtp", 0x1234567)]


def test_a_pptp_call_is_one_tunnel(datapath: tuple[Datapath, RegisterMap]) -> None:
    """The key of GRE version 1 holds the payload's length beside the number of the call (RFC 2637)."""
    calls = [GRE_PPTP(call_id=5, seqnum_present=1) / Raw(bytes(size)) for size in (20, 200)]
    frames = [bytes(Ether(**MACS) / IP() / call) for call in calls]
    assert [as_model(row).tunnel for row in replay(datapath[0], frames)] == [("gre", 5)] * 2


@pytest.mark.parametrize("mode", MODES)
def test_flow_ids(datapath: tuple[Datapath, RegisterMap], mode: str) -> None:
    """The flow id of every packet, under a secret of its own."""
    model, registers = datapath
    rng = random.Random(mode)
    secret = rng.randbytes(40)
    for i in range(10):
        model.write(registers.addresses[f"SECRET{i}"], int.from_bytes(secret[4 * i : 4 * i + 4], "big"))
    while model.read(registers.addresses["SECRET0"]):
        pass  # until it is in force
    settings = {"key_mode": MODES.index(mode), "prefix_ipv4": PREFIXES[0], "prefix_ipv6": PREFIXES[1]}
    TileDriver(model, registers).configure(settings)
    frames = packets()
    for frame, row in zip(frames, replay(model, list(frames)), strict=True):
        key, tag = flow_key(frame, parse(frame), mode, PREFIXES)
        assert row["flow"] == flow_id(secret, key, tag), (mode, frame.hex())


@pytest.mark.parametrize("version", [4, 6])
def test_a_compressed_protocol_field(datapath: tuple[Datapath, RegisterMap], version: int) -> None:
    """Behind it each connection is the flow that it is behind a whole field, and its headers stand a byte earlier."""
    model, registers = datapath
    TileDriver(model, registers).configure({"key_mode": 0})
    protocol, network = (0x21, IP(dst="10.0.0.2")) if version == 4 else (0x57, IPv6(dst="2001:db8::2"))
    fields = (PPP(proto=protocol), compressed(protocol))
    connections = [network / UDP(sport=port, dport=9) / Raw(bytes(80)) for port in (1, 2)]
    for tags in (Ether(**MACS), Ether(**MACS) / Dot1Q(vlan=3), Ether(**MACS) / Dot1Q(vlan=3) / Dot1Q(vlan=4)):
        whole, short = ([bytes(tags / PPPoE(sessionid=7) / field / c) for c in connections] for field in fields)
        expected, seen = replay(model, whole), replay(model, short)
        assert list(seen["flow"]) == list(expected["flow"])
        assert len(set(seen["flow"])) == 2
        for row, other in zip(map(as_model, seen), map(as_model, expected), strict=True):
            assert row.outcome == "whole"
            assert row.tunnel == ("pppoe", 7)
            assert (row.ports, row.destination) == (other.ports, other.destination)
            assert (row.l3_offset, row.l4_offset) == (other.l3_offset - 1, other.l4_offset - 1)


def test_it_cut_at_any_byte(datapath: tuple[Datapath, RegisterMap]) -> None:
    """Frames of any length around all that is looked at behind it."""
    whole = [
        bytes(tags / PPPoE(sessionid=7) / field / network / TCP(flags="PA") / Raw(bytes(range(100))))
        for tags in (Ether(**MACS), Ether(**MACS) / Dot1Q(vlan=3))
        for field, network in ((compressed(0x21), IP(options=[IPOption(b"\x01" * 12)])), (compressed(0x57), IPv6()))
    ]
    frames = [frame[:length] for frame in whole for length in range(14, len(frame))]
    for frame, row in zip(frames, replay(datapath[0], frames), strict=True):
        assert as_model(row) == parse(frame), frame.hex()


COLLIDING = {
    "five_tuple": (
        IP(src="10.0.1.5", dst="192.0.2.1") / UDP(sport=1000, dport=2000),
        IPv6(src="a00:105:c000:201:3e8:7d0::", dst="::") / UDP(sport=0, dport=0),
    ),
    "three_tuple": (
        IP(src="10.0.1.5", dst="192.0.2.1") / UDP(),
        IPv6(src="a00:105:c000:201::", dst="::") / UDP(),
    ),
    "tunnel": (
        IP(dst="10.0.1.5") / UDP(dport=2152) / GTP_U_Header(teid=7) / IP() / UDP(),
        IPv6(dst="a00:105::") / UDP(dport=2152) / GTP_U_Header(teid=7) / IP() / UDP(),
    ),
    "prefix": (IP(src="10.0.1.5") / UDP(), IPv6(src="a00:100::1") / UDP()),
}
"""Packets whose keys are the same bytes, because zeros follow the shorter one."""


@pytest.mark.parametrize("mode", COLLIDING)
def test_ipv4_and_ipv6_are_apart(datapath: tuple[Datapath, RegisterMap], mode: str) -> None:
    """Whatever the secret is: keys of the same bytes have the same hash under all of them."""
    model, registers = datapath
    TileDriver(model, registers).configure({"key_mode": MODES.index(mode), "prefix_ipv4": 24, "prefix_ipv6": 56})
    frames = [bytes(Ether(**MACS) / packet) for packet in COLLIDING[mode]]
    keys = [flow_key(frame, parse(frame), mode) for frame in frames]
    assert len({key.ljust(36, b"\0") for key, _ in keys}) == 1, "the test must choose keys that could collide"
    assert len(set(replay(model, frames)["flow"])) == 2


def fragmented(packet: Packet) -> list[Packet]:
    """The fragments of an IP packet."""
    if IPv6 in packet:
        return fragment6(packet, 200)
    return fragment(packet, 160)


GTP = UDP(dport=2152) / GTP_U_Header(teid=0x1234567) / IP() / UDP() / Raw(bytes(500))
OPTIONS = IPv6ExtHdrDestOpt(options=[PadN(optdata=bytes(4))])
WHOLE_PACKETS = {
    "udp": IP() / UDP() / Raw(bytes(500)),
    "gtp": IP() / GTP,
    "gtp over ipv6": IPv6() / IPv6ExtHdrFragment() / GTP,
    "options behind the fragment header": IPv6() / IPv6ExtHdrFragment() / OPTIONS / UDP() / Raw(bytes(500)),
}


@pytest.mark.parametrize("kind", WHOLE_PACKETS)
@pytest.mark.parametrize("mode", ["five_tuple", "three_tuple", "tunnel"])
def test_fragments_of_a_packet_are_one_flow(datapath: tuple[Datapath, RegisterMap], mode: str, kind: str) -> None:
    """First and later fragments have the same flow id, inside a PPPoE session too."""
    model, registers = datapath
    TileDriver(model, registers).configure({"key_mode": MODES.index(mode)})
    parts = fragmented(WHOLE_PACKETS[kind])
    session = PPPoE(sessionid=7) / PPP(proto=0x57 if IPv6 in parts[0] else 0x21)
    for link in (Ether(**MACS), Ether(**MACS) / session):
        seen = replay(model, [bytes(link / part) for part in parts])
        assert len(seen) > 2
        assert all(row["has"] & HAS["fragment"] for row in seen)
        assert len(set(seen["flow"])) == 1


def test_the_secret_cannot_be_read(datapath: tuple[Datapath, RegisterMap]) -> None:
    """Reads of the secret's words tell whether it is in force."""
    model, registers = datapath
    model.write(registers.addresses["SECRET0"], 0x12345678)
    read = [model.read(registers.addresses["SECRET0"]) for _ in range(1 << 14)]
    assert read[0] == 1
    assert read[-1] == 0
    assert read == sorted(read, reverse=True)
