# SPDX-License-Identifier: Apache-2.0
"""The registers of a board over its serial line: 921,600 baud, 8 data bits, no parity.

A command is two bytes, bit 7 of the first for a write and bits 11:8 of the address, then bits 7:0; a write has its word behind
them, lowest byte first. The answer is a status byte, 0 unless there is no such word, and to a read the word.
"""

from __future__ import annotations

import os
import select
import termios
from collections.abc import Callable
from pathlib import Path

from sluice.errors import UserError

BAUD = 921600
WAIT_S = 1.0
"""How long a board may take for a byte of its answer; it takes microseconds."""

Exchange = Callable[[bytes, int], bytes]
"""Sends a command and gives the answer of so many bytes."""


class SerialHost:
    """A `sluice.registers.Bus` on a serial line."""

    def __init__(self, exchange: Exchange) -> None:
        """Take the line."""
        self._exchange = exchange

    def read(self, address: int) -> int:
        """The word at the address."""
        answer = self._exchange(bytes(divmod(address, 256)), 5)
        _check(answer[0], address)
        return int.from_bytes(answer[1:], "little")

    def write(self, address: int, value: int) -> None:
        """Store the word at the address."""
        high, low = divmod(address, 256)
        answer = self._exchange(bytes([0x80 | high, low]) + value.to_bytes(4, "little"), 1)
        _check(answer[0], address)


def terminal(device: Path) -> Exchange:
    """The line at a terminal device, opened; a break makes the board forget what it has of a command."""
    try:
        line = os.open(device, os.O_RDWR | os.O_NOCTTY)
    except OSError as error:
        raise UserError(f"cannot open {device}: {error.strerror}") from error
    raw = termios.CS8 | termios.CREAD | termios.CLOCAL
    speed = termios.B921600
    *_, control = termios.tcgetattr(line)
    control[termios.VMIN], control[termios.VTIME] = b"\1", b"\0"
    termios.tcsetattr(line, termios.TCSANOW, [0, 0, raw, 0, speed, speed, control])
    termios.tcsendbreak(line, 0)
    termios.tcflush(line, termios.TCIFLUSH)

    def exchange(command: bytes, size: int) -> bytes:
        os.write(line, command)
        answer = b""
        while len(answer) < size:
            if not select.select([line], [], [], WAIT_S)[0]:
                raise UserError(f"{device}: the board does not answer")
            answer += os.read(line, size - len(answer))
        return answer

    return exchange


def _check(status: int, address: int) -> None:
    if status:
        raise UserError(f"the board refuses address 0x{address:03x}")
