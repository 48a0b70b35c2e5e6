# SPDX-License-Identifier: Apache-2.0
"""Cocotb tests of the flow hash alone: the published vectors of receive-side scaling, and the golden model, key after key."""

from __future__ import annotations

import random
from ipaddress import ip_address

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, FallingEdge

from sluice_golden.blocks.arithmetic.flow_hash import flow_id, toeplitz

KEY_BYTES = 36
HASH_CYCLES = 4
LATENCY = 11
TABLE_WORDS = 1 << 14
SECRET = bytes.fromhex("6d5a56da255b0ec24167253d43a38fb0d0ca2bcbae7b30b477cb2da38030f20c6a42b73bbeac01fa")

# Source, its port, destination, its port, hash over the addresses, hash with the ports: the verification suite of
# Microsoft's receive-side scaling documentation.
VECTORS = (
    ("66.9.149.187", 2794, "161.142.100.80", 1766, 0x323E8FC2, 0x51CCC178),
    ("199.92.111.2", 14230, "65.69.140.83", 4739, 0xD718262A, 0xC626B0EA),
    ("24.19.198.95", 12898, "12.22.207.184", 38024, 0xD2D0A5DE, 0x5C2B394A),
    ("38.27.205.30", 48228, "209.142.163.6", 2217, 0x82989176, 0xAFC7327F),
    ("153.39.163.191", 44251, "202.188.127.2", 1303, 0x5D1809C5, 0x10E828A2),
    ("3ffe:2501:200:1fff::7", 2794, "3ffe:2501:200:3::1", 1766, 0x2CC18CD5, 0x40207D3D),
    ("3ffe:501:8::260:97ff:fe40:efab", 14230, "ff02::1", 4739, 0x0F0C461C, 0xDDE51BBF),
    ("3ffe:1900:4545:3:200:f8ff:fe21:67cf", 44251, "fe80::200:f8ff:fe21:67cf", 38024, 0x4B61E985, 0x02D1FEEF),
)


async def start(dut, secret: bytes) -> None:
    """Clock, reset, and the tables of a secret."""
    dut.io_key_valid.value = 0
    dut.io_isNew.value = 0
    dut.io_secret.value = int.from_bytes(secret, "big")
    cocotb.start_soon(Clock(dut.clk, 4, unit="ns").start())
    dut.rst.value = 1
    for _ in range(3):
        await FallingEdge(dut.clk)
    dut.rst.value = 0
    await complete(dut)


async def renew(dut, secret: bytes) -> None:
    """Another secret."""
    dut.io_secret.value = int.from_bytes(secret, "big")
    dut.io_isNew.value = 1
    await FallingEdge(dut.clk)
    dut.io_isNew.value = 0


async def complete(dut) -> None:
    """Until all words of the tables are there, which takes a clock each."""
    for _ in range(TABLE_WORDS):
        assert not dut.io_isComplete.value
        await FallingEdge(dut.clk)
    assert dut.io_isComplete.value


def padded(key: bytes) -> int:
    """A key as the port takes it."""
    return int.from_bytes(key.ljust(KEY_BYTES, b"\0"), "big")


@cocotb.test()
async def published_vectors(dut) -> None:
    """Every published hash, of model and RTL."""
    await start(dut, SECRET)
    dut.io_key_payload_tag.value = 0
    for source, sport, destination, dport, addresses, ports in VECTORS:
        key = ip_address(source).packed + ip_address(destination).packed
        for data, expected in ((key, addresses), (key + sport.to_bytes(2, "big") + dport.to_bytes(2, "big"), ports)):
            assert toeplitz(SECRET, data) == expected
            dut.io_key_payload_bytes.value = padded(data)
            for _ in range(HASH_CYCLES):
                await FallingEdge(dut.clk)
            assert int(dut.io_toeplitz.value) == expected


@cocotb.test()
async def one_key_per_clock(dut) -> None:
    """Random keys, one in each clock, against the model."""
    rng = random.Random(1)
    secret = rng.randbytes(40)
    await start(dut, bytes(40))
    await renew(dut, rng.randbytes(40))
    await ClockCycles(dut.clk, rng.randrange(1, TABLE_WORDS))
    await FallingEdge(dut.clk)
    await renew(dut, secret)  # before the tables of the other are complete
    await complete(dut)
    expected: list[int] = []
    checked = 0
    for cycle in range(2000):
        await FallingEdge(dut.clk)
        if dut.io_flow_valid.value:
            assert int(dut.io_flow_payload.value) == expected[checked]
            assert cycle - checked == LATENCY
            checked += 1
        key, tag = rng.randbytes(KEY_BYTES), rng.getrandbits(16)
        expected.append(flow_id(secret, key, tag))
        dut.io_key_valid.value = 1
        dut.io_key_payload_bytes.value = int.from_bytes(key, "big")
        dut.io_key_payload_tag.value = tag
    assert checked > 1900
