# SPDX-License-Identifier: Apache-2.0
"""A LiteX SoC with an AQM in its way: frames of a generator pass LiteEth's padding and RED's datapath, and are counted.

`python fair_port.py sluice_red_64.sv` writes the SoC's Verilog into `build`, and csr.csv with the datapath's registers beside it.
A host within the SoC, where a CPU or a bridge would be, reads ID and sets `limit`.
"""

from __future__ import annotations

import sys
from pathlib import Path

from liteeth.common import eth_phy_description
from liteeth.mac.padding import LiteEthMACPaddingInserter
from litex.build.generic_platform import Pins
from litex.build.io import CRG
from litex.build.sim import SimPlatform
from litex.gen import LiteXModule
from litex.soc.integration.builder import Builder
from litex.soc.integration.soc_core import SoCMini
from litex.soc.interconnect import stream, wishbone
from migen import FSM, If, NextState, NextValue, Signal

from sluice.packages.litex import SluiceDatapath

CLOCK = 100e6
BASE = 0x30000000
FRAMES = 20
IO = [
    ("sys_clk", 0, Pins(1)),
    ("done", 0, Pins(1)),
    ("frames", 0, Pins(16)),
    ("beats", 0, Pins(16)),
    ("id", 0, Pins(32)),
]


class Generator(LiteXModule):
    """Frames of 30 bytes with their number in each beat, as short as LiteEth's padding is for."""

    def __init__(self, frames: int) -> None:
        self.source = source = stream.Endpoint(eth_phy_description(64))
        self.go = Signal()
        number, beat = Signal(16), Signal(2)
        self.comb += [
            source.valid.eq(self.go & (number < frames)),
            source.data.eq(number),
            source.last.eq(beat == 3),
            source.last_be.eq(1 << 5),
        ]
        self.sync += If(source.valid & source.ready, beat.eq(beat + 1), If(source.last, number.eq(number + 1)))


class Host(LiteXModule):
    """Reads ID, stages a `limit` and commits it, by three accesses of the SoC's bus."""

    def __init__(self, csr: dict[str, int]) -> None:
        self.bus = bus = wishbone.Interface(data_width=32, adr_width=30)
        self.id, self.done = Signal(32), Signal()
        self.fsm = fsm = FSM(reset_state="ID")
        steps = [("ID", "id", None), ("LIMIT", "limit", 500), ("COMMIT", "commit", 1)]
        for (state, register, value), follows in zip(steps, ("LIMIT", "COMMIT", "DONE"), strict=True):
            fsm.act(
                state,
                bus.cyc.eq(1), bus.stb.eq(1), bus.sel.eq(0xF), bus.adr.eq(csr[register] >> 2),
                bus.we.eq(value is not None), bus.dat_w.eq(value or 0),
                If(bus.ack, NextState(follows), *([] if value is not None else [NextValue(self.id, bus.dat_r)])),
            )  # fmt: skip
        fsm.act("DONE", self.done.eq(1))


class FairPort(SoCMini):
    """The SoC."""

    def __init__(self, platform: SimPlatform, verilog: Path) -> None:
        self.crg = CRG(platform.request("sys_clk"))
        SoCMini.__init__(self, platform, clk_freq=CLOCK, ident="a port with an AQM", ident_version=False)
        self.aqm = SluiceDatapath(platform, "red-64", verilog=verilog, clk_freq=CLOCK)
        self.aqm.add_to(self, "aqm", BASE)
        self.host = Host({name: BASE + offset for name, offset in self.aqm.registers.offsets().items()})
        self.bus.add_master("host", self.host.bus)

        self.generator = Generator(FRAMES)
        self.padding = LiteEthMACPaddingInserter(64, 60)
        self.pipeline = stream.Pipeline(self.generator, self.padding, self.aqm)
        out, frames, beats = self.aqm.source, Signal(16), Signal(16)
        self.comb += [self.generator.go.eq(self.host.done), out.ready.eq(1)]
        self.sync += If(out.valid, beats.eq(beats + 1), If(out.last & (out.last_be == 1 << 3), frames.eq(frames + 1)))
        shown = {"done": frames == FRAMES, "frames": frames, "beats": beats, "id": self.host.id}
        self.comb += [platform.request(name).eq(value) for name, value in shown.items()]


if __name__ == "__main__":
    platform = SimPlatform("SIM", IO)
    soc = FairPort(platform, Path(sys.argv[1]).resolve())
    Builder(soc, output_dir="build", compile_software=False, csr_csv="build/csr.csv").build(run=False, build=False)
    fragment = soc.get_fragment()
    platform.finalize(fragment)
    platform.get_verilog(fragment, name="fair_port").write("build/fair_port.v")
