// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.state
package occupancy

import sluice.checks.Proof
import spinal.core._
import spinal.core.formal._
import spinal.lib._

/** What is looked up of any index is what was added to it less what was removed in all clocks before, since the last reset, whatever
  * comes in every clock and whenever a reset does. By induction, for any time, of two words.
  *
  * The induction rests on what stands in the memories: of the chosen index the total of some clocks ago, and in no word a number
  * that is still to come.
  */
class IndexedOccupancyProof extends Proof {
  private val width = 2
  private val words = 2
  val block = new IndexedOccupancy(depth = words, width, amountBits = 1, removals = 1)
  block.io.restart := False
  private val changes = block.io.added +: block.io.removed.toSeq
  private val totals = block.added +: block.removed
  private val lookUp = block.io.lookUp.head
  private val occupancy = block.io.occupancy.head
  for (flow <- lookUp +: changes) flow.valid := free(Bool())
  lookUp.payload := free(HardType(UInt(1 bits)))
  for (change <- changes) change.payload.assignFromBits(free(HardType(Bits(2 bits))))

  /** The words of both memories of each total. */
  private val stored: Seq[Seq[Vec[Bits]]] = totals.map(total =>
    Seq(total.words.words, total.copies.head.copy).map(memory =>
      block.rework(out(Vec((0 until words).map(word => memory.columns.head.readAsync(U(word, 1 bits))))))
    )
  )
  // The memories begin with zeros, and nothing is being written.
  assumeInitial(stored.flatten.map(_.asBits === 0).reduce(_ && _))
  for (writing <- block.resets.isFreshWritten +: totals.map(_.words.isWriting)) assumeInitial(!writing.pull())

  val chosen = UInt(1 bits)
  anyconst(chosen)
  private val sums = changes.map { change =>
    val sum = Reg(UInt(width bits)) init 0
    when(change.valid && change.index === chosen)(sum := sum + change.amount)
    sum
  }

  private val isDue = Delay(lookUp.valid, block.latency, init = False)
  private val isOfChosen = Delay(lookUp.payload === chosen, block.latency)
  private val expected = Delay(sums(0) - sums(1), block.latency)
  when(isRunning) {
    assert(occupancy.valid === isDue)
    when(isDue && isOfChosen)(assert(occupancy.payload === expected))
  }

  // What holds in a reset too.
  private val number = block.resets.generation.number.pull()
  private val isUsed = block.resets.generation.isUsed.pull()
  private val isFresh = block.resets.isFresh.pull()
  private val delays = 5 // from a change to the memories, beside the sum's own register
  private val written = sums.map(Delay(_, delays, init = U(0, width bits)))
  private val isBegun = History(isFresh, 0 until delays, init = False).asBits.orR
  val always = new ClockingArea(ClockDomain(clockDomain.clock, config = ClockDomainConfig(resetKind = BOOT))) {
    val isPast = Reg(Bool()) init False
    isPast := True
    when(isPast) {
      assert(isUsed || isBegun)
      for ((memories, sum) <- stored.zip(written); memory <- memories) {
        val word = memory(chosen).asUInt
        assert(sum === Mux((word >> width) === number, word.resize(width), U(0)))
      }
    }
    for (memory <- stored.flatten; (word, address) <- memory.zipWithIndex) {
      val age = number - (word.asUInt >> width)
      val sinceRewritten = (number - U(!isUsed) - address).resize(log2Up(words)) +^ U(!isUsed)
      assert(age <= sinceRewritten && (isUsed || age =/= 0))
    }
  }
}
