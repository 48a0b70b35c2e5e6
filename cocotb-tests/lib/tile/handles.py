# SPDX-License-Identifier: Apache-2.0
"""Signals of a module under simulation, by name."""

from __future__ import annotations

from typing import Any


class Handles:
    """What a module has, each looked up once: to find it by name takes as long as to read it."""

    def __init__(self, module: Any) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        handle = getattr(self._module, name)
        setattr(self, name, handle)
        return handle
