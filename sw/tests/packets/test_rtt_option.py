# SPDX-License-Identifier: Apache-2.0
"""`sluice rtt-option`: what it writes is read back by scapy and by the parser's golden model, and all else is as it was."""

from __future__ import annotations

import random
from functools import reduce
from operator import truediv
from typing import TYPE_CHECKING

import pytest
from scapy.contrib.mpls import MPLS
from scapy.layers.inet import GRE, ICMP, IP, TCP, UDP, IPOption, IPOption_NOP
from scapy.layers.inet6 import IPv6, IPv6ExtHdrDestOpt, IPv6ExtHdrHopByHop, PadN, RouterAlert
from scapy.layers.l2 import ARP, LLC, SNAP, Dot1AD, Dot1Q, Dot3, Ether
from scapy.layers.ppp import PPP, PPPoE
from scapy.layers.vxlan import VXLAN

from sluice.commands.cli import main
from sluice.packets import capture, rtt_option
from sluice_golden.packets import rtt_option as golden
from sluice_golden.packets.frame_parser import parse

if TYPE_CHECKING:
    from pathlib import Path

    from scapy.packet import Packet

US = 80_000
BODY = bytes(range(70))
NETWORKS = {
    "ipv4": IP(dst="10.1.2.3", tos=2, flags="DF", id=7),
    "ipv4 with options": IP(dst="10.1.2.3", options=[IPOption_NOP(), IPOption(b"\x94\x04\x00\x00")]),
    "ipv6": IPv6(dst="2001:db8::2", fl=5),
    "ipv6 hop by hop": IPv6(dst="2001:db8::2") / IPv6ExtHdrHopByHop(options=[RouterAlert()]),
    "ipv6 destination": IPv6(dst="2001:db8::2") / IPv6ExtHdrDestOpt(options=[PadN(optdata=bytes(4))]),
}
LASTS = {
    "tcp": TCP(sport=5, dport=80, flags="PA") / BODY,
    "udp": UDP(sport=5, dport=53) / BODY,
    "vxlan": UDP(sport=5, dport=4789) / VXLAN(vni=9) / Ether() / IP() / UDP() / BODY,
    "gre": GRE() / IP() / ICMP(),
}


def links(version: int) -> dict[str, list[Packet]]:
    """What may stand in front of an IP header."""
    protocol = {4: 0x21, 6: 0x57}[version]
    return {
        "ethernet": [Ether()],
        "tags": [Ether(), Dot1AD(vlan=6), Dot1Q(vlan=5)],
        "labels": [Ether(), MPLS(label=16, s=0), MPLS(label=17, s=1)],
        "pppoe": [Ether(), PPPoE(sessionid=7), PPP(proto=protocol)],
        "snap": [Dot3(), LLC(dsap=0xAA, ssap=0xAA, ctrl=3), SNAP(OUI=0)],
    }


def fields(frame: bytes) -> list[tuple[str, dict[str, object]]]:
    """All that scapy reads, but for lengths, the IPv4 header's checksum, options, and what says that there are any."""
    changing = {"len", "plen", "ihl", "chksum", "options", "nh"}
    layers = []
    layer = Ether(frame)
    while layer:
        ours = {
            k: v for k, v in layer.fields.items() if k not in changing or (k == "chksum" and not isinstance(layer, IP))
        }
        if not isinstance(layer, IPv6ExtHdrHopByHop):
            layers.append((layer.name, ours))
        layer = layer.payload
    return layers


def recomputed(frame: bytes) -> bytes:
    """The frame as scapy builds it with all lengths and checksums computed anew."""
    packet = Ether(frame)
    layer = packet
    while layer:
        for name in {"len", "plen", "ihl", "chksum"} & layer.fields.keys():
            layer.delfieldval(name)
        layer = layer.payload
    return bytes(packet)


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("last", LASTS)
def test_every_kind_of_frame(network: str, last: str) -> None:
    """The time is there, lengths and checksums are as scapy computes them, and everything else is as it was."""
    version = 4 if IP in NETWORKS[network] else 6
    for link in links(version).values():
        before = bytes(reduce(truediv, [*link, NETWORKS[network], LASTS[last]]))
        found = rtt_option.find(before)
        assert found is not None
        after = rtt_option.insert(before, found, US)
        assert after is not None
        assert golden.read(after) == ("good", US)
        assert after.hex() == recomputed(after).hex()
        assert fields(after) == fields(before)


