# SPDX-License-Identifier: Apache-2.0
"""A server of registers for the tests of this folder."""

from __future__ import annotations

from registers_host import serve

__all__ = ["serve"]
