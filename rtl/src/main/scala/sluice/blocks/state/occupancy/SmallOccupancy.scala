// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.state
package occupancy

import spinal.core._
import spinal.lib._

/** How many packets of each of a few indices are queued: [[IndexedOccupancy]] for memories that are read within a clock, as those made
  * of LUTs are. In each clock it is looked up for one index, for one it rises and for one it falls by one, all of them of one index or
  * not.
  *
  * Two running totals for each index, of what came and what went, each in two copies, one to be added to and one to be looked up;
  * the occupancy is their difference modulo 2^width. A total is read and added to in one clock and written in the next. So one that is
  * read right behind a change of the same index lacks that one, and is added 2.
  *
  * What changes in a clock is seen by what is looked up [[SmallOccupancy.writtenAt]] clocks later. A reset empties all of it at once: it
  * shows 0 until the [[Sweep]] is over, and up to then and a clock longer nothing may come.
  *
  * Totals that were upset would differ for ever; so while nothing is queued both of an index are emptied ([[SmallOccupancy.Emptying]]).
  *
  * @param lookUp
  *   from a register; its occupancy comes [[SmallOccupancy.latency]] clocks later
  */
class SmallOccupancy(
    width: Int,
    lookUp: UInt,
    added: Flow[UInt],
    removed: Flow[UInt],
    emptying: SmallOccupancy.Emptying
) extends Area {
  import SmallOccupancy._

  class Total(change: Flow[UInt]) extends Area {
    private val incoming = Mux(emptying.isOn, emptying.place, change.payload)
    private val isChange = RegNext(change.valid || emptying.isOn) init False
    private val index = RegNext(incoming)
    private val isSame = RegNext(isChange && change.payload === index) // says nothing of an index that is emptied
    private val isSwept = RegNext(emptying.isOn) init True

    private val words, copy = Mem(UInt(width bits), 1 << lookUp.getWidth)
    private val sum = Reg(UInt(width bits))
    sum := words.readAsync(index) + U(isSame) + 1
    when(isSwept)(sum := 0)
    for (memory <- Seq(words, copy)) memory.write(RegNext(index), sum, RegNext(isChange) init False)

    val stored = RegNext(copy.readAsync(lookUp))
  }
  val came = new Total(added)
  val went = new Total(removed)

  val occupancy = Reg(UInt(width bits))
  occupancy := came.stored - went.stored
  when(emptying.sweep.isRecent(writtenAt + 1))(occupancy := 0)
}

object SmallOccupancy {
  val latency = 2
  val writtenAt = 3

  /** Which index is emptied: after a reset each once, and at rest one in each clock.
    *
    * @param isAtRest
    *   nothing is queued, and nothing comes, goes or is looked up within [[writtenAt]] clocks
    */
  class Emptying(val sweep: Sweep, isAtRest: Bool) extends Area {
    private val next = Reg(cloneOf(sweep.place)) init 0
    next := next + 1
    val isOn = sweep.isOn || isAtRest
    val place = Mux(sweep.isOn, sweep.place, next)
  }

  /** The same with ports, for its test: a clock more to what is looked up. */
  class Top(width: Int, words: Int) extends Component {
    private val index = HardType(UInt(log2Up(words) bits))
    val io = new Bundle {
      val lookUp = in(index())
      val added, removed = slave(Flow(index()))
      val occupancy = out(UInt(width bits))
    }
    private val emptying = new Emptying(new Sweep(words), isAtRest = False)
    io.occupancy := new SmallOccupancy(width, RegNext(io.lookUp), io.added, io.removed, emptying).occupancy
  }
}
