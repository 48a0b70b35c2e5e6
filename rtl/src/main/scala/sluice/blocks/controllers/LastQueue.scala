// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.controllers

import sluice.contract.{CoreIo, Widths}
import spinal.core._

/** What is queued, as a tick finds it: as the last packet whose fate was settled, or that departed, has left it. A core with it hears
  * both.
  */
class LastQueue(io: CoreIo) extends Area {
  val packets = Reg(UInt(Widths.maxPackets bits)) init 0
  val bytes = Reg(UInt(Widths.maxBytes bits)) init 0
  for (moment <- Seq(io.departed, io.settled)) when(moment.valid) {
    packets := moment.payload.queuePackets
    bytes := moment.payload.queueBytes
  }
}
