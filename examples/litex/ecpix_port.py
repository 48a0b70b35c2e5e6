# SPDX-License-Identifier: Apache-2.0
"""An AQM at the port of an ECPIX-5 as a LiteX SoC: what the port receives leaves through RED's datapath at the same port, for a
generator of traffic at the other end, which finds there what a queue did to it. A host has the registers over the serial port.

`python ecpix_port.py sluice_red_64.sv` writes Verilog, pins and csr.csv into `build`; with `--build` it synthesizes and places
the design with Yosys and nextpnr from PATH and packs a bitstream. Then `litex_server --uart --uart-port /dev/ttyUSB0`, and
`litex_cli --csr-csv build/csr.csv --write aqm_ns_per_byte 20971520` (80 ns a byte, times 2^18) and `--write aqm_commit 1` for
a link of 100 Mbit/s.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from liteeth.mac.core import LiteEthMACCore
from liteeth.phy.ecp5rgmii import LiteEthPHYRGMII
from litex.gen import LiteXModule
from litex.soc.cores.clock import ECP5PLL
from litex.soc.integration.builder import Builder
from litex.soc.integration.soc_core import SoCMini
from litex.soc.interconnect import stream
from litex_boards.platforms import lambdaconcept_ecpix5
from migen import ClockDomain

from sluice.packages.litex import SluiceDatapath

CLOCK = 75e6
BASE = 0x30000000
DATA_BITS = 64


class Clocks(LiteXModule):
    """The SoC's clock, of the board's 100 MHz."""

    def __init__(self, platform: lambdaconcept_ecpix5.Platform) -> None:
        self.cd_sys = ClockDomain()
        self.pll = pll = ECP5PLL()
        self.comb += pll.reset.eq(~platform.request("rst_n"))
        pll.register_clkin(platform.request("clk100"), 100e6)
        pll.create_clkout(self.cd_sys, CLOCK)


class EcpixPort(SoCMini):
    """The SoC. LiteEth's MAC checks and makes FCS, preamble and padding, and crosses between the PHY's clocks and the SoC's."""

    def __init__(self, platform: lambdaconcept_ecpix5.Platform, verilog: Path) -> None:
        self.crg = Clocks(platform)
        SoCMini.__init__(self, platform, clk_freq=CLOCK, ident="an AQM at a port", ident_version=False)
        self.add_uartbone()

        self.aqm = SluiceDatapath(platform, "red-64", verilog=verilog, clk_freq=CLOCK)
        self.aqm.add_to(self, "aqm", BASE)

        self.phy = LiteEthPHYRGMII(platform.request("eth_clocks"), platform.request("eth"))
        self.mac = LiteEthMACCore(self.phy, DATA_BITS)
        self.pipeline = stream.Pipeline(self.mac, self.aqm, self.mac)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("verilog", type=Path, help="sluice_red_64.sv")
    parser.add_argument("--build", action="store_true", help="synthesize, place and pack")
    parser.add_argument("--seed", type=int, default=1, help="nextpnr's (default: %(default)s)")
    options = parser.parse_args()
    platform = lambdaconcept_ecpix5.Platform(device="85F", toolchain="trellis")
    platform.toolchain._pnr_opts = "--placer static"  # what its default placer makes is too far apart to be routed
    soc = EcpixPort(platform, options.verilog.resolve())
    builder = Builder(soc, output_dir="build", compile_software=False, csr_csv="build/csr.csv")
    builder.build(run=options.build, seed=options.seed)
