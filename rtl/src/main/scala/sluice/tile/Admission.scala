// SPDX-License-Identifier: Apache-2.0
package sluice.tile

import sluice.contract._
import spinal.core._
import spinal.lib._

/** The commit point: a packet that its core keeps is accepted if it fits the limits, and from the next clock on it counts.
  * Exact, with one packet in and one out in every clock: what the decision needs is computed a clock before, so that decision
  * and count are one short loop. A packet that leaves stops counting one clock after it left.
  *
  * @param judged
  *   the core's verdict
  * @param coming
  *   the packet whose verdict comes in the next clock
  * @param leaving
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
    coming: Descriptor,
    leaving: Flow[Descriptor],
    limit: UInt,
    limitBytes: UInt,
    extension: Option[Extension]
) extends Area {
  val packets = Reg(UInt(Widths.maxPackets bits)) init 0
  val bytes = Reg(UInt(Widths.maxBytes bits)) init 0

  private val prepared = new Area {
    private val room = (limitBytes.resize(Widths.maxBytes + 1) - coming.bytes).asSInt
    val packet = RegNext(coming)
    val mostBytes = RegNext(room) // queued at most if the packet is to fit; negative if it never does
    val isLeaving = RegNext(leaving.valid) init False
    val leftBytes = RegNext(leaving.bytes.andMask(leaving.valid)) init 0
    // Both outcomes at once: whether a packet leaves is known late.
    val netBytes = RegNext(Mux(leaving.valid, coming.bytes -^ leaving.bytes, coming.bytes.resized).asSInt)
  }

  /** The packet whose verdict `judged` is. */
  val packet = prepared.packet

  private val isKept = judged.valid && judged.action =/= Action.DROP
  // `<` is a carry chain alone; `<=` would add an equality over all bits behind it.
  private val hasCells = Bool()
  private val fits = packets < limit && !(prepared.mostBytes < (U"0" @@ bytes).asSInt) && hasCells

  /** The packet enters the queue. */
  val isAccepted = isKept && fits

  private val cells = extension.map(new CellCount(_, coming.bytes, isAccepted, leaving))
  hasCells := cells.fold(True)(_.fits)

  /** The packet's last word: the core's verdict, or the tile's drop. */
  val verdict = Flow(Verdict())
  verdict.valid := judged.valid
  verdict.payload := judged.payload
  when(isKept && !fits) {
    verdict.action := Action.DROP
    verdict.reason := TileConfig.overlimitCode
  }

  // Both outcomes at once, so that the decision only chooses.
  packets := Mux(isAccepted, packets + U(!prepared.isLeaving), packets - U(prepared.isLeaving))
  bytes := Mux(
    isAccepted,
    (bytes.asSInt + prepared.netBytes).asUInt,
    bytes - prepared.leftBytes
  )

  /** The departure that [[packets]] and [[bytes]] subtract in this clock. */
  val departed = Flow(UInt(Widths.packet bits))
  departed.valid := prepared.isLeaving
  departed.payload := prepared.leftBytes
}
