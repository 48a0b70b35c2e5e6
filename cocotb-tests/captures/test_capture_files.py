# SPDX-License-Identifier: Apache-2.0
"""Capture files of every form, whole, joined, compressed and damaged: what is read of them, and what is said of the rest."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import os
import struct
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from datapath.replaying import run
from lib.simulation import ROOT
from scapy.utils import RawPcapReader

from sluice.packets import capture
from sluice.support.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Callable

FRAME = bytes.fromhex("020000000002020000000001") + b"\x08\x06" + bytes(46)
RAW_IP = 101
SECOND = 1_700_000_000
FOLDER = Path(os.environ.get("SLUICE_INTEGRATOR", ROOT.parent / "shared/reference/integrator/captures"))


def block(kind: int, body: bytes, order: str = "<", stated: int | None = None) -> bytes:
    """A block of pcapng, with its length at both ends; `stated` is a wrong one at the second."""
    padded = body + bytes(-len(body) % 4)
    length = len(padded) + 12
    return struct.pack(f"{order}2I", kind, length) + padded + struct.pack(f"{order}I", stated or length)


def section(order: str = "<") -> bytes:
    """The header of a section."""
    return block(0x0A0D0D0A, struct.pack(f"{order}I2Hq", 0x1A2B3C4D, 1, 0, -1), order)


def interface(link: int = 1, options: bytes = b"", order: str = "<", snap: int = 0) -> bytes:
    """The description of an interface."""
    return block(1, struct.pack(f"{order}2HI", link, 0, snap) + options, order)


def option(code: int, value: bytes, order: str = "<") -> bytes:
    """An option of an interface."""
    return struct.pack(f"{order}2H", code, len(value)) + value + bytes(-len(value) % 4)


def packet(ticks: int, order: str = "<", number: int = 0, length: int | None = None) -> bytes:
    """A frame with its time; `length` is a wrong one."""
    head = struct.pack(f"{order}5I", number, ticks >> 32, ticks & 0xFFFFFFFF, length or len(FRAME), len(FRAME))
    return block(6, head + FRAME, order)


def pcap(count: int, order: str = "<", ticks: int = 10**6, frame: bytes = FRAME) -> bytes:
    """A pcap file of equal frames, a tick apart."""
    magic = {10**6: 0xA1B2C3D4, 10**9: 0xA1B23C4D}[ticks]
    head = struct.pack(f"{order}I2H4I", magic, 2, 4, 0, 0, 65535, 1)
    return head + b"".join(struct.pack(f"{order}4I", SECOND, i, len(frame), len(frame)) + frame for i in range(count))


def times(data: bytes, tmp_path: Path) -> list[int]:
    """Times of the frames of a file of these bytes, in ns since SECOND."""
    path = tmp_path / "made"
    path.write_bytes(data)
    found = capture.read(path)
    assert not found.damage
    assert found.data.tobytes() == FRAME * len(found)
    return [int(time) - SECOND * 10**9 for time in found.time_ns]


MICRO = SECOND * 10**6


@pytest.mark.parametrize("order", ["<", ">"])
def test_pcap(tmp_path: Path, order: str) -> None:
    """Either byte order, us and ns."""
    assert times(pcap(3, order), tmp_path) == [0, 1000, 2000]
    assert times(pcap(3, order, 10**9), tmp_path) == [0, 1, 2]


@pytest.mark.parametrize("order", ["<", ">"])
def test_pcapng(tmp_path: Path, order: str) -> None:
    """Each interface has its own resolution and offset; blocks that are no frames are passed over."""
    nano, binary = option(9, b"\x09", order), option(9, b"\x8a", order)
    shifted = option(14, struct.pack(f"{order}q", SECOND - 5), order) + option(0, b"", order)
    data = section(order) + interface(order=order) + interface(options=nano, order=order)
    data += interface(options=binary, order=order) + interface(options=shifted, order=order)
    data += packet(MICRO + 1, order) + packet(SECOND * 10**9 + 1, order, 1) + block(0xBAD, b"whatever", order)
    data += packet(SECOND * 1024 + 512, order, 2) + packet(5_000_007, order, 3)
    assert times(data, tmp_path) == [1000, 1, 500_000_000, 7000]


def test_older_and_simple_packets(tmp_path: Path) -> None:
    """A frame without a time has that of the one before; what the interface cut is not there."""
    old = block(2, struct.pack("<2H4I", 0, 0, MICRO >> 32, MICRO & 0xFFFFFFFF, len(FRAME), len(FRAME)) + FRAME)
    simple = block(3, struct.pack("<I", 1500) + FRAME)
    assert times(section() + interface(snap=len(FRAME)) + old + simple, tmp_path) == [0, 0]


def test_joined_files(tmp_path: Path) -> None:
    """A section has its own interfaces, and its own byte order."""
    nano = option(9, b"\x09", ">")
    first = section() + interface() + packet(MICRO)
    second = section(">") + interface(options=nano, order=">") + packet(SECOND * 10**9 + 3, ">")
    assert times(first + second, tmp_path) == [0, 3]
    path = tmp_path / "joined.pcapng"
    path.write_bytes(section() + interface(RAW_IP) + packet(MICRO) + first)
    found = capture.read(path)
    assert (len(found), found.skipped, list(found.numbers)) == (1, 1, [2])


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
def test_compressed_files(tmp_path: Path, compress: Callable[[bytes], bytes]) -> None:
    """Whatever the name of the file is; members that follow each other are one file."""
    assert times(compress(pcap(3)), tmp_path) == [0, 1000, 2000]
    data = section() + interface() + packet(MICRO)
    assert times(compress(data) + compress(data), tmp_path) == [0, 0]


def test_a_compressed_file_cut_short(tmp_path: Path) -> None:
    """What can be decompressed is read."""
    path = tmp_path / "made.pcap.gz"
    path.write_bytes(gzip.compress(pcap(3), compresslevel=0)[:-60])
    found = capture.read(path)
    assert len(found) == 2
    assert "compressed data" in found.damage
    path.write_bytes(b"\x28\xb5\x2f\xfd" + bytes(20))
    with pytest.raises(UserError, match="zstd"):
        capture.read(path)


def test_long_records(tmp_path: Path) -> None:
    """A record of more than 65,535 bytes is whole, and longer than a datapath takes; the next is read behind it."""
    long = FRAME + bytes(1 << 17)
    path, table = tmp_path / "long.pcap", tmp_path / "frames.tsv"
    path.write_bytes(pcap(1, frame=long) + pcap(1)[24:])
    assert list(capture.read(path).length) == [len(long), len(FRAME)]
    assert run(str(path), "--config", "red-512", "--frames", str(table)) == 0
    lines = [line.split("\t") for line in table.read_text().splitlines()]
    column = {name: lines[0].index(name) for name in ("cap_len", "verdict", "reason")}
    assert [[line[i] for i in column.values()] for line in lines[1:]] == [
        [str(len(long)), "drop", "Oversize drop"],
        [str(len(FRAME)), "pass", ""],
    ]


GOOD = packet(MICRO)
START = section() + interface() + GOOD * 3
DAMAGED = {
    "an interface that is not described": START + packet(MICRO, number=3) + GOOD,
    "a frame longer than its block": START + packet(MICRO, length=5000) + GOOD,
    "two lengths that differ": START + GOOD[:-4] + struct.pack("<I", 1) + GOOD,
    "a length of no block": START + block(6, b"")[:4] + struct.pack("<I", 3) + GOOD,
    "a block too short": START + block(6, bytes(8)) + GOOD,
    "an option beyond its block": START + interface(options=struct.pack("<2H", 9, 100)) + GOOD,
    "an offset that is no number": START + interface(options=option(14, b"12345")) + GOOD,
    "another version": START + section()[:12] + struct.pack("<H", 2) + section()[14:] + interface() + GOOD,
    "a time that no clock shows": START + packet(2**64 - 1) + GOOD,
    "a time before all": START + interface(options=option(14, struct.pack("<q", -9))) + packet(5, number=1) + GOOD,
    "cut in a block": START + GOOD[:-6],
    "cut in a header": START + GOOD[:6],
    "pcap cut in a record": pcap(4)[:-1],
    "pcap cut in a header": pcap(4)[: -len(FRAME) - 1],
    "pcap with a wrong length": pcap(3) + struct.pack("<4I", SECOND, 0, 1 << 31, 60) + FRAME,
}


@pytest.mark.parametrize("damage", DAMAGED)
def test_damage(tmp_path: Path, capfd: pytest.CaptureFixture[str], damage: str) -> None:
    """All in front of it is replayed and written; then one line and status 2."""
    path, out, table, summary = (tmp_path / name for name in ("damaged", "out.pcap", "frames.tsv", "summary.json"))
    path.write_bytes(DAMAGED[damage])
    outputs = ("--out", str(out), "--frames", str(table), "--json", str(summary))
    assert run(str(path), "--config", "red-512", *outputs) == 2
    error = capfd.readouterr().err
    assert error.count("\n") == 1
    assert f"{path}: replayed up to where it is damaged: " in error
    assert [frame for frame, _ in RawPcapReader(str(out))] == [FRAME] * 3
    assert len(table.read_text().splitlines()) == 4
    result = json.loads(summary.read_text())
    assert result["frames_in"] == result["frames_out"] == 3
    assert result["damage"] in error


def test_damage_in_front_of_all(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Nothing is replayed."""
    path = tmp_path / "damaged"
    for data in (section() + GOOD, pcap(0)[:20], section()[:20]):
        path.write_bytes(data)
        assert run(str(path)) == 2
        error = capfd.readouterr().err
        assert error.count("\n") == 1
        assert "nothing to replay" in error


