# SPDX-License-Identifier: Apache-2.0
"""Signals of a module under simulation, by name."""

from __future__ import annotations

from typing import Any

_DEPOSIT = 0


class Port:
    """A signal as a number. The simulator knows 0 and 1 only, and all that cocotb's own handle does beside reading and writing
    takes five times as long as these."""

    __slots__ = ("_low", "_width", "handle")

    def __init__(self, handle: Any) -> None:
        self.handle = handle
        """For triggers."""
        self._low, self._width = handle._handle, len(handle)

    def __len__(self) -> int:
        return self._width

    @property
    def value(self) -> int:
        return int(self._low.get_signal_val_binstr(), 2)

    @value.setter
    def value(self, value: int) -> None:
        width = self._width
        if value >> width:
            raise ValueError(f"{value} for {width} bits")
        if width < 32:
            self._low.set_signal_val_int(_DEPOSIT, value)
        else:
            self._low.set_signal_val_binstr(_DEPOSIT, f"{value:0{width}b}")


class Handles:
    """What a module has, each looked up once: to find it by name takes as long as to read it."""

    def __init__(self, module: Any) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Port:
        port = Port(getattr(self._module, name))
        setattr(self, name, port)
        return port
