// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.cores.flows

import sluice.blocks.arithmetic.{IsBelow, SaltedHash}
import sluice.blocks.state.Sweep
import sluice.contract.Widths
import sluice.blocks.state.occupancy.SmallOccupancy
import spinal.core._
import spinal.lib._

/** How a set of bins is made: levels that share the hash's 32 bits, and in each so many bins. */
case class SfbShape(levels: Int, bins: Int) {
  val binBits: Int = Widths.index(bins)
  val numberBits: Int = levels * binBits
  private val sliceBits = 32 / levels

  /** A flow's bins by its hash, the first level's lowest. */
  def number(hash: Bits): Bits =
    Cat(hash.subdivideIn(sliceBits bits).map(slice => ((slice.asUInt * bins) >> sliceBits).resize(binBits bits)))

  /** The bins of a number, level by level. */
  def places(number: Bits): Seq[UInt] = number.subdivideIn(binBits bits).toSeq.map(_.asUInt)
}

/** One set of bins: per level a bank of counts and one of probabilities, all in LUT memory. A packet comes with its flow, and finds its
  * number of bins, what they hold and their probabilities at the clocks that the companion tells.
  *
  * A packet moves the probabilities once, read in one clock, moved and written in the next, [[SfbBins.moveAt]] in a set that is in
  * force, and [[SfbBins.lag]] clocks later in one that is warmed up, when the first has shown that its flow does not respond.
  *
  * @param salt
  *   of the packet in clock 0
  * @param added
  *   numbers of packets that came to the queue; seen by packets of which the clock 0 is [[SfbBins.countedAt]] later or more. `removed`
  *   likewise. A number of 0 counts nowhere
  * @param least
  *   packets from which on a bin's probability rises, and `most`: from which on it is not open; for a packet of two clocks before
  *   [[SfbBins.moveAt]]
  * @param isInForce
  *   the set is, for the packet of the clock before [[SfbBins.moveAt]]
  * @param moves
  *   something moves the set: that packet or, in a set that is not in force, the one of [[SfbBins.lag]] clocks before
  * @param emptying
  *   also while nothing is queued, in judgment or on its way
  * @param increment
  *   d1, and `decrement` d2, of the packet that moves it
  */
class SfbBins(
    shape: SfbShape,
    flow: Bits,
    salt: Bits,
    added: Flow[Bits],
    removed: Flow[Bits],
    least: UInt,
    most: UInt,
    isInForce: Bool,
    moves: Bool,
    increment: UInt,
    decrement: UInt,
    sweep: Sweep,
    emptying: SmallOccupancy.Emptying
) extends Area {
  import SfbBins._
  import shape._

  val hash = new SaltedHash(flow, salt)
  private val raw = RegNext(number(hash.hash))
  val numberFound = RegNext(raw | B(numberBits bits, 0 -> (raw === 0), default -> false)) // at numberAt

  private def byLevel(change: Flow[Bits]): Seq[Flow[UInt]] = {
    val counts = change.valid && change.payload =/= 0
    places(change.payload).map { place =>
      val one = Flow(UInt(binBits bits))
      one.valid := counts
      one.payload := place
      one.stage()
    }
  }
  private val (comes, goes) = (byLevel(added), byLevel(removed))

  class Bank(level: Int) extends Area {
    val place = places(numberFound)(level)
    val counts = new SmallOccupancy(countBits, place, comes(level), goes(level), emptying)

    /** At [[heldAt]]. */
    val isEmpty = RegNext(counts.occupancy === 0)
    val hasRoom = RegNext(IsBelow(counts.occupancy, least))
    val isOpen = RegNext(IsBelow(counts.occupancy, most))

    private def moving(early: Bool): Bool = Mux(isInForce, early, Delay(early, lag)) && moves
    val falls = moving(isEmpty)
    val rises = moving(!hasRoom) // unless it falls

    // Both places are 0 until the memory is swept, and what is swept is 0 from then on.
    private def unlessSwept(place: UInt): UInt = RegNext(Mux(sweep.isOn, U(0, binBits bits), place)) init 0
    private val early = unlessSwept(Delay(place, heldAt - numberAt - 1))
    private val late = unlessSwept(Delay(early, lag - 1))
    private val next = Mux(isInForce, early, late) | sweep.place
    val index = RegNext(next) // at moveAt, as what is moved
    private val isFalling = RegNext(falls)
    private val isSwept = RegNext(sweep.isOn)
    private val by = RegNext(Mux(falls, ~decrement, increment.andMask(rises)))

    private val words = Mem(UInt(probabilityBits bits), 1 << binBits)
    val moved = UInt(probabilityBits bits)
    words.write(index, moved)
    private val word = RegNext(Mux(next === index, moved, words.readAsync(next)))
    // A sum or a difference in one carry chain: the lowest bit carries a 1 in where d2 is inverted.
    private val sum = ((word @@ U(1, 1 bit)) +^ (by @@ isFalling.asUInt)) >> 1
    private val isWithin = sum.msb === isFalling
    moved := sum
      .resize(probabilityBits)
      .andMask(isWithin || !isFalling)
      .|(U(probabilityBits bits, default -> (!isWithin && !isFalling)))
      .andMask(!isSwept)

    /** As the packet in force has left it, a clock after [[moveAt]]. */
    val probability = RegNext(moved)
  }

  val banks = Seq.tabulate(levels)(level => new Bank(level).setCompositeName(this, s"level$level"))
}

object SfbBins {

  val countBits = 12
  val probabilityBits = 16

  /** Clocks from a packet's flow. */
  val numberAt: Int = SaltedHash.latency + 2
  val heldAt: Int = numberAt + SmallOccupancy.latency + 1
  val moveAt: Int = heldAt + 1

  /** Clocks from what adds or removes to the flow of a packet that sees it, less than none: a flow comes so much earlier. */
  val countedAt: Int = SmallOccupancy.writtenAt + 1 - numberAt

  val lag = 4
}
