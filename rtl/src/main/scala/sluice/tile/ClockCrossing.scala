// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile

import sluice.contract.Widths
import sluice.tile.registers.RegisterMap
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axilite._

/** Stands before a tile or a datapath whose registers, or whose time, are of other clocks than its own: the host's AXI4-Lite on
  * `host_clk`, the time of a PTP clock on `time_clk`. `clk` is that of the tile, to which `m_axil` and `now_ns` lead.
  *
  * The bus crosses as [[BusCrossing]] says, each channel one word at a time under a toggle. So does the time, sampled anew as soon
  * as the last sample is over: `now_ns` is a time that `time_ns` had some clocks ago, all 64 bits of one moment, and stands still
  * in between. Its age is at most what the tests measure (`cocotb-tests/tile/clock_crossing.py`).
  *
  * The three resets are synchronous, each to its own clock, and must be high together for four cycles of the slowest; in which
  * order they fall does not matter. A reset of one side alone would make a toggle look like a word.
  */
class ClockCrossing extends Component {
  val io = new Bundle {
    val host_clk, host_rst = in(Bool())
    val s_axil = slave(AxiLite4(RegisterMap.bus))
    val m_axil = master(AxiLite4(RegisterMap.bus))

    val time_clk, time_rst = in(Bool())
    val time_ns = in(UInt(Widths.timeNs bits))
    val now_ns = out(UInt(Widths.timeNs bits))
  }
  noIoPrefix()
  AxiLite4SpecRenamer(io.s_axil)
  AxiLite4SpecRenamer(io.m_axil)

  private val here = ClockDomain.current
  private val host = ClockDomain(io.host_clk, io.host_rst)
  private val clock = ClockDomain(io.time_clk, io.time_rst)

  val bus = new BusCrossing(io.s_axil, host, io.m_axil, here)

  private val sample = Stream(UInt(Widths.timeNs bits))
  sample.valid := True
  sample.payload := io.time_ns
  val time = BusCrossing.crossed(sample, clock, here)
  time.io.output.ready := True
  io.now_ns := RegNextWhen(time.io.output.payload, time.io.output.valid) init 0
}
