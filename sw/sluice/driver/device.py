# SPDX-License-Identifier: Apache-2.0
"""The C driver from Python: tiles and datapaths behind a simulation's socket or a memory-mapped window, as a register bus."""

from __future__ import annotations

import ctypes
import errno
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Self

from sluice.support import paths
from sluice.support.errors import UserError


class DriverError(UserError):
    """A call of the driver failed; `code` is its error's name, such as "ENODEV"."""

    def __init__(self, error: int, says: str) -> None:
        super().__init__(says)
        self.code = errno.errorcode[-error]


class _Word(ctypes.Structure):
    """The driver's struct sluice_word."""

    _fields_ = (("address", ctypes.c_uint32), ("word", ctypes.c_uint32), ("is_write", ctypes.c_bool))


class Device:
    """A `sluice.hardware.registers.Bus` over the C driver; a context, which closes it."""

    def __init__(self, where: str) -> None:
        """Open what the driver's sluice_open takes: "unix:PATH#DIRECTION", "uio:/dev/uio0", "pci:0000:01:00.0/2"."""
        self._driver = ctypes.CDLL(str(paths.made(paths.build() / "driver" / "libsluice.so")))
        for name in ("sluice_message", "sluice_error"):
            getattr(self._driver, name).restype = ctypes.c_char_p
        self._handle = ctypes.c_void_p()
        error = self._driver.sluice_open(ctypes.byref(self._handle), where.encode())
        if error:
            raise DriverError(error, f"{where}: {self._driver.sluice_error(error).decode()}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End it, and what it has locked or staged and not committed."""
        self._driver.sluice_close(self._handle)
        self._handle = ctypes.c_void_p()

    def read(self, address: int) -> int:
        """A register word."""
        word = ctypes.c_uint32()
        self._check(self._driver.sluice_read(self._handle, ctypes.c_uint32(address), ctypes.byref(word)))
        return word.value

    def write(self, address: int, value: int) -> None:
        """Write a register word."""
        self._check(self._driver.sluice_write(self._handle, ctypes.c_uint32(address), ctypes.c_uint32(value)))

    def batch(self, accesses: Sequence[tuple[int, int | None]]) -> list[int]:
        """Accesses in their order, with nobody else's between: addresses, each with a word to write, or with None to be read.

        Returns what was read, for writes what was written.
        """
        words = (_Word * len(accesses))(*(_Word(address, word or 0, word is not None) for address, word in accesses))
        self._check(self._driver.sluice_batch(self._handle, words, ctypes.c_size_t(len(words))))
        return [each.word for each in words]

    @contextmanager
    def locked(self, wait_ms: int = 1000) -> Iterator[None]:
        """As long as it lasts, nobody else writes."""
        self._check(self._driver.sluice_lock(self._handle, ctypes.c_uint(wait_ms)))
        try:
            yield
        finally:
            self._check(self._driver.sluice_unlock(self._handle))

    def _check(self, error: int) -> None:
        if error:
            raise DriverError(error, self._driver.sluice_message(self._handle).decode())
