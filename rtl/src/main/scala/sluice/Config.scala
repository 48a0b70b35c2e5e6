// SPDX-License-Identifier: Apache-2.0
package sluice

import spinal.core._

/** The only SpinalHDL configuration of the library: synchronous active-high reset named `rst`, clock `clk`, SystemVerilog
  * without a time stamp, so that the same source always gives the same text.
  */
object Config {
  val clockDomain: ClockDomainConfig = ClockDomainConfig(
    clockEdge = RISING,
    resetKind = SYNC,
    resetActiveLevel = HIGH
  )

  def spinal(directory: String): SpinalConfig = SpinalConfig(
    mode = SystemVerilog,
    targetDirectory = directory,
    defaultConfigForClockDomains = clockDomain,
    oneFilePerComponent = false,
    headerWithDate = false,
    inlineRom = true, // one file per top: no memory images beside it
    removePruned = true
  )
}
