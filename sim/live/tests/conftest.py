# SPDX-License-Identifier: Apache-2.0
"""A server of registers for the tests of this folder."""

from registers_host import serve

__all__ = ["serve"]
