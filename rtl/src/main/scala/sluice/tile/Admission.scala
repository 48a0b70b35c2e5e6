// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile

import sluice.contract._
import spinal.core._
import spinal.lib._

/** The commit point: a packet that its core keeps is accepted if it fits the limits, and from the next clock on it counts. A
  * packet that leaves stops counting two clocks after it left.
  *
  * @param judged
  *   the core's verdict
  * @param coming
  *   the packet whose verdict comes [[Admission.ahead]] clocks later
  * @param leaving
  *   the packet that leaves in this clock
  * @param limit
  *   packets, for a packet whose verdict comes [[Occupancy.ahead]] clocks later
  * @param limitBytes
  *   bytes, likewise
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

  /** The packet whose verdict `judged` is. */
  val packet = Delay(coming, Admission.ahead)

  private val isLeft = RegNext(leaving.valid) init False // whether a packet leaves is known late
  private val leftBytes = RegNext(leaving.bytes)

  private val isKept = judged.valid && judged.action =/= Action.DROP
  private val fits = Bool()

  /** The packet enters the queue. */
  val isAccepted = isKept && fits

  private def occupancy(bits: Int, limit: UInt)(amount: UInt => UInt): Occupancy =
    new Occupancy(
      bits,
      RegNext(amount(coming.bytes)),
      limit,
      freed = RegNext(amount(leaving.bytes)).andMask(isLeft),
      isAccepted
    )

  private val ofPackets = occupancy(Widths.maxPackets, limit)(_ => U(1))
  private val ofBytes = occupancy(Widths.maxBytes, limitBytes)(bytes => bytes)
  // The storage of a datapath: a packet fills its last cell.
  private val ofCells = extension.map { e =>
    occupancy(Widths.count(e.cells), U(e.cells))(bytes => (bytes +^ (e.cellBytes - 1)) >> log2Up(e.cellBytes))
  }
  fits := ofPackets.fits && ofBytes.fits && ofCells.fold(True)(_.fits)

  val packets = ofPackets.taken
  val bytes = ofBytes.taken

  /** The packet's last word: the core's verdict, or the tile's drop. */
  val verdict = Flow(Verdict())
  verdict.valid := judged.valid
  verdict.payload := judged.payload
  when(isKept && !fits) {
    verdict.action := Action.DROP
    verdict.reason := TileConfig.overlimitCode
  }

  /** The departure that [[packets]] and [[bytes]] subtract in this clock. */
  val departed = Flow(UInt(Widths.packet bits))
  departed.valid := RegNext(isLeft) init False
  departed.payload := RegNext(leftBytes)
}

object Admission {

  /** Clocks from `coming` to the decision about the packet. */
  val ahead = Occupancy.ahead + 1
}
