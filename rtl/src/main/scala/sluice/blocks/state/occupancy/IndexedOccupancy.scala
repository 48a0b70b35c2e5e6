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
  * until what came before it is written, so that only the write in the same clock needs to be known. A change that looks up its own
  * index needs no copy of its own total, which it reads anyway.
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
  * @param changesLookUp
  *   what rises and what falls is looked up too
  */
class IndexedOccupancy(
    depth: Int,
    width: Int,
    amountBits: Int,
    removals: Int,
    lookUps: Int = 1,
    changesLookUp: Boolean = false
) extends Component {
  import ForwardedMemory.writeAt
  import IndexedOccupancy._
  private val indexBits = log2Up(depth)

  val io = new Bundle {
    val lookUp = Vec.fill(lookUps)(slave(Flow(UInt(indexBits bits))))
    val added = slave(Flow(IndexedChange(indexBits, amountBits)))
    val removed = (removals > 0) generate Vec.fill(removals)(slave(Flow(IndexedChange(indexBits, amountBits))))
    val occupancy = Vec.fill(lookUps)(master(Flow(UInt(width bits))))

    /** Of what is added, then of each removal: what its index had before. */
    val changed = changesLookUp generate Vec.fill(1 + removals)(master(Flow(UInt(width bits))))
    val restart = in(Bool()) // nothing is looked up or changed in this clock or the next, or on its way
  }

  /** From [[IndexedOccupancy.io]]'s lookUp to its occupancy, in clocks. */
  val latency: Int = lookUpAt + ForwardedLookUp.latency + removals

  val resets = new ResetNumber(indexBits, writing = writeAt + 1, io.restart)

  private val changes = io.added +: Option(io.removed).toSeq.flatten

  class Total(number: Int) extends Area {
    val taken = changes(number).stage() // nothing in the first clock after a reset
    val index = Mux(resets.isFresh, resets.address, taken.index)
    val amount = Mux(taken.valid, taken.amount, U(0))
    val words = new ForwardedMemory(width, resets.number, index, index)
    words.isWrite := Delay(taken.valid || resets.isFresh, writeAt, init = False)
    words.written := words.value + Delay(amount, writeAt)

    private def looks(indices: Seq[UInt]) = indices.map(index => new ForwardedLookUp(words, Delay(index, lookUpAt)))
    val copies = looks(io.lookUp.toSeq.map(_.payload))
    val others = changesLookUp generate looks(changes.map(_.index).patch(number, Nil, 1))

    /** As each change looks it up. Its own one reads it a clock after it came, to add to it. */
    def ofChanges: Seq[UInt] =
      others.map(_.value).patch(number, Seq(Delay(words.value, lookUpAt + ForwardedLookUp.latency - 1 - writeAt)), 0)
  }

  val added = new Total(0)
  val removed = for (number <- 1 to removals) yield new Total(number)

  private def answer(occupancy: Flow[UInt], isAsked: Bool, of: Total => UInt): Unit = {
    occupancy.valid := Delay(isAsked, latency, init = False)
    occupancy.payload := removed.zipWithIndex.foldLeft(of(added)) { case (rest, (total, i)) =>
      RegNext(rest - Delay(of(total), i))
    }
  }
  for (((lookUp, occupancy), number) <- io.lookUp.zip(io.occupancy).zipWithIndex)
    answer(occupancy, lookUp.valid, _.copies(number).value)
  if (changesLookUp)
    for (((change, occupancy), number) <- changes.zip(io.changed).zipWithIndex)
      answer(occupancy, change.valid, _.ofChanges(number))
}

object IndexedOccupancy {
  private val lookUpAt = ForwardedLookUp.behind + 1
}
