# SPDX-License-Identifier: Apache-2.0
"""A whole tile at the simulator's speed: traffic and the host's words as rows of inputs, and what the tile shows in each."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from lib.simulation import RTL, registers
from lib.tile.looks import ACCESS, Look, Reader, compare, counters_of, looks_along, write_word
from lib.witness import model_of
from sluice.hardware.registers import RegisterMap
from sluice.support import paths
from sluice_golden.core import Action
from sluice_golden.tile.model import TileModel
from sluice_golden.tile.queue import Limits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from lib.player import Player
    from sluice_golden.core import CoreModel, Packet

_RESTORING = 600
"""Clocks until the registers take the first word."""
_ACTIONS = get_args(Action)  # in the order of their codes
_CLOCK_NS = 4
SETTLING = 16
"""Clocks in which no time may pass where a tile has ticks: model and tile then agree when the first is due."""


def source_of(config: str) -> Path:
    """The tile of a configuration."""
    return RTL / config / f"{paths.module('tile', config)}.sv"


@dataclass(frozen=True, slots=True)
class Shown:
    """What a tile showed: its outputs in the clocks of the traffic, and its counters at each look and after it."""

    ports: dict[str, np.ndarray]
    is_ready: Sequence[bool]
    now_ns: np.ndarray
    counters: Sequence[dict[str, int]]

    @property
    def departures(self) -> list[int]:
        """The clocks in which the link took a packet."""
        taken = (self.ports["m_departure_valid"] == 1) & np.array(self.is_ready)
        return [int(clock) for clock in np.flatnonzero(taken)]

    def along(self, port: str) -> list[int]:
        """A port in all clocks, where there is one: to take element by element out of an array takes ten times as long."""
        return self.ports[port].tolist() if port in self.ports else []

    def at(self, clock: int, port: str, *fields: str) -> tuple[int, ...]:
        """Some fields of a port."""
        return tuple(int(self.ports[f"{port}_{field}"][clock]) for field in fields)


@dataclass(frozen=True, slots=True)
class TilePlay:
    """One run of a tile of several queues: sets of parameters, what single queues are set to, then traffic, then its counters."""

    config: str
    settings: dict[str, int]
    """Parameters, by their names."""
    offered: Sequence[Packet | None]
    """In each clock."""
    is_ready: Sequence[bool]
    """Whether the link takes a packet, likewise."""
    quanta: dict[int, int] = field(default_factory=dict)
    """Of queues that have one of their own."""
    sets: Sequence[dict[str, int]] = ()
    """What changes in further sets, one after the other: profiles."""
    profiles: dict[int, int] = field(default_factory=dict)
    """The word of each queue with the numbers of its profiles, where not 0."""
    alphas: dict[int, int] = field(default_factory=dict)
    """Codes of queues that have a part of their own of what is free."""
    levels: dict[int, int] = field(default_factory=dict)
    """Of queues that have another one than the lowest."""
    asks: Sequence[bool] = ()
    """Whether the link asks for a packet, of a tile that waits for that: in each clock."""
    step_ns: Sequence[int] = ()
    """Time from each clock to the next; everywhere the same, where nothing is said."""
    looks: Sequence[Look] = ()
    """At the counters, one after the other, before the one at the end."""

    def watched(self, seed: int) -> TilePlay:
        """The same with a host that looks at the counters all the time."""
        known = RegisterMap(registers(self.config))
        return replace(self, looks=looks_along(self.offered, known, random.Random(seed)))

    @property
    def all_looks(self) -> list[Look]:
        """Those, and the one at the end."""
        return [*self.looks, Look(len(self.offered), 0)]

    def run(self, player: Player) -> Shown:
        """Plays it on the tile or a copy of it."""
        known = RegisterMap(registers(self.config))
        words = [*self.settings.items(), ("COMMIT", 1)]
        for changed in self.sets:
            words += [*changed.items(), ("COMMIT", 1)]
        for name, numbers in (
            ("SELECTED_QUANTUM", self.quanta),
            ("SELECTED_PROFILE", self.profiles),
            ("SELECTED_ALPHA", self.alphas),
            ("SELECTED_LEVEL", self.levels),
        ):
            for queue, number in numbers.items():
                words += [("QUEUE_SELECT", queue), (name, number)]
        begin, reader = _RESTORING + ACCESS * len(words), Reader(known)
        end = begin + len(self.offered)
        inputs = {port.name: np.zeros(end + reader.clocks, port.type) for port in player.inputs}
        for i, (name, value) in enumerate(words):
            write_word(inputs, _RESTORING + ACCESS * i, known.addresses[name], value)
        for look in self.all_looks:
            reader.write(inputs, begin, look)
        inputs["s_axil_rready"][:] = inputs["s_axil_bready"][:] = 1
        inputs["now_ns"][:] = self._times(begin, len(inputs["now_ns"]))
        for clock, packet in enumerate(self.offered, begin):
            if packet is not None:
                inputs["s_arrival_valid"][clock] = 1
                inputs["s_arrival_flow"][clock], inputs["s_arrival_bytes"][clock] = packet.flow, packet.size
                inputs["s_arrival_ecn"][clock] = packet.ecn
                if "s_arrival_queue" in inputs:
                    inputs["s_arrival_queue"][clock] = packet.queue
                if "s_arrival_dscp" in inputs:
                    inputs["s_arrival_dscp"][clock] = packet.dscp
        inputs["m_departure_ready"][begin:end] = self.is_ready
        if self.asks:
            inputs["s_ask_valid"][begin:end] = self.asks
        seen = player.play(inputs)
        is_answer = seen["s_axil_bvalid"] == 1
        assert int(is_answer.sum()) == len(words) + reader.writes * len(self.all_looks)
        assert not seen["s_axil_bresp"][is_answer].any(), "a setting was refused"
        answers = seen["s_axil_rdata"][seen["s_axil_rvalid"] == 1]
        return Shown(
            {name: column[begin:end] for name, column in seen.items()},
            self.is_ready,
            inputs["now_ns"][begin:end],
            reader.read([int(answer) for answer in answers]),
        )

    def check(self, player: Player) -> Counter[str]:
        """Compares every verdict in its clock, every departure and at each look and at the end every counter with the golden
        model's; how many verdicts, drops and departures that were, and verdicts of each reason."""
        shown = self.run(player)
        codes = {reason["name"]: reason["code"] for reason in registers(self.config)["reasons"]}
        compared = Counter({"verdicts": 0, "drops": 0, "departures": 0})
        if self.asks:
            compared["dropped"] = 0
        model, due = self._model(), None
        is_judged, is_leaving, is_dropped, is_open = map(
            shown.along, ("m_verdict_valid", "m_departure_valid", "m_dropped_valid", "s_ask_ready")
        )
        looked = {look.copied: (look, read) for look, read in zip(self.all_looks, shown.counters, strict=True)}
        traffic = zip(self.offered, self.is_ready, shown.now_ns.tolist(), strict=True)
        for clock, (packet, is_ready, now_ns) in enumerate(traffic):
            assert is_judged[clock] == (due is not None), f"clock {clock}: verdict too soon or missing"
            if due is not None:
                verdict = due.verdict
                expected = (_ACTIONS.index(verdict.action), codes.get(verdict.reason, 0), due.queue)
                seen = shown.at(clock, "m_verdict", "action", "reason", "queue")
                assert seen == expected, f"clock {clock}, verdict {compared['verdicts']}: {seen} instead of {due}"
                compared["verdicts"] += 1
                compared["drops"] += verdict.action == "drop"
                compared[verdict.reason] += 1
            model.begin(clock, now_ns)
            if packet is not None:
                model.arrive(clock, packet)
            if self.asks and self.asks[clock] and is_open[clock]:
                model.ask()
            if is_ready and is_leaving[clock]:
                compared[self._check_left(shown, clock, model, codes, "m_departure")] += 1
                compared["departures"] += 1
            if self.asks and is_dropped[clock]:
                compared[self._check_left(shown, clock, model, codes, "m_dropped")] += 1
                compared["dropped"] += 1
            due = model.finish(clock)
            if clock in looked:
                look, read = looked[clock]
                compare(clock, read, counters_of(model, look.queue))
                compared["looks at a queue"] += "selected_packets" in read
        compare(clock, shown.counters[-1], counters_of(model, self.all_looks[-1].queue))
        return compared

    def _check_left(self, shown: Shown, clock: int, model: TileModel, codes: Mapping[str, int], port: str) -> str:
        """What leaves on a port is what the model lets go; why it was dropped or marked."""
        waiting = model.lists.picked if model.lists else model.fair.leaving if model.fair else ()
        assert waiting, f"clock {clock}: {port} of nothing"
        left = model.leave(clock)
        fields = {"flow": left.packet.flow, "bytes": left.packet.size, "is_ce": left.packet.is_ce}
        fields |= {"queue": left.packet.queue}
        if self.asks:
            fields |= {"reason": codes.get(left.reason, 0)}
        seen = shown.at(clock, port, *fields)
        assert seen == tuple(fields.values()), f"clock {clock}, {port}: {seen} instead of {left}"
        assert left.is_dropped == (port == "m_dropped"), f"clock {clock}, {port}: {left}"
        return left.reason

    def _times(self, begin: int, rows: int) -> np.ndarray:
        """Time in each row, of which the traffic has those from `begin` on. It stands still until then, so that no tick comes
        that the model does not see."""
        steps = np.full(rows, _CLOCK_NS, dtype=np.uint64)
        steps[1:begin] = 0
        if self.step_ns:
            steps[begin : begin + len(self.step_ns)] = self.step_ns
        return np.cumsum(steps)

    def _model(self) -> TileModel:
        declared: dict[str, Any] = registers(self.config)
        raw = raw_defaults(declared) | self.settings
        each = [
            Limits(
                raw["queue_limit"],
                raw["queue_limit_bytes"],
                self.quanta.get(queue) or raw["queue_quantum"],
                self.profiles.get(queue, 0),
                self.alphas.get(queue) or raw["queue_alpha"],
                self.levels.get(queue, 0),
            )
            for queue in range(_resets(declared)["QUEUES"])
        ]
        core, set_now = model_of(self.config)(), dict(raw)
        for changed in ({}, *self.sets):
            set_now |= changed
            core.apply({name: set_now[name] for name in core.defaults()})
        return tile_model(declared, core, raw, each)


