# SPDX-License-Identifier: Apache-2.0
"""A tile with an input by which its tests upset it, for mutants of what mends.

What takes back a flipped bit, or ends what does not end by itself, does nothing in any traffic. So DropTail's tile is tested as a
copy that has one more port. While that is 0 the copy is the tile.
"""

from __future__ import annotations

import re
from enum import IntEnum

PORT = "upset"


class Upset(IntEnum):
    """The bits of the port."""

    PACKETS = 0
    """Flips bit 7 of the queue's count of packets."""
    BYTES = 1
    """Flips bit 17 of the queue's count of bytes."""
    APPLIED = 2
    """That a set is in force is not told to the registers."""
    ANSWER = 3
    """The answer to an access is lost."""
    LENGTH = 4
    """Flips the check bit of the length of the packet that the ring offers next."""


def _counted(resource: str, bits: int, bit: int, upset: Upset) -> tuple[str, str]:
    """Of a register of the top module, in the assignment of every clock."""
    return (
        rf"(onVerdict_admission_of{resource}_taken <= )(_zz\S+);",
        rf"\1\2 ^ ({PORT}[{upset:d}] ? {bits}'h{1 << bit:x} : {bits}'h0);",
    )


def _lost(port: str, told: str, upset: Upset) -> tuple[str, str]:
    """What the instance is told that has such an input, from there."""
    return rf"(\.{port} +\({told})( *\), //i)", rf"\1 && (! {PORT}[{upset:d}])\2"


_DECLARED = f"  input  wire [{max(Upset):d}:0]    {PORT},\n"
_CHANGES = (
    _counted("Packets", 18, 7, Upset.PACKETS),
    _counted("Bytes", 26, 17, Upset.BYTES),
    _lost("io_applied", "core_applied", Upset.APPLIED),
    _lost("io_answer_valid", "read_answer_takeWhen_valid", Upset.ANSWER),
    (r"(offered_rData_parity <= )(\S+);", rf"\1\2 ^ {PORT}[{Upset.LENGTH:d}];"),
    (r"(\w+ (?:registers|descriptorRing) \(\n)", rf"\1    .{PORT} ({PORT}),\n"),
)


def added(source: str, top: str) -> str:
    """The copy of a tile's Verilog."""
    declared = (rf"(module (?:{top}|{top}_TileRegisters|{top}_DescriptorRing) \(\n)", rf"\1{_DECLARED}")
    for pattern, instead in (*_CHANGES, declared):
        source, count = re.subn(pattern, instead, source)
        if not count:
            raise ValueError(f"nothing like {pattern!r} was found")
    return source