@pytest.mark.parametrize("option", ["--out", "--frames", "--json"])
def test_outputs_that_cannot_be_written(tmp_path: Path, capfd: pytest.CaptureFixture[str], option: str) -> None:
    """One line, status 2."""
    path = tmp_path / "made.pcap"
    path.write_bytes(pcap(3))
    assert run(str(path), "--config", "red-512", option, "/dev/full") == 2
    assert capfd.readouterr().err == "sluice: cannot write /dev/full: No space left on device\n"


NANO = interface(options=option(9, b"\x09"))
SHIFTED = interface(options=option(14, struct.pack("<q", SECOND - 100_000_000)) + option(9, b"\x00"))
FORMS = {
    "cat_link.pcapng": section() + interface(RAW_IP) + packet(MICRO) + section() + interface() + packet(MICRO),
    "cat_tsres.pcapng": section()
    + interface()
    + packet(MICRO) * 2
    + section()
    + NANO
    + packet((SECOND + 1) * 10**9) * 2,
    "cat_two_if.pcapng": section() + interface(RAW_IP) + interface() + packet(MICRO) + packet(MICRO, number=1),
    "long_65536.pcap": pcap(1, frame=FRAME + bytes(65536 - len(FRAME))) + pcap(1)[24:],
    "mid_badif.pcapng": DAMAGED["an interface that is not described"],
    "mid_capbig.pcapng": DAMAGED["a frame longer than its block"],
    "mid_mismatch.pcapng": DAMAGED["two lengths that differ"],
    "mid_short_epb.pcapng": DAMAGED["a block too short"],
    "stall20.pcap": pcap(40),
    "tsoff.pcapng": section() + SHIFTED + packet(5),
    "v4v6_collide.pcap": pcap(3),
}
"""Files of the same forms as those that others made and called so."""

