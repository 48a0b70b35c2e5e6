// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile

import spinal.core._

/** What a tile has mended of itself: each is high for a clock when its kind was, and in a tile without upsets none ever is. The bus's
  * own is known to the register block alone.
  */
case class Faults() extends Bundle {
  val occupancy, queue, length, time = Bool()
}

/** A bit of the register FAULTS. */
case class Fault(name: String, doc: String)

object Faults {

  /** In the order of the bits, which is that of the bundle's fields; the last one is the bus's. */
  val all: Seq[Fault] = Seq(
    Fault("occupancy", "a count of what is queued was not 0 with nothing queued, or fell below 0; it began anew"),
    Fault(
      "queue",
      "the queue's own count of packets under way, or the scheduler's turn, was impossible; it began anew"
    ),
    Fault("length", "a packet left with another length than it came with; its length was not mended"),
    Fault("time", "now_ns had stayed far behind the time of the tile, which was set back to it"),
    Fault("bus", "an access or a COMMIT did not end by itself; it was ended")
  )
}
