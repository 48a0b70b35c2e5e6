// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.probability
package curve

import sluice.blocks.state.DeepMemory
import spinal.core._
import spinal.lib._

/** The points of a drop function that software computes, in block memory: two pages by turns, so that a new set is written while the
  * old one is in force, and a third one that nobody writes, with what is in force after a reset.
  *
  * @param start
  *   high for one cycle when the pairs stand, of a point of even index and, above it, the next one; they must stay until [[isDone]]
  * @param reset
  *   the pairs after a reset
  */
class HazardTable(start: Bool, pairs: Seq[UInt], reset: Seq[BigInt]) extends Area {
  import HazardTable._
  require(pairs.size == points / 2 && reset.size == points / 2)

  /** The page of the newest set; the first one after a reset. */
  val page = Reg(UInt(pageBits bits)) init 0
  private val place = Reg(UInt(pairBits bits)) init 0
  private val isOn = RegInit(False)
  isOn := start || (isOn && !place.andR)
  when(start)(page := Mux(page === 1, U(2), U(1)))
  when(isOn)(place := place + 1)

  // One pair of 32 takes two clocks: of each four one by the lower bits of the place, of these one by the upper bits.
  private val nearest = pairs.grouped(4).map(four => RegNext(Vec(four).read(place(1 downto 0)))).toSeq
  private val pair = RegNext(Vec(nearest).read(RegNext(place >> 2)))
  private val address = Delay(page @@ place, pairCycles)
  private val isWritten = Delay(isOn, pairCycles, init = False)
  sluice.contract.Clocks.are("HazardTable.pairCycles", pairCycles, new sluice.contract.Clocks(Seq(place)).to(pair))

  /** High for one cycle when the new page stands. */
  val isDone = isWritten.fall(False)

  /** One half of each pair, to be read: the first page's pairs are those after a reset. */
  def half(isOdd: Boolean): DeepMemory = {
    val shift = if (isOdd) pointBits else 0
    val standing = reset.map(pair => (pair >> shift) & ((BigInt(1) << pointBits) - 1))
    val memory = new DeepMemory(pointBits, (points / 2) << pageBits)
      .holding(standing.padTo((points / 2) << pageBits, BigInt(0)))
    memory.write(address, pair(shift, pointBits bits).asBits, isWritten)
    memory
  }
}

object HazardTable {
  val points = 64
  val pointBits = 16 // Q0.16
  val pageBits = 2
  val pairBits: Int = log2Up(points / 2)
  private val pairCycles = 2

  /** Clocks from `start` until the new page stands: one for each pair, in the next one the first. */
  val cycles: Int = 1 + points / 2 + pairCycles
}