# Frames that are read of each file, and frames skipped; damaged or not.
REFERENCE = {
    "cat_link.pcapng": (1, 1, False),
    "cat_tsres.pcapng": (4, 0, False),
    "cat_two_if.pcapng": (1, 1, False),
    "long_65536.pcap": (2, 0, False),
    "mid_badif.pcapng": (3, 0, True),
    "mid_capbig.pcapng": (3, 0, True),
    "mid_mismatch.pcapng": (3, 0, True),
    "mid_short_epb.pcapng": (3, 0, True),
    "stall20.pcap": (40, 0, False),
    "tsoff.pcapng": (1, 0, False),
    "v4v6_collide.pcap": (3, 0, False),
}


@pytest.mark.parametrize("by", ["us", *(["others"] if FOLDER.is_dir() else [])])
@pytest.mark.parametrize("name", REFERENCE)
def test_files_of_each_form(tmp_path: Path, by: str, name: str) -> None:
    """Files that we make, and where they are also those that others made; SLUICE_INTEGRATOR names their folder."""
    path = FOLDER / name
    if by == "us":
        path = tmp_path / name
        path.write_bytes(FORMS[name])
    found = capture.read(path)
    assert (len(found), found.skipped, bool(found.damage)) == REFERENCE[name]
    last = {"cat_tsres.pcapng": 1_700_000_001 * 10**9, "tsoff.pcapng": 1_600_000_005 * 10**9}
    assert found.time_ns[-1] == last.get(name, found.time_ns[-1])
