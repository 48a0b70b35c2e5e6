// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.state

import spinal.core._

/** The combined Tausworthe generator taus88 of P. L'Ecuyer, "Maximally equidistributed combined Tausworthe generators",
  * Mathematics of Computation 65, 1996: three 32-bit words of state, period about 2^88.
  *
  * A step is a fixed pattern of exclusive ors, so `words` steps unroll into one clock and every arrival gets as many fresh
  * words as its core needs. The words of an arrival are stable before it comes; `advance` moves on to the next.
  */
class Taus88(words: Int) extends Area {
  private val state = Vec(Taus88.components.map(c => Reg(UInt(32 bits)) init c.defaultSeed))

  private val afterStep: Seq[Seq[UInt]] =
    Seq.iterate(state.toSeq, words + 1)(_.zip(Taus88.components).map { case (s, c) => c.next(s) })

  /** The words of the present arrival, in the order of drawing. */
  val random: Seq[UInt] = afterStep.tail.map(_.reduce(_ ^ _))

  /** Moves on by `words` steps. */
  def advance(): Unit = state.zip(afterStep.last).foreach { case (s, next) => s := next }

  /** Loads the three words of state. */
  def seed(words: Seq[UInt]): Unit = state.zip(words).foreach { case (s, word) => s := word }
}

object Taus88 {

  /** One component: `b = ((s << q) ^ s) >> k; s' = ((s & mask) << shift) ^ b`. A state below `least` never leaves it. */
  case class Tausworthe(q: Int, k: Int, shift: Int, least: Int, defaultSeed: BigInt) {
    def next(s: UInt): UInt = {
      val feedback = (((s |<< q) ^ s) >> k).resize(32 bits)
      val kept = s & U(BigInt("FFFFFFFF", 16) - (least - 1), 32 bits)
      (kept |<< shift) ^ feedback
    }
  }

  val components: Seq[Tausworthe] = Seq(
    Tausworthe(q = 13, k = 19, shift = 12, least = 2, defaultSeed = BigInt("9E3779B9", 16)),
    Tausworthe(q = 2, k = 25, shift = 4, least = 8, defaultSeed = BigInt("7F4A7C15", 16)),
    Tausworthe(q = 3, k = 11, shift = 17, least = 16, defaultSeed = BigInt("F39CC060", 16))
  )
}
