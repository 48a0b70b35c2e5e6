// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile
package queue
package fair

import sluice.contract.Widths
import spinal.core._

/** The packet at the head of one of many queues: what is behind it in its queue, and what the core keeps of that. */
case class FairHead(config: TileConfig, stateBits: Int) extends Bundle {
  val descriptor = config.entry
  val packets = UInt(Widths.maxPackets bits)
  val bytes = UInt(Widths.maxBytes bits)
  val state = Bits(stateBits bits)
}

/** A turn while its packet is judged. */
case class FairVisit(config: TileConfig, queueBits: Int, slotBits: Int) extends Bundle {
  val isPopping = Bool()
  val toEnd = Bool()
  val toFront = Bool()
  val next = FairTurn(queueBits, slotBits)
  val packet = config.descriptor
  val taken = UInt(Widths.maxBytes bits)
  val kept = SInt(FairAccount.deficitBits bits)
  val charged = SInt(FairAccount.deficitBits bits)
  val mayStillSend = Bool() // once it is charged
}
