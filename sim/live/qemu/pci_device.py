# SPDX-License-Identifier: Apache-2.0
"""A PCI device outside of QEMU, whose one BAR is a datapath's registers.

QEMU's own device `x-pci-proxy-dev` sends a guest's accesses over a socket: a message is 16 bytes of head, `int command` and after
four bytes `size_t size`, and then so many bytes of what the command says; numbers are the host's. All that ask are answered by
RETURNED with 64 bits.
"""

from __future__ import annotations

import array
import os
import socket
import struct

from sluice.driver.device import Device, DriverError

VENDOR, DEVICE = 0x1234, 0x511C
"""Of nobody: an ID of one's own is bought from the PCI-SIG, and this device is none that is sold."""

BAR_BYTES = 4096
_NETWORK_OTHER = 0x0280_0000
_HEAD = struct.Struct("=i4xQ")
_CONFIG = struct.Struct("=IIi")
_ACCESS = struct.Struct("=QQI?3x")
_SYNC_MEMORY, _RETURNED, _CONFIG_WRITE, _CONFIG_READ, _BAR_WRITE, _BAR_READ, _SET_IRQ, _RESET = range(8)
_MOST_DESCRIPTORS = 8
_COMMAND, _BAR0 = 0x04, 0x10


class ConfigSpace:
    """What a PCI device says of itself, and the few bits of it that may be written."""

    def __init__(self) -> None:
        self._bytes = bytearray(256)
        struct.pack_into("<HHIII", self._bytes, 0, VENDOR, DEVICE, 0, _NETWORK_OTHER, 0)
        struct.pack_into("<HH", self._bytes, 0x2C, VENDOR, DEVICE)
        self._mask = bytearray(256)
        struct.pack_into("<H", self._mask, _COMMAND, 0x0406)  # memory, bus master, no interrupts
        struct.pack_into(
            "<I", self._mask, _BAR0, -BAR_BYTES & 0xFFFFFFFF
        )  # a BAR tells its size by the bits that stay 0
        self._mask[0x3C] = 0xFF  # the interrupt's line, a scratch pad of the firmware's

    def read(self, address: int, size: int) -> int:
        """So many bytes; all ones beyond the end."""
        return int.from_bytes(self._bytes[address : address + size].ljust(size, b"\xff"), "little")

    def write(self, address: int, value: int, size: int) -> None:
        """Bits that cannot be written stay."""
        for at, byte in enumerate(value.to_bytes(8, "little")[:size], address):
            if at < len(self._bytes):
                self._bytes[at] = self._bytes[at] & ~self._mask[at] | byte & self._mask[at]


class PciDevice:
    """Answers one QEMU until it ends."""

    def __init__(self, link: socket.socket, registers: Device) -> None:
        self._link = link
        self._registers = registers
        self._config = ConfigSpace()
        self.accesses = 0
        """To the BAR."""

    def serve(self) -> None:
        """Goes on until QEMU closes its end."""
        while head := self._receive(_HEAD.size):
            command, size = _HEAD.unpack(head)
            answer = self._answer(command, self._receive(size))
            if answer is not None:
                self._link.sendall(_HEAD.pack(_RETURNED, 8) + answer.to_bytes(8, "little"))

    def _answer(self, command: int, said: bytes) -> int | None:
        if command in (_SYNC_MEMORY, _SET_IRQ):  # descriptors of the guest's memory and for interrupts: neither is used
            return None
        if command in (_CONFIG_READ, _CONFIG_WRITE):
            address, value, size = _CONFIG.unpack(said)
            if command == _CONFIG_READ:
                return self._config.read(address, size)
            self._config.write(address, value, size)
        elif command in (_BAR_READ, _BAR_WRITE):
            address, value, size, _ = _ACCESS.unpack(said)
            return self._access(address % BAR_BYTES, value, size, is_write=command == _BAR_WRITE)
        return 0

    def _access(self, address: int, value: int, size: int, *, is_write: bool) -> int:
        """A bridge's manner: all ones for what is refused."""
        self.accesses += 1
        try:
            if size != 4:
                return -1 % (1 << 8 * size)
            if is_write:
                self._registers.write(address, value)
                return 0
            return self._registers.read(address)
        except DriverError:
            return 0xFFFFFFFF

    def _receive(self, size: int) -> bytes:
        """So many bytes, or none at the end. Descriptors that come along are closed."""
        data = b""
        while len(data) < size:
            room = socket.CMSG_SPACE(_MOST_DESCRIPTORS * array.array("i").itemsize)
            part, ancillary, _, _ = self._link.recvmsg(size - len(data), room)
            for _, _, descriptors in ancillary:
                for descriptor in array.array("i", descriptors):
                    os.close(descriptor)
            if not part:
                return b""
            data += part
        return data
