// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile
package queue

import sluice.contract._
import spinal.core._

/** A packet that leaves the queue at its head: sent to the link, dropped there for a reason, or thrown out long ago. */
case class Left(config: TileConfig) extends Bundle {
  val packet = config.descriptor
  val isDropped = Bool()
  val isTombstone = Bool()
  val reason = UInt(Widths.reason bits) // of a drop, or of a mark made at the head; 0: none
}

object Left {

  /** A packet that leaves a queue in which none is dropped. */
  def sent(config: TileConfig, packet: Descriptor): Left = {
    val left = new Left(config)
    left.packet := packet
    left.isDropped := False
    left.isTombstone := False
    left.reason := 0
    left
  }

  /** @param isTombstone
    *   whether what is dropped here was thrown out before
    */
  def apply(config: TileConfig, leaving: Leaving, isTombstone: Boolean): Left = {
    val left = new Left(config)
    left.packet := leaving.descriptor
    left.isDropped := leaving.isDropped
    left.isTombstone := leaving.isDropped && Bool(isTombstone)
    left.reason := leaving.reason
    left
  }

  /** As the world outside sees it. */
  def departure(config: TileConfig, packet: Descriptor): Departure = {
    val seen = Departure(config.cookieBits, withReason = false, config.queueBits)
    seen.assignSomeByName(packet)
    seen
  }
  def departure(config: TileConfig, leaving: Leaving): Departure = {
    val seen = Departure(config.cookieBits, withReason = true, config.queueBits)
    seen.assignSomeByName(leaving.descriptor)
    seen.reason := leaving.reason
    seen
  }
}
