// SPDX-License-Identifier: Apache-2.0
package sluice.tile

import sluice.contract._
import spinal.core._
import spinal.lib._

/** The commit point: a packet that its core keeps is accepted if it fits the limits, and from this clock on it counts. Exact,
  * with one packet in and one out in every clock, because decision and count are one register stage.
  *
  * @param judged
  *   the core's verdict with the packet's descriptor
  * @param departed
  *   the packet that leaves in this clock
  * @param limit
  *   packets
  * @param limitBytes
  *   bytes
  * @param extension
  *   of a datapath whose storage is limited too
  */
class Admission(
    judged: Flow[Verdict],
    packet: Descriptor,
    departed: Flow[Descriptor],
    limit: UInt,
    limitBytes: UInt,
    extension: Option[Extension]
) extends Area {
  val packets = Reg(UInt(Widths.maxPackets bits)) init 0
  val bytes   = Reg(UInt(Widths.maxBytes bits)) init 0

  private val room      = SInt(Widths.maxBytes + 1 bits) // left after this packet
  private val isKept    = judged.valid && judged.action =/= Action.DROP
  room := (limitBytes.resize(Widths.maxBytes + 1) - bytes - packet.bytes).asSInt
  private val hasCells  = Bool()
  private val fits      = packets < limit && !room.msb && hasCells

  /** The packet enters the queue. */
  val isAccepted = isKept && fits

  private val cells = extension.map(new CellCount(_, packet.bytes, isAccepted, departed))
  hasCells := cells.fold(True)(_.fits)

  /** The packet's last word: the core's verdict, or the tile's drop. */
  val verdict = Flow(Verdict())
  verdict.valid   := judged.valid
  verdict.payload := judged.payload
  when(isKept && !fits) {
    verdict.action := Action.DROP
    verdict.reason := TileConfig.overlimitCode
  }

  private val left = Mux(departed.valid, departed.bytes, U(0, Widths.packet bits))
  packets := packets + U(isAccepted) - U(departed.valid)
  private val remaining = bytes - left
  bytes := Mux(isAccepted, remaining + packet.bytes, remaining)
}