def test_padding_and_fragments_stay() -> None:
    """What is behind the packet is there still; each fragment gets the option."""
    before = bytes(Ether() / IP(flags="MF", frag=3, proto=17) / BODY) + b"behind"
    found = rtt_option.find(before)
    assert found is not None
    after = rtt_option.insert(before, found, US)
    assert after is not None
    assert after.endswith(BODY + b"behind")
    assert len(after) == len(before) + 8
    assert golden.read(after) == ("good", US)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Times by prefix, another for all others, and frames that stay as they are."""
    full = Ether() / IP(dst="10.1.2.3", options=[IPOption_NOP()] * 36) / UDP()
    frames = [
        bytes(Ether() / IP(src="10.0.0.9", dst="10.1.2.3") / UDP()),
        bytes(Ether() / IP(src="10.9.0.9", dst="10.1.2.3") / UDP()),
        bytes(Ether() / IPv6(src="2001:db8::1", dst="2001:db8:1::1") / UDP()),
        bytes(Ether() / ARP()),
        bytes(Ether() / IP() / UDP())[:30],
        bytes(full),
    ]
    came, out, pairs = (tmp_path / name for name in ("in.pcap", "out.pcap", "pairs.csv"))
    capture.write(came, list(range(len(frames))), frames)
    pairs.write_text("10.0.0.0/24, 10.1.0.0/16, 5ms\n2001:db8::/48, 2001:db8:1::/48, 250us\n")
    with pytest.raises(SystemExit) as end:
        main(["rtt-option", str(came), str(out), "--rtt", "80ms", "--pairs", str(pairs)])
    assert end.value.code == 0
    read = capture.read(out)
    data = read.data.tobytes()
    left = [data[at : at + n] for at, n in zip(read.offset.tolist(), read.length.tolist(), strict=True)]
    assert [golden.read(frame) for frame in left[:3]] == [("good", 5000), ("good", 80_000), ("good", 250)]
    assert left[3:] == frames[3:]
    printed = capsys.readouterr().out
    assert "3 of 6 frames" in printed
    assert "2 are not IP" in printed
    assert "1 have no room" in printed


@pytest.mark.parametrize(
    ("text", "said"),
    [("10.0.0.0/24,10.1.0.0/16", "line 1"), ("10.0.0.1/24,10.1.0.0/16,5ms", "host bits"), ("a,b,5", "line 1")],
)
def test_pairs_that_are_none(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, said: str) -> None:
    """One line says which and why."""
    came, pairs = tmp_path / "in.pcap", tmp_path / "pairs.csv"
    capture.write(came, [0], [bytes(Ether() / IP() / UDP())])
    pairs.write_text(text)
    with pytest.raises(SystemExit) as end:
        main(["rtt-option", str(came), str(tmp_path / "out.pcap"), "--pairs", str(pairs)])
    assert end.value.code == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_noise() -> None:
    """Whatever a frame is, it stays or has the time, unless the parser takes it for no IP packet."""
    rng = random.Random(1)
    for _ in range(500):
        frame = bytearray(
            bytes(reduce(truediv, [*links(4)["tags"], rng.choice(list(NETWORKS.values())), UDP() / BODY]))
        )
        for _ in range(6):
            frame[rng.randrange(12, 70)] = rng.randrange(256)
        cut = bytes(frame[: rng.randrange(14, len(frame))])
        found = rtt_option.find(cut)
        after = rtt_option.insert(cut, found, US) if found else None
        if after and parse(after).version:
            assert golden.read(after) == ("good", US), after.hex()
