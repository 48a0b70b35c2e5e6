# SPDX-License-Identifier: Apache-2.0
"""A tile, its golden model and its registers: the model runs in step with the clock and checks every verdict and descriptor."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, get_args

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge

from lib.tile import looks
from lib.tile.axi_lite import AxiLiteHost
from lib.tile.handles import Handles
from lib.tile.player import dscp_colours, queue_secret
from sluice.faults.mutants import far_counters
from sluice.hardware.registers import RegisterMap
from sluice_golden.core import Action, Packet
from sluice_golden.tile.model import TileModel
from sluice_golden.tile.queue import Limits

if TYPE_CHECKING:
    import random

    from sluice_golden import CoreModel
    from sluice_golden.tile.model import Judged
    from sluice_golden.tile.queue import Left, Queued

_ACTIONS = get_args(Action)  # in the order of their codes
_SEEDS = ("seed0", "seed1", "seed2")


class TileBench:
    """One tile. :meth:`step` plays one cycle; register accesses run beside it as tasks of their own."""

    QUIET = ("s_arrival_valid", "s_arrival_rtt_us", "m_departure_ready", "now_ns", "s_ask_valid")
    """Inputs that are 0 until a test says otherwise."""

    def __init__(self, dut: Any, model: type[CoreModel], registers: dict[str, Any]) -> None:
        self.dut, self.ports, self.core = dut, Handles(dut), Handles(dut.core)
        self.clock_edge = FallingEdge(dut.clk)
        self.registers = registers
        self.map = RegisterMap(registers)
        self.codes = {reason["name"]: reason["code"] for reason in registers["reasons"]}
        self.raw = self._defaults()
        self.profiles: dict[int, int] = {}  # the word of each queue that has some, from the next set on
        self.levels: dict[int, int] = {}  # likewise
        self.core_names = list(model.defaults())
        self.core_model = model
        self.model = self._new_model()
        self.is_asked = self.model.asked is not None
        self.ahead, self.asked = 31, 0  # packets that the link may have asked for, and has
        self.staged: dict[str, int] = {}
        self.cycle = self.checked = self.departed = self.dropped = self.thrown = 0
        self.due: Judged | None = None
        self.cookie_bits = len(dut.s_arrival_cookie) if hasattr(dut, "s_arrival_cookie") else 0
        self.queue_bits = len(dut.s_arrival_queue) if hasattr(dut, "s_arrival_queue") else 0
        self.has_dscp = hasattr(dut, "s_arrival_dscp")

    async def start(self) -> None:
        dut = self.dut
        self.quiet(dut)
        cocotb.start_soon(Clock(dut.clk, 4, unit="ns").start())
        self.axil = AxiLiteHost(dut, dut.clk, dut.rst)
        dut.rst.value = 1
        for _ in range(4):
            await FallingEdge(dut.clk)
        dut.rst.value = 0

    def _defaults(self) -> dict[str, int]:
        return {p["name"]: round(p["default"] * (1 << p["fraction"])) for p in self.registers["parameters"]}

    def _new_model(self) -> TileModel:
        registers = self.registers
        return TileModel(
            self.core_model(),
            registers["core_latency_cycles"],
            self.raw["limit"],
            self.raw["limit_bytes"],
            tick_cycles={kind["name"]: kind["cycles"] for kind in registers["ticks"]},
            head_latency=registers["core_head_latency_cycles"],
            queues=self._limits_of_queues(),
            scheduler=self._scheduler(),
            queue_secret=queue_secret(self.raw),
            dscp_colours=dscp_colours(self.raw),
            ring_packets=1 << (next(w["reset"] for w in registers["registers"] if w["name"] == "CAPS") & 0xFF),
        )

    async def reset(self, cycles: int) -> None:
        """A reset for so long, with nothing offered and no set under way; the model begins anew."""
        self.quiet(self.dut)
        self.dut.rst.value = 1
        for _ in range(cycles):
            await FallingEdge(self.dut.clk)
        self.dut.rst.value = 0
        self.raw, self.profiles, self.levels = self._defaults(), {}, {}
        self.model = self._new_model()
        self.due, self.asked, self.staged = None, 0, {}

    @property
    def oldest(self) -> Queued | None:
        """Of several queues, the packet that leaves next."""
        picked = self.model.scheduled.picked if self.model.scheduled else None
        return picked[0] if picked else None

    @classmethod
    def quiet(cls, dut: Any) -> None:
        """No input says anything."""
        for name in cls.QUIET:
            if hasattr(dut, name):
                getattr(dut, name).value = 0

    async def read(self, name: str) -> int:
        return await self.axil.read_dword(self.map.addresses[name])

    async def write(self, name: str, value: int) -> None:
        await self.axil.write_dword(self.map.addresses[name], value)

    async def configure(self, raw: dict[str, int]) -> list[str]:
        """Stages raw values and commits them; the names of the broken rules. The model follows when the core applies them."""
        for name, value in raw.items():
            await self.write(name, value)
        self.staged = dict(raw)
        await self.write("COMMIT", 1)
        while await self.read("COMMIT"):
            pass
        refused = await self.read("REFUSED")
        await self.write("REFUSED", refused)
        if refused:
            self.staged = {}
        return self.map.broken_rules(refused)

    async def counters(self) -> dict[str, int]:
        """All counters of one instant."""
        await self.write("SNAPSHOT", 1)
        return await self.captured()

    async def captured(self) -> dict[str, int]:
        """All counters as the last snapshot has them, from the reset on."""
        values = {name: await self.axil.read_qword(address) for name, address in self.map.counters.items()}
        if not far_counters.are_expected():
            return values
        return {name: far_counters.since(name, value) for name, value in values.items()}

    def check_sums(self, snapshot: dict[str, int]) -> None:
        """Every packet and every byte that came is counted as dropped, queued or departed."""
        drops = [r["name"].lower().replace(" ", "_") for r in self.registers["reasons"] if r["action"] == "drop"]
        s = snapshot
        assert s["received_packets"] == sum(s[d] for d in drops) + s["queue_packets"] + s["departed_packets"], s
        queued = s.get("queue_dropped_bytes", 0) + s["queue_bytes"]
        assert s["received_bytes"] == s["dropped_bytes"] + queued + s["departed_bytes"], s
        looks.check_sums(s)
        queues = range(len(self.model.of_queues) if "queue0_received_packets" in s else 0)
        for unit in ("packets", "bytes"):
            for i in queues:
                rest = s[f"queue{i}_dropped_{unit}"] + s[f"queue{i}_{unit}"] + s[f"queue{i}_departed_{unit}"]
                assert s[f"queue{i}_received_{unit}"] == rest, s
            for what in ("received_", "departed_") if queues else ():
                assert sum(s[f"queue{i}_{what}{unit}"] for i in queues) == s[f"{what}{unit}"], s
            assert not queues or sum(s[f"queue{i}_{unit}"] for i in queues) == s[f"queue_{unit}"], s

    async def step(self, now_ns: int, packet: Packet | None, is_ready: bool) -> None:
        """One cycle: checks what the tile shows, then presents the next inputs. A link that must ask does so while it is ready,
        for at most `ahead` packets."""
        ports, core = self.ports, self.core
        await self.clock_edge
        self.cycle += 1
        self._check_verdict()
        ports.now_ns.value = now_ns
        ports.s_arrival_valid.value = int(packet is not None)
        ports.m_departure_ready.value = int(is_ready)
        if self.is_asked:
            asks = is_ready and self.asked < self.ahead
            ports.s_ask_valid.value = int(asks)
        is_applied = bool(core.applied.value)
        self.model.is_held = (self.model.is_held or bool(core.apply.value)) and not is_applied
        if is_applied:
            self._apply()
        self.model.begin(self.cycle, now_ns)
        if packet is not None:
            ports.s_arrival_flow.value = packet.flow
            ports.s_arrival_bytes.value = packet.size
            ports.s_arrival_ecn.value = packet.ecn
            if self.model.core.has_rtt:
                ports.s_arrival_rtt_us.value = packet.rtt_us
            if self.cookie_bits:
                ports.s_arrival_cookie.value = packet.cookie
            if self.queue_bits:
                ports.s_arrival_queue.value = packet.queue
            if self.has_dscp:
                ports.s_arrival_dscp.value = packet.dscp
        if self.model.asked.is_asked if self.model.asked else is_ready:
            self.model.found_empty(self.cycle, packet)
        if packet is not None:
            self.model.arrive(self.cycle, packet)
        if self.is_asked and asks and ports.s_ask_ready.value:
            self.model.ask()
            self.asked += 1
        if is_ready and ports.m_departure_valid.value:
            self._check_left("m_departure", self.model.leave(self.cycle))
            self.departed += 1
            self.asked -= 1
        if self.is_asked and ports.m_dropped_valid.value:
            self._check_left("m_dropped", self.model.leave(self.cycle))
            self.dropped += 1
        self._check_victim()
        self.due = self.model.finish(self.cycle)

    def random_packet(self, rng: random.Random, size: int) -> Packet:
        """A packet of any flow, with any handle and round-trip time that the tile can carry."""
        cookie, ecn = rng.getrandbits(self.cookie_bits), rng.choice((0, 0, 1, 2, 3))
        rtt_us = self.model.core.rtt_us(rng) if self.model.core.has_rtt else 0
        queue = rng.getrandbits(self.queue_bits)
        return Packet(rng.getrandbits(32), size, ecn, rtt_us, cookie=cookie, queue=queue)

    def check_status(self) -> None:
        """Compares what the core shows; only with nothing in judgment."""
        for name, value in self.model.core.status().items():
            seen = int(getattr(self.core, f"status_{name}").value)
            assert seen == value, f"status {name}: core {seen}, model {value}"

    def _check_left(self, port: str, left: Left) -> None:
        """What leaves on a port is what the model lets go."""
        ports, packet = self.ports, left.packet
        seen = (
            int(getattr(ports, f"{port}_flow").value),
            int(getattr(ports, f"{port}_bytes").value),
            bool(getattr(ports, f"{port}_is_ce").value),
            int(getattr(ports, f"{port}_reason").value) if self.is_asked else 0,
            self._cookie(port),
            self._queue(port),
        )
        expected = (
            packet.flow,
            packet.size,
            packet.is_ce,
            self.codes.get(left.reason, 0),
            packet.cookie,
            packet.queue,
        )
        assert seen == expected, f"cycle {self.cycle}, {port}: {seen} instead of {left}"
        assert left.is_dropped == (port == "m_dropped"), f"cycle {self.cycle}, {port}: {left}"

    def _check_victim(self) -> None:
        """What was thrown out in the cycle before."""
        if not self.model.core.takes_victims:
            return
        victim = self.model.thrown
        assert bool(self.ports.m_victim_valid.value) == (victim is not None), f"cycle {self.cycle}: {victim}"
        if victim is not None:
            place = int(self.ports.m_victim_place.value)
            assert place == victim.place % (1 << len(self.ports.m_victim_place)), f"place {place} instead of {victim}"
            self.thrown += 1

    def _cookie(self, port: str) -> int:
        return int(getattr(self.ports, f"{port}_cookie").value) if self.cookie_bits else 0

    def _queue(self, port: str) -> int:
        return int(getattr(self.ports, f"{port}_queue").value) if self.model.of_queues else 0

    def _check_verdict(self) -> None:
        ports = self.ports
        assert bool(ports.m_verdict_valid.value) == (self.due is not None), (
            f"cycle {self.cycle}: verdict too soon or missing"
        )
        if self.due is not None:
            verdict = self.due.verdict
            seen = (
                int(ports.m_verdict_action.value),
                int(ports.m_verdict_reason.value),
                self._cookie("m_verdict"),
                self._queue("m_verdict"),
            )
            expected = (
                _ACTIONS.index(verdict.action),
                self.codes.get(verdict.reason, 0),
                self.due.cookie,
                self.due.queue,
            )
            assert seen == expected, f"verdict {self.checked}: tile {seen}, model {self.due}"
            self.checked += 1

    def _limits_of_queues(self) -> list[Limits]:
        """What each of several queues is set to."""
        if "queue_limit" in self.raw:
            limits = (self.raw[f"queue_{what}"] for what in ("limit", "limit_bytes", "quantum"))
            each = Limits(*limits, alpha=self.raw["queue_alpha"])
            number = next(w["reset"] for w in self.registers["registers"] if w["name"] == "QUEUES")
            return [
                replace(each, profiles=self.profiles.get(queue, 0), level=self.levels.get(queue, 0))
                for queue in range(number)
            ]
        numbers = range(sum(name.endswith("_limit") for name in self.raw))
        return [
            Limits(self.raw[f"queue{i}_limit"], self.raw[f"queue{i}_limit_bytes"], self.raw.get(f"queue{i}_quantum", 0))
            for i in numbers
        ]

    def _scheduler(self) -> str:
        if "SELECTED_LEVEL" in self.map.addresses:
            return "levels"
        has_quanta = self.raw.keys() & {"queue_quantum", "queue0_quantum"}
        return "drr" if has_quanta or self.core_model.gives_quanta else "strict"

    def _apply(self) -> None:
        self.raw |= self.staged
        seeds = tuple(self.raw[name] for name in _SEEDS) if self.staged.keys() & set(_SEEDS) else None
        queues, secret = self._limits_of_queues(), queue_secret(self.raw)
        self.model.apply(self.raw["limit"], self.raw["limit_bytes"], seeds, queues, secret, dscp_colours(self.raw))
        self.model.apply_core({name: self.raw[name] for name in self.core_names})
        self.staged = {}
