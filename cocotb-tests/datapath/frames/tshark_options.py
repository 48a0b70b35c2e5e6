# SPDX-License-Identifier: Apache-2.0
"""The options of round-trip times as tshark dissects them: it knows neither, but cuts all options apart and shows their bytes."""

from __future__ import annotations

import shutil
import subprocess
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence
from pathlib import Path

from datapath.frames.rtt_options import IDENTIFIER
from scapy.utils import PcapWriter

TSHARK = shutil.which("tshark")

IP = ("ip", "ipv6")

OPTION = {"ip": f"9e08{IDENTIFIER.hex()}", "ipv6": f"1e06{IDENTIFIER.hex()}"}
"""How the option begins, in hexadecimal digits, by the header that has it."""

TIME_DIGITS = 8


def round_trips(frames: Sequence[bytes], folder: Path) -> Iterator[int | None]:
    """Of each frame the time in us of the first such option of its outermost IP header; None: there is none."""
    capture = folder / "frames.pcap"
    with PcapWriter(str(capture), linktype=1) as writer:
        writer.write_header(None)
        for frame in frames:
            writer.write_packet(frame)
    assert TSHARK
    command = [TSHARK, "-r", str(capture), "-T", "pdml"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as shown:
        assert shown.stdout
        for _, element in ET.iterparse(shown.stdout):
            if element.tag == "packet":
                yield _round_trip(element)
                element.clear()


def _round_trip(packet: ET.Element) -> int | None:
    outermost = next((layer for layer in packet if layer.get("name") in IP), None)
    if outermost is None:
        return None
    begin = OPTION[outermost.get("name", "")]
    for field in outermost.iter("field"):
        option = _digits(field)
        if option.startswith(begin) and len(option) == len(begin) + TIME_DIGITS:
            return int(option[-TIME_DIGITS:], 16)
    return None


def _digits(field: ET.Element) -> str:
    """Of IPv4 an unknown option is a field of its own; of IPv6 its parts are, inside one for all of it."""
    if field.get("name") == "ipv6.opt":
        return "".join(part.get("value", "") for part in field.findall("field"))
    return field.get("value", "")
