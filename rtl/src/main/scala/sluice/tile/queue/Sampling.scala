// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile
package queue

import sluice.contract._
import spinal.core._
import spinal.lib._

/** A uniformly drawn packet of the queue. Where packets are thrown out it is as Linux' CHOKe does it (`choke_peek_random` of
  * net/sched/sch_choke.c): who draws a tombstone draws again, [[Sampling.draws]] times in all, and then takes the oldest packet;
  * there is none if that is a tombstone too, or nothing is queued.
  *
  * The draws are made at once, each from the upper 18 bits of a random word of its own, so that one multiplier of today's FPGAs
  * does: `place = next + ((word >> 14) * waiting >> 18)`. Of 1,000 packets each is drawn with 262 or 263 of 2^18. The answer comes
  * [[Sampling.cycles]] clocks after the words.
  *
  * @param words
  *   one for each draw
  * @param next
  *   the oldest entry of the ring that may be drawn
  * @param tail
  *   behind the youngest
  * @param isDead
  *   whether the entry at a place is a tombstone, a clock later; none where none is thrown out
  */
class Sampling(
    depth: Int,
    words: Seq[UInt],
    next: UInt,
    tail: UInt,
    pushed: Flow[UInt],
    pushedFlow: Bits,
    isDead: Option[UInt => Bool]
) extends Area {
  import Sampling.drawBits
  private def address(place: UInt): UInt = place.resize(log2Up(depth))
  private val flows = Mem(Bits(Widths.flow bits), depth)
  flows.write(address(pushed.payload), pushedFlow, enable = pushed.valid)

  private val waiting = RegNext(RegNext(tail - next))
  private val isAny = Delay(waiting =/= 0, 5, init = False)
  // The multiplier has a register before it and two behind.
  private val oldest = isDead.map(_ => U(0)).toSeq
  private val offsets =
    words.map(word =>
      RegNext(RegNext(RegNext(word.takeHigh(drawBits).asUInt.resize(drawBits)) * waiting)) >> drawBits
    ) ++ oldest
  private val places = offsets.map(offset => RegNext(Delay(next, 4) + offset.resize(next.getWidth)))

  private val candidates = places.map { place =>
    val candidate = Flow(Drawn(next.getWidth))
    candidate.valid := isDead.fold(True)(test => RegNext(!test(place)))
    candidate.flow := RegNext(flows.readSync(address(place)))
    candidate.place := Delay(place, 2)
    candidate
  }

  /** The packet that was drawn. */
  val drawn: Flow[Drawn] = Flow(Drawn(next.getWidth))
  drawn.valid := RegNext(candidates.map(_.valid).reduce(_ || _) && isAny, init = False)
  drawn.payload := RegNext(PriorityMux(candidates.map(c => c.valid -> c.payload)))
}

/** A queued packet: its flow, and where it is. */
case class Drawn(placeBits: Int) extends Bundle {
  val flow = Bits(Widths.flow bits)
  val place = UInt(placeBits bits)
}

object Sampling {

  private val drawBits = 18

  /** Random words for one sample. */
  def draws(needs: Needs): Int = if (needs.takesVictims) 3 else 1

  /** Clocks from the words to the answer. */
  val cycles = 7
}
