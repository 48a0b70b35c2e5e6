# SPDX-License-Identifier: Apache-2.0
"""The registers of a board over its serial line: 921,600 baud, 8 data bits, no parity.

A command is two bytes, bit 7 of the first for a write and bits 11:8 of the address, then bits 7:0; a write has its word behind
them, lowest byte first. The answer is a status byte, 0 unless there is no such word, and to a read the word.
"""

from __future__ import annotations

import os
from collections.abc import Callable

import serial

from sluice.support.errors import UserError

BAUD = 921600
WAIT_S = 1.0
"""How long a board may take for a byte of its answer; it takes microseconds."""

Exchange = Callable[[bytes, int], bytes]
"""Sends a command and gives the answer of so many bytes."""


class SerialHost:
    """A `sluice.hardware.registers.Bus` on a serial line."""

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


def terminal(device: str) -> Exchange:
    """The line at a device of the system's, or at a URL of pySerial's, opened; a break makes the board forget what it has of a
    command."""
    try:
        line = serial.serial_for_url(device, BAUD, timeout=WAIT_S)
        line.send_break()
        line.reset_input_buffer()
    except OSError as error:
        why = os.strerror(error.errno) if error.errno else error
        raise UserError(f"cannot open {device}: {why}") from error
    except ValueError as error:
        raise UserError(f"cannot open {device}: {error}") from error

    def exchange(command: bytes, size: int) -> bytes:
        try:
            line.write(command)
            answer: bytes = line.read(size)
        except OSError as error:
            raise UserError(f"{device}: {error}") from error
        if len(answer) < size:
            raise UserError(f"{device}: the board does not answer")
        return answer

    return exchange


def _check(status: int, address: int) -> None:
    if status:
        raise UserError(f"the board refuses address 0x{address:03x}")
