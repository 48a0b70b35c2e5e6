# SPDX-License-Identifier: Apache-2.0
"""A whole datapath as a LiteX module.

`sink` and `source` carry frames without FCS in LiteEth's layout: `last_be` is one-hot and marks a frame's last byte in its last
beat, and 0 there means all of them; an `error` in any beat makes the frame a bad one, which leaves nothing but a count.
`sink.ready` is low for 16,384 clocks after a reset, and then high unless `stall` is set. `source` gives a frame without a gap.

`bus` is AXI-Lite with byte addresses, of which the lowest 12 bits count. `now_ns` is the time, which a counter makes of the clock
where `clk_freq` is given; otherwise the design drives it, from a PTP clock for instance.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from liteeth.common import eth_phy_description
from litex.gen import LiteXModule
from litex.soc.integration.soc import SoCCSRRegion, SoCRegion
from litex.soc.interconnect import stream
from litex.soc.interconnect.axi import AXILiteInterface
from migen import ClockSignal, Constant, If, Instance, ResetSignal, Signal

from sluice.hardware import datapaths
from sluice.hardware.catalog import entries
from sluice.packages.litex.registers import Registers
from sluice.support.errors import UserError

WINDOW = 0x1000
"""Bytes of the registers."""
_FRACTION = 32
"""Bits of the counter of ns below one."""
_CHANNELS = {
    "aw": ("addr", "prot"),
    "w": ("data", "strb"),
    "b": ("resp",),
    "ar": ("addr", "prot"),
    "r": ("data", "resp"),
}
_TO_SLAVE = frozenset(("aw", "w", "ar"))


@dataclass(frozen=True)
class SideBands:
    """What a datapath carries with each frame, in bits."""

    name: str
    user_bits: int = 0
    id_bits: int = 0
    dest_bits: int = 0


class SluiceDatapath(LiteXModule):
    """`name` is a datapath of `sluice list`; `verilog` its file, where there is no tree that has it."""

    def __init__(self, platform: Any, name: str, verilog: Path | None = None, clk_freq: float | None = None) -> None:
        self.config = datapaths.find(name)
        if self.config.name != name:
            raise UserError(f"'{name}' is no datapath; `sluice list` names them")
        if any(bands != SideBands(name) for bands in entries("datapaths", SideBands) if bands.name == name):
            raise UserError(f"the datapath '{name}' has side-bands, which LiteEth's streams have not")
        self.registers = Registers(self.config.register_map)
        width = self.config.data_bits
        self.sink = stream.Endpoint(eth_phy_description(width))
        self.source = stream.Endpoint(eth_phy_description(width))
        self.bus = AXILiteInterface(data_width=32, address_width=32)
        self.now_ns = Signal(64)

        if clk_freq is not None:
            self._count_time(clk_freq)
        ports = {"i_clk": ClockSignal(), "i_rst": ResetSignal(), "i_now_ns": self.now_ns}
        self.specials += Instance(self.config.module, **ports, **self._input(), **self._output(), **self._axi())
        platform.add_source(str(verilog or self.config.verilog))

    def add_to(self, soc: Any, name: str, origin: int) -> None:
        """Puts the registers onto the bus of a SoC; its csr.h, csr.csv and csr.json then have each as `name_register`."""
        soc.bus.add_slave(name, self.bus, SoCRegion(origin=origin, size=WINDOW, cached=False))
        soc.csr.add_region(name, SoCCSRRegion(origin=origin, busword=32, obj=self.registers.csrs()))

    def _count_time(self, clk_freq: float) -> None:
        time = Signal(64 + _FRACTION)
        self.sync += time.eq(time + round(1e9 * 2**_FRACTION / clk_freq))
        self.comb += self.now_ns.eq(time[_FRACTION:])

    def _input(self) -> dict[str, Any]:
        lanes = self.config.data_bits // 8
        keep, bad, was_bad = Signal(lanes), Signal(), Signal()
        has_mark = self.sink.last & (self.sink.last_be != 0)
        # The lanes up to the one that is marked.
        self.comb += [keep[lane].eq(~has_mark | (self.sink.last_be[lane:] != 0)) for lane in range(lanes)]
        self.comb += bad.eq(was_bad | (self.sink.error != 0))
        self.sync += If(self.sink.valid & self.sink.ready, was_bad.eq(bad & ~self.sink.last))
        ports = {
            "i_s_axis_tvalid": self.sink.valid,
            "o_s_axis_tready": self.sink.ready,
            "i_s_axis_tdata": self.sink.data,
            "i_s_axis_tkeep": keep,
            "i_s_axis_tlast": self.sink.last,
            "i_s_axis_tuser": bad,
        }
        return ports | ({"i_s_axis_rtt_us": Constant(0, 22)} if self.registers.needs["rtt"] else {})

    def _output(self) -> dict[str, Any]:
        lanes = self.config.data_bits // 8
        keep = Signal(lanes)
        above = [keep[lane + 1] if lane + 1 < lanes else 0 for lane in range(lanes)]
        self.comb += [
            self.source.last_be[lane].eq(self.source.last & keep[lane] & ~above[lane]) for lane in range(lanes)
        ]
        return {
            "o_m_axis_tvalid": self.source.valid,
            "i_m_axis_tready": self.source.ready,
            "o_m_axis_tdata": self.source.data,
            "o_m_axis_tkeep": keep,
            "o_m_axis_tlast": self.source.last,
        }

    def _axi(self) -> dict[str, Any]:
        ports: dict[str, Any] = {}
        for channel, payload in _CHANNELS.items():
            endpoint = getattr(self.bus, channel)
            there, back = ("i", "o") if channel in _TO_SLAVE else ("o", "i")
            signals = {field: getattr(endpoint, field) for field in (*payload, "valid")}
            if "addr" in signals:
                signals["addr"] = signals["addr"][: WINDOW.bit_length() - 1]
            ports |= {f"{there}_s_axil_{channel}{field}": signal for field, signal in signals.items()}
            ports[f"{back}_s_axil_{channel}ready"] = endpoint.ready
        return ports
