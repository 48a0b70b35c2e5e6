# SPDX-License-Identifier: Apache-2.0
"""Any master on the register bus, and a reset at any clock, as a cocotb test for any tile: addresses ahead of data or behind,
answers that are not taken for a while, words that are not there, sets that are refused. What a list of words would answer is
answered, once and in order."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import cocotb
from cocotb.triggers import FallingEdge
from cocotbext.axi import AxiResp
from tile.register_wires import ADDRESS, IN_FORCE, MAP, Wires, wires_of

NAMES = {ADDRESS[name]: name for name in ("limit", "limit_bytes")}
WIDTHS = {p["address"]: p["width"] for p in MAP["parameters"]}
DEFAULTS = {p["name"]: p["default"] for p in MAP["parameters"] if p["address"] in NAMES}
IS_REFUSED = next(1 << rule["bit"] for rule in MAP["rules"] if rule["name"] == "limit_in_ring")
PLACES = (*NAMES, *NAMES, ADDRESS["COMMIT"], ADDRESS["REFUSED"], ADDRESS["ID"], ADDRESS["limit"] + 1, 0x7F8)
WORDS = (0, 1, 5, 77, 1000, 0x2F00A5)
"""The last is more than a limit of packets holds."""
BOUND = 20_000  # clocks within which everything is answered, whatever a COMMIT has to do first


@dataclass
class Words:
    """What writes amount to, one after the other: a COMMIT takes what is staged, or puts back what is in force."""

    staged: dict[str, int] = field(default_factory=DEFAULTS.copy)
    in_force: dict[str, int] = field(default_factory=DEFAULTS.copy)
    refused: int = 0

    def write(self, address: int, word: int) -> AxiResp:
        if address in NAMES:
            if word >> WIDTHS[address]:
                return AxiResp.SLVERR
            self.staged[NAMES[address]] = word
        elif address == ADDRESS["COMMIT"] and word & 1 and not self.staged["limit"]:
            self.refused |= IS_REFUSED
            self.staged = self.in_force.copy()
        elif address == ADDRESS["COMMIT"] and word & 1:
            self.in_force = self.staged.copy()
        elif address == ADDRESS["REFUSED"]:
            self.refused &= ~word
        elif address != ADDRESS["COMMIT"]:
            return AxiResp.SLVERR
        return AxiResp.OKAY


class Master:
    """Random requests, each held until it is taken. A channel that asks is `aw`, `w` or `ar`, one that answers `b` or `r`."""

    def __init__(self, wires: Wires, rng: random.Random) -> None:
        self.wires, self.port, self.rng = wires, wires.port, rng
        self.seen: Counter[str] = Counter()
        self._begin()

    def _begin(self) -> None:
        self.words = Words()
        self.offered: dict[str, int] = {}
        self.taken: dict[str, list[int]] = {"aw": [], "w": [], "ar": []}
        self.answered = {"b": 0, "r": 0}
        self.kept: dict[str, tuple[int, ...]] = {}  # an answer that was not taken in the clock before

    @property
    def is_quiet(self) -> bool:
        writes = {len(self.taken["aw"]), len(self.taken["w"]), self.answered["b"]}
        return not self.offered and len(writes) == 1 and len(self.taken["ar"]) == self.answered["r"]

    async def clock(self, asking: float, taking: float) -> None:
        """One clock: each channel begins a request, or takes its answer, with these chances."""
        for channel, payload in (("aw", "awaddr"), ("w", "wdata"), ("ar", "araddr")):
            if channel not in self.offered and self.rng.random() < asking:
                self.offered[channel] = self.rng.choice(WORDS if channel == "w" else PLACES)
                self.port[payload].value = self.offered[channel]
            self.port[f"{channel}valid"].value = int(channel in self.offered)
        ready = {channel: int(self.rng.random() < taking) for channel in self.answered}
        for channel, value in ready.items():
            self.port[f"{channel}ready"].value = value
        # No output follows an input within a clock: what is shown now is what the next edge takes.
        for channel, is_taken in ready.items():
            self._answer(channel, is_taken=bool(is_taken))
        for channel in tuple(self.offered):
            if self.port[f"{channel}ready"].value:
                self.taken[channel].append(self.offered.pop(channel))
        await FallingEdge(self.wires.dut.clk)

    def _answer(self, channel: str, *, is_taken: bool) -> None:
        """An answer that is offered stays as it is until it is taken; each is of the oldest request that has none."""
        payload = ("bresp",) if channel == "b" else ("rresp", "rdata")
        is_valid = bool(self.port[f"{channel}valid"].value)
        shown = tuple(int(self.port[part].value) for part in payload) if is_valid else ()
        assert self.kept.get(channel, shown) == shown, f"{channel}: an answer changed before it was taken"
        self.kept.pop(channel, None)
        if not is_valid:
            return
        if not is_taken:
            self.kept[channel] = shown
            return
        number = self.answered[channel]
        self.answered[channel] += 1
        if channel == "r":
            place = self.taken["ar"][number]
            expected = AxiResp.OKAY if place in ADDRESS.values() else AxiResp.SLVERR
            assert place != ADDRESS["ID"] or shown[1] == int.from_bytes(b"SLUC", "big"), "ID"
        else:
            expected = self.words.write(self.taken["aw"][number], self.taken["w"][number])
        assert shown[0] == expected, f"{channel}: answer {number} is {shown[0]}"
        self.seen[f"{channel} {AxiResp(shown[0]).name}"] += 1

    async def settle(self) -> None:
        """No new requests, until all are answered; then every word is what the writes amount to."""
        for _ in range(BOUND):
            if self.is_quiet:
                break
            self._complete()
            await self.clock(0, 1)
        assert self.is_quiet, "a request is not answered"
        self.port["rready"].value = 1
        while await self.wires.read(ADDRESS["COMMIT"]):
            pass
        read = {name: await self.wires.read(address) for address, name in NAMES.items()}
        assert read == self.words.staged
        read = {name: await self.wires.read(address + IN_FORCE) for address, name in NAMES.items()}
        assert read == self.words.in_force
        assert await self.wires.read(ADDRESS["REFUSED"]) == self.words.refused
        await FallingEdge(self.wires.dut.clk)  # at which the last answer is taken

    def _complete(self) -> None:
        """An address without data, or data without an address, gets the other one."""
        begun = {channel: len(self.taken[channel]) + (channel in self.offered) for channel in ("aw", "w")}
        channel, payload = ("w", "wdata") if begun["aw"] > begun["w"] else ("aw", "awaddr")
        if begun["aw"] != begun["w"] and channel not in self.offered:
            self.offered[channel] = 1
            self.port[payload].value = 1

    async def reset(self) -> None:
        """At this clock, whatever is under way: nothing of it is answered afterwards."""
        for name in ("awvalid", "wvalid", "arvalid"):
            self.port[name].value = 0
        self.wires.dut.rst.value = 1
        for _ in range(self.rng.randint(1, 3)):
            await FallingEdge(self.wires.dut.clk)
        self.wires.dut.rst.value = 0
        self._begin()


@cocotb.test(timeout_time=5, timeout_unit="ms")
async def any_master_and_any_reset(dut: Any) -> None:
    """Six hundred stretches of requests, each ended by a reset or by a look at all words."""
    rng = random.Random(11)
    master = Master(await wires_of(dut), rng)
    ends: Counter[str] = Counter()
    for _ in range(600):
        asking, taking = rng.choice((0.05, 0.5, 1)), rng.choice((0.1, 0.5, 1))
        for _ in range(rng.randint(1, 120)):
            await master.clock(asking, taking)
        end = rng.choice(("reset", "amid", "settle")) if master.is_quiet else rng.choice(("amid", "settle"))
        ends[end] += 1
        await (master.settle() if end == "settle" else master.reset())
    assert min(ends["amid"], ends["settle"]) > 50
    assert all(master.seen[answer] > 300 for answer in ("b OKAY", "b SLVERR", "r OKAY", "r SLVERR"))
