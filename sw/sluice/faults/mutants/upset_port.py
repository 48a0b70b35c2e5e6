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


def _lost(port: str, upset: Upset) -> tuple[str, str]:
    """What the first instance with such an input is told by it."""
    return rf"(\.{port} +\()(\S+)( *\), //i)", rf"\1\2 && (! {PORT}[{upset:d}])\3"


_DECLARED = f"  input  wire [{max(Upset):d}:0]    {PORT},\n"
_CHANGES = (
    _counted("Packets", 18, 7, Upset.PACKETS),
    _counted("Bytes", 26, 17, Upset.BYTES),
    _lost("io_applied", Upset.APPLIED),
    _lost("io_answer_valid", Upset.ANSWER),
    (r"(offered_rData_parity <= )(\S+);", rf"\1\2 ^ {PORT}[{Upset.LENGTH:d}];"),
    (r"(module \w+_(?:TileRegisters|DescriptorRing) \(\n)", rf"\1{_DECLARED}"),
    (r"(\w+ (?:registers|descriptorRing) \(\n)", rf"\1    .{PORT} ({PORT}),\n"),
)


def added(source: str, top: str) -> str:
    """The copy of a tile's Verilog."""
    text = source.replace(f"module {top} (\n", f"module {top} (\n{_DECLARED}", 1)
    for pattern, instead in _CHANGES:
        # An answer is lost to the host alone, whose instance comes first.
        text, count = re.subn(pattern, instead, text, count=1 if "answer" in pattern else 0)
        if not count:
            raise ValueError(f"nothing like {pattern!r} was found")
    return text
