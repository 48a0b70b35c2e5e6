// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.state

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

/** How much is queued of each flow, class or bin, in block memory. In one clock it is looked up for one index, for one it rises and
  * for one of each removal it falls, all of them of one index or not; what is looked up is what all earlier clocks have left.
  *
  * No memory needs two writers: each kind of change has its own running total per index, and the occupancy is their difference, modulo
  * 2^width and so exact below that. Each total has two copies, one that is added to and one that is looked up. The looking up waits
  * until what came before it is written, so that only the write in the same clock needs to be known.
  *
  * A reset empties all of it at once, however short it is and however soon after another: each word carries the number of the reset
  * that it belongs to, and one from before counts as 0. In the clock after a reset the word is rewritten whose address is the low bits
  * of that number, and there are twice as many numbers as words, so no word is left when its number comes again. A reset before that
  * word is written, when nothing else is either, goes without a number of its own. When the chip starts the memory must hold zeros.
  *
  * @param width
  *   bits of an occupancy
  * @param removals
  *   kinds of changes by which it falls: departed, pushed out
  */
class IndexedOccupancy(depth: Int, width: Int, amountBits: Int, removals: Int) extends Component {
  import ForwardedMemory.writeAt
  import IndexedOccupancy._
  private val indexBits = log2Up(depth)

  val io = new Bundle {
    val lookUp = slave(Flow(UInt(indexBits bits)))
    val added = slave(Flow(IndexedChange(indexBits, amountBits)))
    val removed = Vec.fill(removals)(slave(Flow(IndexedChange(indexBits, amountBits))))
    val occupancy = master(Flow(UInt(width bits)))
  }

  /** From [[IndexedOccupancy.io]]'s lookUp to its occupancy, in clocks. */
  val latency: Int = storedAt + 1 + removals

  val isFresh = RegInit(True) // the first clock after a reset
  isFresh := False
  val isFreshWritten = Delay(isFresh, writeAt + 1, init = False)

  /** Numbers the resets; has a value when the chip starts and is itself not reset. */
  private def isReset = clockDomain.readResetWire
  val generation = new ClockingArea(ClockDomain(clockDomain.clock, config = ClockDomainConfig(resetKind = BOOT))) {
    val number = Reg(UInt(indexBits + 1 bits)) init 1
    val isUsed = Reg(Bool()) init False // a word of this number is written
    when(isFreshWritten)(isUsed := True)
    when(isReset && (isUsed || isFreshWritten)) {
      number := number + 1
      isUsed := False
    }
  }

  class Total(change: Flow[IndexedChange]) extends Area {
    val taken = change.stage() // nothing in the first clock after a reset
    val index = Mux(isFresh, generation.number.resize(indexBits), taken.index)
    val amount = Mux(taken.valid, taken.amount, U(0))
    val words = new ForwardedMemory(width, generation.number, index, index)
    words.isWrite := Delay(taken.valid || isFresh, writeAt, init = False)
    words.written := words.value + Delay(amount, writeAt)

    val address = Delay(io.lookUp.payload, lookUpAt)
    val copy = words.copy()
    val raw = RegNext(copy.readSync(address)).asUInt
    val isBeingWritten = Delay(words.isWriting && words.writingTo === address, 2)
    val isCurrent = (raw >> width) === generation.number
    val stored = RegNext(
      Mux(isBeingWritten, Delay(words.value, 3), Mux(isCurrent, raw.resize(width), U(0)))
    )
  }
  val added = new Total(io.added)
  val removed = io.removed.toSeq.map(new Total(_))

  io.occupancy.valid := Delay(io.lookUp.valid, latency, init = False)
  io.occupancy.payload := removed.zipWithIndex.foldLeft(added.stored) { case (rest, (total, i)) =>
    RegNext(rest - Delay(total.stored, i))
  }
}

object IndexedOccupancy {
  private val lookUpAt = ForwardedMemory.writeAt + 2
  private val storedAt = lookUpAt + 2
}
