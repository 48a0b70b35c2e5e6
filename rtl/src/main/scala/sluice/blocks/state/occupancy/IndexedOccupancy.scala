// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.state
package occupancy

import spinal.core._
import spinal.lib._

/** Something of one index comes to the queue or goes from it.
  *
  * @param amount
  *   packets or bytes
  */
case class IndexedChange(indexBits: Int, amountBits: Int) extends Bundle {
  val index = UInt(indexBits bits)
  val amount = UInt(amountBits bits)
}

/** How much is queued of each flow, class or bin, in block memory. In one clock it is looked up for one index or several, for one it
  * rises and for one of each removal it falls, all of them of one index or not; what is looked up is what all earlier clocks have left.
  *
  * No memory needs two writers: each kind of change has its own running total per index, and the occupancy is their difference, modulo
  * 2^width and so exact below that. Each total has one copy that is added to and one for each look-up. The looking up waits
  * until what came before it is written, so that only the write in the same clock needs to be known.
  *
  * A reset empties all of it at once, however short it is and however soon after another ([[ResetNumber]]); so does `restart`, for when
  * nothing is queued: totals that were upset would else differ for ever.
  *
  * @param width
  *   bits of an occupancy
  * @param removals
  *   kinds of changes by which it falls: departed, pushed out; none where it only counts
  * @param lookUps
  *   indices that are looked up in a clock
  */
class IndexedOccupancy(depth: Int, width: Int, amountBits: Int, removals: Int, lookUps: Int = 1) extends Component {
  import ForwardedMemory.writeAt
  import IndexedOccupancy._
  private val indexBits = log2Up(depth)

  val io = new Bundle {
    val lookUp = Vec.fill(lookUps)(slave(Flow(UInt(indexBits bits))))
    val added = slave(Flow(IndexedChange(indexBits, amountBits)))
    val removed = (removals > 0) generate Vec.fill(removals)(slave(Flow(IndexedChange(indexBits, amountBits))))
    val occupancy = Vec.fill(lookUps)(master(Flow(UInt(width bits))))
    val restart = in(Bool()) // nothing is looked up or changed in this clock or the next, or on its way
  }

  /** From [[IndexedOccupancy.io]]'s lookUp to its occupancy, in clocks. */
  val latency: Int = lookUpAt + ForwardedLookUp.latency + removals

  val resets = new ResetNumber(indexBits, writing = writeAt + 1, io.restart)

  class Total(change: Flow[IndexedChange]) extends Area {
    val taken = change.stage() // nothing in the first clock after a reset
    val index = Mux(resets.isFresh, resets.address, taken.index)
    val amount = Mux(taken.valid, taken.amount, U(0))
    val words = new ForwardedMemory(width, resets.number, index, index)
    words.isWrite := Delay(taken.valid || resets.isFresh, writeAt, init = False)
    words.written := words.value + Delay(amount, writeAt)
    val copies = io.lookUp.toSeq.map(lookUp => new ForwardedLookUp(words, Delay(lookUp.payload, lookUpAt)))
  }

  val added = new Total(io.added)
  val removed = Option(io.removed).toSeq.flatten.map(new Total(_))

  for (((lookUp, occupancy), number) <- io.lookUp.zip(io.occupancy).zipWithIndex) {
    occupancy.valid := Delay(lookUp.valid, latency, init = False)
    occupancy.payload := removed.zipWithIndex.foldLeft(added.copies(number).value) { case (rest, (total, i)) =>
      RegNext(rest - Delay(total.copies(number).value, i))
    }
  }
}

object IndexedOccupancy {
  private val lookUpAt = ForwardedLookUp.behind + 1
}
