# SPDX-License-Identifier: Apache-2.0
"""The host of a block's registers, over AXI4-Lite, that hears every answer."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiResp


class AxiLiteHost(AxiLiteMaster):
    """The registers behind the ports of a prefix. Reads and writes of words must be answered OKAY; who expects another answer
    calls `read` and `write`, which return it. What a reset cuts off has none."""

    def __init__(self, dut: Any, clock: Any, reset: Any = None, prefix: str = "s_axil") -> None:
        super().__init__(AxiLiteBus.from_prefix(dut, prefix), clock, reset)
        for port in (self.read_if, self.write_if):
            port.log.setLevel(logging.WARNING)

    async def read_words(
        self, address: int, count: int, byteorder: str = "little", ws: int = 2, **options: Any
    ) -> list[int]:
        """So many words of `ws` bytes from an address on."""
        answer = await self.read(address, count * ws, **options)
        _check(answer, "read", address)
        return [int.from_bytes(answer.data[i * ws : (i + 1) * ws], byteorder) for i in range(count)]

    async def write_words(
        self, address: int, data: Sequence[int], byteorder: str = "little", ws: int = 2, **options: Any
    ) -> None:
        """Words of `ws` bytes to an address and those behind it."""
        answer = await self.write(address, b"".join(word.to_bytes(ws, byteorder) for word in data), **options)
        if answer is not None:
            _check(answer, "write", address)


def _check(answer: Any, access: str, address: int) -> None:
    assert answer.resp == AxiResp.OKAY, f"a {access} at {address:#x} is answered {answer.resp.name}"
