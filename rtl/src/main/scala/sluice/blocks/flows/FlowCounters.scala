// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.flows

import sluice.blocks.state.DeepMemory
import spinal.core._
import spinal.lib._

/** Bytes of one flow in one list, modulo 2^36: arrived, dropped by anyone, lost to RED or the limit, or marked. */
case class FlowBytes() extends Bundle {
  val arrived, dropped, lost = UInt(FlowCounters.bits bits)
  def amounts: Seq[UInt] = Seq(arrived, dropped, lost)
}

/** Counts by places during one list while the counts of the list before are read and cleared. One packet per clock, of one flow or not.
  *
  * @param added
  *   a packet of a known flow
  * @param bank
  *   the list that it belongs to; the other one's counts are read [[FlowCounters.readLatency]] clocks after `readAt`
  * @param written
  *   to the other bank, or to both
  */
class FlowCounters(
    added: Flow[FlowCounters.Added],
    bank: UInt,
    readAt: UInt,
    written: Flow[FlowCounters.Written],
    isBoth: Bool
) extends Area {
  import FlowCounters._
  private val width = FlowBytes().getBitsWidth
  private val memories = Seq.fill(2)(new DeepMemory(width, FlowPlaces.places))

  private val key = bank @@ added.place
  private val words = memories.zipWithIndex.map { case (memory, i) =>
    RegNext(memory.readSync(Mux(bank === i, added.place, readAt)))
  }
  private val banks = Delay(bank, 2).asBool

  /** The counts of the list before. */
  val read = FlowBytes()
  read.assignFromBits(Mux(banks, words(0), words(1)))

  // A word read in one clock is written four clocks later; what is under way for the same place is taken from there.
  private val isSame = (1 to writeAt).map(age => Delay(added.valid, age, init = False) && key === Delay(key, age))
  private val sums = FlowBytes()
  private val after = FlowBytes()
  for (((sum, value), i) <- sums.amounts.zip(after.amounts).zipWithIndex) {
    def past(age: Int): UInt = Delay(sum, age)
    val stored = Mux(banks, words(1), words(0))(i * bits, bits bits).asUInt
    val known = (2 to writeAt).foldRight(stored)((age, older) => Mux(Delay(isSame(age - 1), 2), past(age - 1), older))
    value := Mux(Delay(isSame(0), 3), past(1), RegNext(known))
    sum := value + Delay(added.amounts(i), 3)
  }
  private val isWriting = Delay(added.valid, writeAt, init = False)
  private val (place, bytes, of) = (Delay(added.place, writeAt), RegNext(sums.asBits), Delay(bank, writeAt))
  for ((memory, i) <- memories.zipWithIndex) {
    val isOther = written.valid && (bank =/= i || isBoth)
    memory.write(
      Mux(isOther, written.place, place),
      Mux(isOther, written.bytes.asBits, bytes),
      isOther || (isWriting && of === i)
    )
  }
}

object FlowCounters {
  val bits = 36
  val readLatency = 2
  private val writeAt = 4

  /** A packet's bytes: arrived, dropped, lost. */
  case class Added() extends Bundle {
    val place = UInt(FlowPlaces.placeBits bits)
    val amounts = Vec.fill(3)(UInt(16 bits))
  }

  case class Written() extends Bundle {
    val place = UInt(FlowPlaces.placeBits bits)
    val bytes = FlowBytes()
  }
}
