# SPDX-License-Identifier: Apache-2.0
"""The register block as a host sees it, as cocotb tests for any tile."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import cocotb
from cocotb.triggers import FallingEdge
from cocotbext.axi import AxiResp
from lib.core.parameter_sets import anywhere, legal_set
from tile.register_wires import ADDRESS, CONFIG, IN_FORCE, LIMIT_DEFAULT, MAP, bench_of, wires_of

from sluice_golden import models

if TYPE_CHECKING:
    from lib.tile.bench import TileBench


async def stage_all(bench: TileBench, values: dict[str, int]) -> None:
    """Words one by one, without COMMIT."""
    for name, value in values.items():
        await bench.write(name, value)


@cocotb.test()
async def what_is_applied_is_what_was_checked(dut: Any) -> None:
    """A write right behind COMMIT is staged and nothing more, however it falls."""
    wires = await wires_of(dut)
    for after in (0, 262_143):
        await wires.writes(("limit", 100), ("COMMIT", 1), ("limit", after))
        assert await wires.limits() == (after, 100, 0)
    # And so no ring overflows: a thousand packets fit it, not three.
    await wires.writes(("limit", LIMIT_DEFAULT), ("COMMIT", 1), ("limit", 262_143))
    accepted = departed = 0
    for clock in range(5500):
        dut.s_arrival_valid.value, dut.s_arrival_bytes.value = int(clock < 3000), 1
        dut.m_departure_ready.value = int(clock >= 3100)
        departed += bool(dut.m_departure_valid.value) and clock >= 3100
        await FallingEdge(dut.clk)
        accepted += bool(dut.m_verdict_valid.value) and int(dut.m_verdict_action.value) != 2
    assert departed == accepted <= LIMIT_DEFAULT
    await wires.writes(("SNAPSHOT", 1))
    assert await wires.read(ADDRESS["queue_packets"]) == 0


@cocotb.test()
async def no_accepted_write_is_lost(dut: Any) -> None:
    """Behind a set that is refused, the next writes wait until it is put back, and count."""
    wires = await wires_of(dut)
    for legal in range(1, 6):
        again = (("limit", 40 + legal),) * legal
        await wires.writes(("limit", 0), ("COMMIT", 1), *again, ("COMMIT", 1), ("limit", 7))
        assert await wires.limits() == (7, 40 + legal, 1)
        await wires.writes(("REFUSED", 1))


@cocotb.test()
async def what_cannot_be_done_is_an_error(dut: Any) -> None:
    """Words that are not there, that cannot be written, parts of words, numbers too wide: SLVERR, and nothing changes."""
    bench = await bench_of(dut)
    readable = {word["address"] for word in MAP["registers"]}
    readable |= {p["address"] + IN_FORCE for p in MAP["parameters"]}
    writable = {word["address"]: word for word in MAP["registers"] if word["access"] != "ro"}
    before = {address: (await bench.axil.read(address, 4)).data for address in sorted(readable)}
    for address in range(0, 1 << 12, 4):
        expected = AxiResp.OKAY if address in readable else AxiResp.SLVERR
        assert (await bench.axil.read(address, 4)).resp == expected, f"reading {address:#x}"
        if address not in writable:
            assert (await bench.axil.write(address, b"\1\0\0\0")).resp == AxiResp.SLVERR, f"writing {address:#x}"
            continue
        for first, length in ((0, 1), (1, 1), (0, 2), (2, 2), (1, 3)):
            assert (await bench.axil.write(address + first, b"\1" * length)).resp == AxiResp.SLVERR
        width = writable[address]["width"]
        if writable[address]["access"] == "rw" and width < 32:
            for wide in (*(1 << bit for bit in range(width, 32)), 0xFFFFFFFF):
                assert (await bench.axil.write(address, wide.to_bytes(4, "little"))).resp == AxiResp.SLVERR
    after = {address: (await bench.axil.read(address, 4)).data for address in sorted(readable)}
    assert after == before


@cocotb.test()
async def addresses_within_a_word_are_errors(dut: Any) -> None:
    """To read or to write there is SLVERR and changes nothing; a write of no bytes is OKAY, wherever it is."""
    wires = await wires_of(dut)
    limit, commit, in_force = ADDRESS["limit"], ADDRESS["COMMIT"], ADDRESS["limit"] + IN_FORCE
    assert await wires.answer(limit) == await wires.answer(limit, 77) == AxiResp.OKAY
    for by in (1, 2, 3):
        for address in (limit, in_force, ADDRESS["ID"]):
            assert await wires.answer(address + by) == AxiResp.SLVERR
        assert await wires.answer(limit + by, 99) == await wires.answer(commit + by, 1) == AxiResp.SLVERR
        assert await wires.limits() == (77, LIMIT_DEFAULT, 0)
    wires.port["wstrb"].value = 0
    for address in (limit, commit, commit + 3, ADDRESS["ID"], 0x7F8):
        assert await wires.answer(address, 1) == AxiResp.OKAY
    wires.port["wstrb"].value = 0xF
    assert await wires.limits() == (77, LIMIT_DEFAULT, 0)
    assert await wires.answer(commit, 1) == AxiResp.OKAY
    while await wires.read(commit):
        pass
    assert await wires.limits() == (77, 77, 0)


@cocotb.test()
async def staged_words_read_back(dut: Any) -> None:
    """What was written is what is read until COMMIT, beside what is in force; a write of no bytes writes none."""
    wires = await wires_of(dut)
    staged = ADDRESS["limit_bytes"]
    before = await wires.read(staged + IN_FORCE)
    await wires.writes(("limit_bytes", 0x1234567))
    assert (await wires.read(staged), await wires.read(staged + IN_FORCE)) == (0x1234567, before)
    wires.port["wstrb"].value = 0
    await wires.writes(("limit_bytes", 1))
    assert await wires.read(staged) == 0x1234567
    wires.port["wstrb"].value = 0xF
    await wires.writes(("COMMIT", 1))
    assert await wires.read(staged + IN_FORCE) == 0x1234567


@cocotb.test()
async def every_bit_has_a_place(dut: Any) -> None:
    """Whole sets of random words: read back as they are staged, then as they are in force. Of one that is refused nothing is
    left, neither in what is read nor in what the next COMMIT takes."""
    bench = await bench_of(dut)
    rng = random.Random(8)
    model = models()[CONFIG]
    widths = {p["name"]: p["width"] for p in MAP["parameters"]}
    of_core = {name: widths[name] for name in model.defaults()}
    of_tile = ("limit_bytes", "seed0", "seed1", "seed2")
    in_force = dict(bench.raw)
    was_high, was_low = dict.fromkeys(of_tile, 0), dict.fromkeys(of_tile, 0)

    def drawn() -> dict[str, int]:
        values = {name: rng.randrange(16, 1 << widths[name]) for name in of_tile}
        return values | {"limit": rng.randint(1, 1000)} | legal_set(rng, model, of_core, model.defaults(), anywhere)

    async def check(staged: dict[str, int]) -> None:
        assert {name: await bench.read(name) for name in staged} == staged
        assert {name: await bench.axil.read_dword(ADDRESS[name] + IN_FORCE) for name in in_force} == in_force

    for _ in range(12):
        legal = drawn()
        await stage_all(bench, legal)
        await check(legal)
        assert await bench.configure({}) == []
        in_force = legal
        refused = drawn() | {"limit": 0}
        await stage_all(bench, refused)
        await check(refused)
        assert await bench.configure({}) == ["limit_in_ring"]
        await check(in_force)
        assert await bench.configure({}) == []
        await check(in_force)
        for name in of_tile:
            was_high[name] |= legal[name]
            was_low[name] |= ~legal[name]
    assert all(was_high[name] & was_low[name] == (1 << widths[name]) - 1 for name in of_tile)


@cocotb.test()
async def broken_rules_add_up(dut: Any) -> None:
    """REFUSED keeps the rules of every refused set until each is cleared; a COMMIT without its bit does nothing; the least
    legal values break none."""
    bench = await bench_of(dut)
    bits = {rule["name"]: 1 << rule["bit"] for rule in MAP["rules"]}
    illegal = {
        "limit_in_ring": ("limit", 0),
        "seed0_at_least_2": ("seed0", 1),
        "seed1_at_least_8": ("seed1", 7),
        "seed2_at_least_16": ("seed2", 15),
    }
    refused = 0

    async def commit(value: int) -> None:
        await bench.write("COMMIT", value)
        while await bench.read("COMMIT"):
            pass
        assert await bench.read("REFUSED") == refused

    for rule, (name, value) in illegal.items():
        await bench.write(name, value)
        await commit(2)
        assert await bench.read(name) == value
        refused |= bits[rule]
        await commit(1)
    for rule in illegal:
        await bench.write("REFUSED", bits[rule])
        refused &= ~bits[rule]
        assert await bench.read("REFUSED") == refused
    await stage_all(bench, dict(illegal.values()))
    refused = sum(bits[rule] for rule in illegal)
    await commit(1)
    await bench.write("REFUSED", refused)
    refused = 0
    await stage_all(bench, {"limit": 1, "seed0": 2, "seed1": 8, "seed2": 16})
    await commit(1)
    for bit in range(4, 32):  # any one of them is enough for a seed
        await stage_all(bench, {f"seed{i}": 1 << bit for i in range(3)})
        await commit(1)


@cocotb.test()
async def a_reset_puts_all_back(dut: Any) -> None:
    """Reset in the middle of a commit, a refusal or the putting back: afterwards all is as it began."""
    rng = random.Random(7)
    bench = await bench_of(dut)
    for _ in range(12):
        host = cocotb.start_soon(bench.configure({"limit": rng.choice((0, 5)), "limit_bytes": 99}))
        for _ in range(rng.randrange(20, 500)):
            await FallingEdge(dut.clk)
        host.cancel()
        dut.rst.value = 1
        for _ in range(3):
            await FallingEdge(dut.clk)
        dut.rst.value = 0
        assert {name: await bench.read(name) for name in bench.raw} == bench.raw
        assert await bench.read("REFUSED") == 0
        assert await bench.axil.read_dword(ADDRESS["limit_bytes"] + IN_FORCE) == bench.raw["limit_bytes"]