def raw_defaults(declared: Mapping[str, Any]) -> dict[str, int]:
    """Each parameter of a register map as the register holds it after a reset."""
    return {p["name"]: round(p["default"] * (1 << p["fraction"])) for p in declared["parameters"]}


def _resets(declared: Mapping[str, Any]) -> dict[str, int]:
    return {word["name"]: word["reset"] for word in declared["registers"]}


def tile_model(
    declared: Mapping[str, Any], core: CoreModel, raw: Mapping[str, int], each: Sequence[Limits]
) -> TileModel:
    """The golden model of a tile of several queues with this register map, these parameters, and what each queue is set to."""
    return TileModel(
        core,
        declared["core_latency_cycles"],
        raw["limit"],
        raw["limit_bytes"],
        tick_cycles={kind["name"]: kind["cycles"] for kind in declared["ticks"]},
        queues=each,
        scheduler="levels" if "SELECTED_LEVEL" in _resets(declared) else "drr",
        queue_secret=queue_secret(raw),
        dscp_colours=dscp_colours(raw),
        ring_packets=1 << (_resets(declared)["CAPS"] & 0xFF),
        head_latency=declared["core_head_latency_cycles"],
    )


def queue_secret(raw: Mapping[str, int]) -> int | None:
    """The secret under which the queue of a flow is chosen, where it is."""
    return raw["queue_secret0"] | raw["queue_secret1"] << 32 if "queue_secret0" in raw else None


def dscp_colours(raw: Mapping[str, int]) -> int:
    """The table of colours, where there is one: two bits for each DSCP."""
    return sum(raw.get(f"dscp_colours{word}", 0) << 32 * word for word in range(4))
