// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.hits

import sluice.blocks.state.DeepMemory
import spinal.core._
import spinal.lib._
import spinal.lib.misc.pipeline._

/** The period in which a sample is drawn.
  *
  * `number` of closed periods before it, modulo; `least` hits in the one before that keep an entry; `stamp`: which sample of the
  * period it is.
  */
case class HbfPeriod(hitBits: Int) extends Bundle {
  val number = UInt(HbfPeriod.numberBits bits)
  val least = UInt(hitBits bits)
  val stamp = UInt(hitBits bits)
}

object HbfPeriod {

  /** A flow that comes back after 2^12 - 1 periods, to an entry that nobody has taken meanwhile, finds its old hits. */
  val numberBits = 12
}

/** What an entry of the cache of high-bandwidth flows holds, as its last hit has left it: the number of that period, the hits in it
  * and in the one before, and the stamp of the hit.
  */
case class HbfWord(hitBits: Int) extends Bundle {
  val number = UInt(HbfPeriod.numberBits bits)
  val hits = UInt(hitBits bits)
  val previous = UInt(hitBits bits)
  val stamp = UInt(hitBits bits)
}

/** An entry as it is in a period that may be a later one. It is there if `isCurrent`, hit in this period, or `isKept`: hit in the one
  * before, and often enough. Then `hits` are those of the period before.
  */
case class HbfEntry(hitBits: Int) extends Bundle {
  val isCurrent, isKept = Bool()
  val hits, previous, stamp = UInt(hitBits bits)

  def isThere: Bool = isCurrent || isKept

  /** Hits in both periods. */
  def total: UInt = hits +^ previous.andMask(isCurrent)
}

/** The hits of the cache's entries, in block memory. In each clock one entry is hit, or begins anew, or is only looked at, and another
  * one is looked at; each as if all clocks before were done. A period's end touches no word: what it does to an entry is worked out
  * when that is looked at, from the period in which it was last hit.
  *
  * A word is read at n(0), stands at n([[HbfHits.latency]]) as it is in this period, and is written from the next node on. What is
  * under way to it is taken from there, that of the clock before as late as n(4): there the loop closes, with one count or one
  * comparison.
  *
  * @param n
  *   nodes: all that follows is there at n(0)
  * @param isHit
  *   the entry at `place` is hit
  * @param isBegun
  *   and by a flow that has just taken the place
  * @param second
  *   a second place, looked at a clock later, after the hit at n(0) beside it
  */
class HbfHits(
    n: Seq[Node],
    place: Payload[UInt],
    isHit: Payload[Bool],
    isBegun: Payload[Bool],
    period: Payload[HbfPeriod],
    second: Payload[UInt],
    hitBits: Int
) extends Area {
  import HbfHits._
  private val written = Reg(HbfWord(hitBits)) // by n(writtenAt)

  /** A look at a place, from n(at) on, of which `entry` comes at n(at + latency). */
  class Look(at: Int, place: Payload[UInt]) extends Area {
    private val words = new DeepMemory(widthOf(written), 1 << widthOf(n(at)(place)))
    private val writer = n(writtenAt)
    words.write(writer(HbfHits.this.place), written.asBits, enable = writer.isValid && writer(isHit))
    private val stored = HbfWord(hitBits)
    stored.assignFromBits(RegNext(words.readSync(n(at)(place))))

    // What was hit up to so many clocks before is not in the memory's answer.
    private val IS_SAME = Payload(Bits(writtenAt bits))
    n(at)(IS_SAME) := Vec((1 to writtenAt).map { age =>
      n(age).isValid && n(age)(isHit) && n(age)(HbfHits.this.place) === n(at)(place)
    }).asBits
    private def isOf(age: Int, node: Int): Bool = n(at + node)(IS_SAME)(age - 1)

    private val OLDER = Payload(HbfWord(hitBits))
    n(at + 2)(OLDER) := (3 to writtenAt).foldRight(stored) { (age, older) =>
      Mux(isOf(age, 2), Delay(written, age - 3), older)
    }

    private val ENTRY = Payload(HbfEntry(hitBits))
    private val older = Mux(isOf(2, 3), written, n(at + 3)(OLDER))
    private val now = n(at + 3)(period)
    n(at + 3)(ENTRY).assignSomeByName(older)
    n(at + 3)(ENTRY).isCurrent := older.number === now.number
    n(at + 3)(ENTRY).isKept := older.number === now.number - 1 && !(older.hits < now.least)

    // Between one clock's arrival and the next one's a period may have ended.
    private val IS_NEXT = Payload(Bool())
    n(at)(IS_NEXT) := (if (at == 1) False else n(at)(period).number =/= n(1)(period).number)
    val entry = HbfEntry(hitBits)
    entry := n(at + latency)(ENTRY)
    when(isOf(1, latency)) {
      entry.assignSomeByName(written)
      entry.isCurrent := !n(at + latency)(IS_NEXT)
      entry.isKept := n(at + latency)(IS_NEXT) && !(written.hits < n(at + latency)(period).least)
    }
  }

  /** At n(latency): the entry before the hit. */
  val onHit = new Look(0, place)
  private val last = n(latency)
  private val goesOn = onHit.entry.isCurrent && !last(isBegun)
  written.number := last(period).number
  written.hits := Mux(goesOn, onHit.entry.hits, U(0)) + 1
  written.previous := Mux(onHit.entry.isCurrent, onHit.entry.previous, onHit.entry.hits.andMask(onHit.entry.isKept))
  when(last(isBegun))(written.previous := 0)
  written.stamp := last(period).stamp

  /** At n(latency + 1). */
  val onSecond = new Look(1, second)
}

object HbfHits {
  val latency = 4
  private val writtenAt = latency + 1

  /** The last node from which something is taken. */
  val nodes: Int = 1 + latency
}
