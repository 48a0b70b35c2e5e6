# SPDX-License-Identifier: Apache-2.0
"""The records of a pcap or pcapng file, also of a compressed one, up to its end or to where it is damaged.

pcap: a header of 24 bytes, then records. pcapng: blocks that state their length at both ends; a section header begins
anew with byte order and interfaces, so that files may be joined; link type, resolution and offset of times belong to an
interface. What is no record of a frame is passed over.

A reader that reports damage as such, in sections as the standard has them, is why this is here: the libraries that read
pcapng in Python lose the rest of a damaged file, or one of resolution, offset and interfaces of the times, in silence.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import struct
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, NamedTuple

_SECOND_NS = 10**9
_CHUNK_BYTES = 1 << 16

_Opener = Callable[[Path], IO[bytes]]
_COMPRESSIONS: dict[bytes, _Opener] = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ\0": lzma.open}  # type: ignore[dict-item]
"""How a file of a compression is opened, by its first bytes."""

_UNKNOWN_COMPRESSIONS = {b"\x28\xb5\x2f\xfd": "zstd", b"\x04\x22\x4d\x18": "lz4"}

_PCAP_TICKS = {0xA1B2C3D4: 10**6, 0xA1B23C4D: 10**9}
"""Parts of a second that a pcap file counts in, by its magic number."""

_SECTION = 0x0A0D0D0A
_BYTE_ORDER = 0x1A2B3C4D
_INTERFACE, _OLD_PACKET, _SIMPLE_PACKET, _PACKET = 1, 2, 3, 6
_TICKS, _OFFSET = 9, 14  # options of an interface


class DamageError(Exception):
    """The file is not as its format says; the argument says where and how."""


class FormatError(Exception):
    """The file is no capture; the argument says what it is instead, if that is known."""


class Record(NamedTuple):
    """A captured frame. `time_ns` is None where the file has none."""

    link_type: int
    time_ns: int | None
    wire_length: int
    frame: bytes


def contents(path: Path) -> tuple[bytes, str]:
    """The bytes of a file, decompressed; and what is wrong with the compression, where that ends them."""
    with path.open("rb") as file:
        start = file.read(8)
    for magic, name in _UNKNOWN_COMPRESSIONS.items():
        if start.startswith(magic):
            raise FormatError(f"it is compressed with {name}; decompress it first")
    opener = next((opener for magic, opener in _COMPRESSIONS.items() if start.startswith(magic)), None)
    if opener is None:
        return path.read_bytes(), ""
    parts: list[bytes] = []
    try:
        with opener(path) as file:
            while part := file.read1(_CHUNK_BYTES):  # type: ignore[attr-defined]
                parts.append(part)
    except (EOFError, gzip.BadGzipFile, zlib.error, lzma.LZMAError, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        return b"".join(parts), f"its compressed data end early or are wrong behind byte {sum(map(len, parts))}"
    return b"".join(parts), ""


def records(data: bytes) -> Iterator[Record]:
    """All records up to the end; raises `DamageError` behind the last one that can be read."""
    for order in "<>":
        if len(data) >= 4:
            (magic,) = struct.unpack_from(f"{order}I", data)
            if magic in _PCAP_TICKS:
                yield from _pcap(data, order, _PCAP_TICKS[magic])
                return
            if magic == _SECTION:
                yield from _pcapng(data)
                return
    raise FormatError("")


def _pcap(data: bytes, order: str, ticks: int) -> Iterator[Record]:
    if len(data) < 24:
        raise DamageError("it ends in its header")
    (link_type,) = struct.unpack_from(f"{order}I", data, 20)
    link_type &= 0xFFFF  # above it, what the frame check sequence is like
    head = struct.Struct(f"{order}4I")
    tick_ns = _SECOND_NS // ticks
    at, end = 24, len(data)
    while at < end:
        if end - at < 16:
            raise DamageError(f"it is cut short in a record's header at byte {at}")
        seconds, fraction, length, wire_length = head.unpack_from(data, at)
        at += 16
        if length > end - at:
            raise DamageError(f"it is cut short: the record at byte {at - 16} has {length} bytes, {end - at} are there")
        yield Record(link_type, seconds * _SECOND_NS + fraction * tick_ns, wire_length, data[at : at + length])
        at += length


@dataclass(frozen=True)
class _Interface:
    """What the frames of an interface have in common."""

    link_type: int
    snap_length: int
    ticks: int = 10**6
    offset_s: int = 0

    def time_ns(self, high: int, low: int) -> int:
        return (high << 32 | low) * _SECOND_NS // self.ticks + self.offset_s * _SECOND_NS


def _pcapng(data: bytes) -> Iterator[Record]:
    order = "<"
    interfaces: list[_Interface] = []
    at, end = 0, len(data)
    while at < end:
        if end - at < 12:
            raise DamageError(f"it is cut short in a block's header at byte {at}")
        if data[at : at + 4] == _SECTION.to_bytes(4, "big"):  # the same in either order
            order = "<" if data[at + 8 : at + 12] == _BYTE_ORDER.to_bytes(4, "little") else ">"
            interfaces = []
        kind, length = struct.unpack_from(f"{order}2I", data, at)
        if length < 12 or length % 4:
            raise DamageError(f"the block at byte {at} says that it has {length} bytes")
        if length > end - at:
            raise DamageError(f"it is cut short: the block at byte {at} has {length} bytes, {end - at} are there")
        if struct.unpack_from(f"{order}I", data, at + length - 4)[0] != length:
            raise DamageError(f"the block at byte {at} has two lengths that differ")
        body = data[at + 8 : at + length - 4]
        try:
            if kind == _SECTION:
                _check_section(body, order)
            elif kind == _INTERFACE:
                interfaces.append(_interface(body, order))
            elif kind in _READERS:
                yield _READERS[kind](body, order, interfaces)
        except DamageError as damage:
            raise DamageError(f"the block at byte {at}: {damage}") from None
        except struct.error:
            raise DamageError(f"the block at byte {at} is too short for what it is") from None
        at += length


def _check_section(body: bytes, order: str) -> None:
    magic, major = struct.unpack_from(f"{order}IH", body)
    if magic != _BYTE_ORDER:
        raise DamageError("its byte order is unknown")
    if major != 1:
        raise DamageError(f"a section of version {major}")


def _interface(body: bytes, order: str) -> _Interface:
    link_type, _, snap_length = struct.unpack_from(f"{order}2HI", body)
    ticks, offset_s = 10**6, 0
    at = 8
    while at < len(body):
        code, length = struct.unpack_from(f"{order}2H", body, at)
        value = body[at + 4 : at + 4 + length]
        if len(value) < length:
            raise DamageError("an option goes beyond its end")
        if code == 0:
            break
        if code == _TICKS and value:
            ticks = 2 ** (value[0] & 0x7F) if value[0] & 0x80 else 10 ** value[0]
        if code == _OFFSET:
            (offset_s,) = struct.unpack(f"{order}q", value)
        at += 4 + (length + 3) // 4 * 4
    return _Interface(link_type, snap_length, ticks, offset_s)


def _described(interfaces: list[_Interface], number: int) -> _Interface:
    if number >= len(interfaces):
        raise DamageError(f"its section describes no interface {number}")
    return interfaces[number]


def _bytes(body: bytes, at: int, length: int) -> bytes:
    if length > len(body) - at:
        raise DamageError(f"a frame of {length} bytes, {len(body) - at} are there")
    return body[at : at + length]


def _packet(body: bytes, order: str, interfaces: list[_Interface]) -> Record:
    number, high, low, length, wire_length = struct.unpack_from(f"{order}5I", body)
    source = _described(interfaces, number)
    return Record(source.link_type, source.time_ns(high, low), wire_length, _bytes(body, 20, length))


def _old_packet(body: bytes, order: str, interfaces: list[_Interface]) -> Record:
    number, _, high, low, length, wire_length = struct.unpack_from(f"{order}2H4I", body)
    source = _described(interfaces, number)
    return Record(source.link_type, source.time_ns(high, low), wire_length, _bytes(body, 20, length))


def _simple_packet(body: bytes, order: str, interfaces: list[_Interface]) -> Record:
    (wire_length,) = struct.unpack_from(f"{order}I", body)
    source = _described(interfaces, 0)
    length = min(wire_length, source.snap_length or wire_length)
    return Record(source.link_type, None, wire_length, _bytes(body, 4, length))


_READERS: dict[int, Callable[[bytes, str, list[_Interface]], Record]] = {
    _PACKET: _packet,
    _OLD_PACKET: _old_packet,
    _SIMPLE_PACKET: _simple_packet,
}
