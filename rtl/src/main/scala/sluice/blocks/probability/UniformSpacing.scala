// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.probability

import sluice.blocks.arithmetic.WideMultiplier
import spinal.core._
import spinal.lib.misc.pipeline._

/** RED's spreading of marks: the gap between two marks is uniform instead of geometric.
  *
  * One draw R is kept from the last restart on. A packet is hit when `count * p > R` (gap uniform on 1..1/p; S. Floyd and
  * V. Jacobson 1993, the "efficient algorithm" of section 11), with `wait` when `count * p > 1 + R` (gap uniform on
  * 1/p..2/p; ns-2). count is the number of packets since the restart, the packet itself included. What restarts it: a mark or
  * drop of the core, and a packet judged while RED is not active; after the latter the 1993 form counts one less.
  *
  * The restart of one packet decides the count of the next: [[RestartCount]].
  *
  * @param n
  *   six consecutive nodes: the probability must be there at the first, [[IS_HIT]] is decided at n(4), and n(5) is where the
  *   verdict leaves
  * @param probability
  *   Q1.32, at most 1
  * @param draw
  *   Q0.32, a fresh word for each packet
  * @param isWaiting
  *   by stage (relative to n)
  * @param takesPart
  *   whether a packet is there that this is about; others leave everything as it is. From n(0) on
  */
class UniformSpacing(
    n: Seq[Node],
    probability: Payload[UInt],
    draw: Payload[UInt],
    isWaiting: Int => Bool,
    takesPart: Node => Bool = _.isValid
) extends Area {
  import RestartCount.depth
  private val countBits = RestartCount.bits

  private val COUNT = Payload(UInt(countBits bits))
  private val DRAWS = Payload(Vec.fill(depth)(UInt(32 bits))) // of the packets before, the last one first
  private val COUNTS = Payload(WideMultiplier.products(33, countBits))
  private val TRIPLE = Payload(UInt(35 bits))
  private val TOTAL = Payload(UInt(18 + 18 + countBits bits))
  private val RECENT = Payload(Bits(depth bits)) // hit if the restart was j packets ago
  private val FEWER = Payload(Bits(depth bits)) // the same with the count one less
  private val OLDER = Payload(Bool()) // hit if the restart was before all of these

  /** Whether the packet at n(4) is hit, provided RED is active. */
  val isHit = Bool()

  /** To be driven at n(4): this packet restarts the count, and it does so because RED is not active. */
  val isRestart, isInactive = Bool()

  val state = new RestartCount(n, takesPart) {
    val keptDraw = Reg(UInt(32 bits)) init 0
    val drawsPast = Vec(Reg(UInt(32 bits)) init 0, depth)
  }

  val onCount = new Area {
    n(0)(COUNT) := state.number
    n(0)(DRAWS) := state.drawsPast
    when(takesPart(n(0))) {
      state.drawsPast(0) := n(0)(draw)
      for (j <- 1 until depth) state.drawsPast(j) := state.drawsPast(j - 1)
    }
  }

  val onMultiply = new Area {
    n(1)(COUNTS) := WideMultiplier.multiply(n(1)(probability), n(1)(COUNT))
    n(1)(TRIPLE) := n(1)(probability) +^ (n(1)(probability) << 1)
  }

  val onRecent = new Area {
    val p = n(2)(probability)
    val multiples = Seq(U(0), p, p << 1, n(2)(TRIPLE), p << 2) // 0..4 times p
    n(2)(TOTAL) := WideMultiplier.sum(n(2)(COUNTS))
    def isAbove(times: Int, past: Int): Bool = multiples(times) > (U(isWaiting(2)) @@ n(2)(DRAWS)(past - 1))
    n(2)(RECENT) := Vec((1 to depth).map(j => isAbove(j, j))).asBits
    n(2)(FEWER) := Vec((1 to depth).map(j => isAbove(j - 1, j))).asBits
  }

  n(3)(OLDER) := n(3)(TOTAL) > (U(isWaiting(3)) @@ state.keptDraw)

  val onSelect = new Area {
    isHit := state.select(n(4)(RECENT), n(4)(FEWER), n(4)(OLDER))
    state.isRestart := isRestart
    state.beginsFewer := isInactive && !isWaiting(4)
    when(takesPart(n(4)) && isRestart)(state.keptDraw := n(4)(draw))
  }
}
