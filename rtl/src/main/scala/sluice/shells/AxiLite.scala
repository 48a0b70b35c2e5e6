// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.shells

import sluice.tile.registers.RegisterMap
import spinal.core._
import spinal.lib.bus.amba4.axilite._

/** Addresses of a shell for a datapath, which looks at their low bits. */
object AxiLite {
  def access(address: UInt, config: AxiLite4Config = RegisterMap.bus): AxiLite4Ax = {
    val access = AxiLite4Ax(config)
    access.addr := address.resized
    access.prot := 0
    access
  }
}
