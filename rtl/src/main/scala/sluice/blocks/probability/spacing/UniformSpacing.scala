// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.probability
package spacing

import sluice.blocks.arithmetic.WideMultiplier
import spinal.core._
import spinal.lib._
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
  * @param ofQueues
  *   where each of several queues has a count and a draw of its own: the packet's queue, and by queue whether a packet is there that
  *   takes part
  */
class UniformSpacing(
    n: Seq[Node],
    probability: Payload[UInt],
    draw: Payload[UInt],
    isWaiting: Int => Bool,
    takesPart: Node => Bool = _.isValid,
    ofQueues: Option[(Payload[UInt], Seq[Node => Bool])] = None
) extends Area {
  import RestartCount.depth
  private val countBits = RestartCount.bits

  private val COUNT = Payload(UInt(countBits bits))
  private val DRAWS = Payload(Vec.fill(depth)(UInt(32 bits))) // of the packets before, the last one first
  private val COUNTS = Payload(WideMultiplier.products(33, countBits))
  private val TRIPLE = Payload(UInt(35 bits))
  val TOTAL = Payload(UInt(18 + 18 + countBits bits)) // count * p, unless a packet right ahead has restarted the count
  private val RECENT = Payload(Bits(depth bits)) // hit if the restart was j packets ago
  private val FEWER = Payload(Bits(depth bits)) // the same with the count one less
  private val OLDER = Payload(Bool()) // hit if the restart was before all of these

  /** Whether the packet at n(4) is hit, provided RED is active; of several queues, the packet at n(5). */
  val isHit = Bool()

  /** To be driven at n(4): this packet restarts the count whether it is hit or not, and it does so because RED is not active. */
  val restartsAnyway, isInactive = Bool()

  class State(takesPart: Node => Bool) extends RestartCount(n, takesPart) {
    val keptDraw = Reg(UInt(32 bits)) init 0
    val drawsPast = Vec(Reg(UInt(32 bits)) init 0, depth)
    when(takesPart(n(0))) {
      drawsPast(0) := n(0)(draw)
      for (j <- 1 until depth) drawsPast(j) := drawsPast(j - 1)
    }
    lazy val isHit: Bool = select(n(4)(RECENT), n(4)(FEWER), n(4)(OLDER))
    // Of several queues the draw comes a clock later: a restart is known late, and the registers are many. Nobody asks [[OLDER]] in the
    // four packets behind it.
    private lazy val hasRestarted = RegNext(takesPart(n(4)) && isRestart, init = False)
    def decide(): Unit = {
      isRestart := isHit || restartsAnyway
      beginsFewer := isInactive && !isWaiting(4)
      if (ofQueues.isDefined) when(hasRestarted)(keptDraw := n(5)(draw))
      else when(takesPart(n(4)) && isRestart)(keptDraw := n(4)(draw))
    }

    /** By which the packet at n(4) is judged. */
    def drawNow: UInt = if (ofQueues.isDefined) Mux(hasRestarted, n(5)(draw), keptDraw) else keptDraw
  }
  private val states = ofQueues match {
    case None                => Seq(new State(takesPart).setName("spacing_state"))
    case Some((_, takePart)) =>
      takePart.zipWithIndex.map { case (takesPart, i) => new State(takesPart).setName(s"spacing_state$i") }
  }

  /** What is of the state of the packet's queue, at a stage. */
  private def of[T <: Data](stage: Int)(value: State => T): T =
    ofQueues.fold(value(states.head)) { case (queue, _) => Vec(states.map(value)).read(n(stage)(queue)) }

  n(0)(COUNT) := of(0)(_.number)
  ofQueues match {
    case None             => n(0)(DRAWS) := states.head.drawsPast
    case Some((queue, _)) =>
      // A register cleared for all queues but one costs no logic, where a multiplexer does.
      val draws = states.zipWithIndex.map { case (state, i) =>
        val DRAWS_OF = Payload(Bits(depth * 32 bits))
        n(0)(DRAWS_OF) := state.drawsPast.asBits.andMask(n(0)(queue) === i)
        n(1)(DRAWS_OF)
      }
      n(1)(DRAWS).assignFromBits(draws.reduceBalancedTree(_ | _))
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

  // Of several queues it is chosen a clock before: a packet that restarts meanwhile is one that [[OLDER]] is not asked about.
  private val KEPT_DRAW = Payload(UInt(32 bits))
  if (ofQueues.isDefined) n(2)(KEPT_DRAW) := of(2)(_.keptDraw)
  private val kept = if (ofQueues.isDefined) n(3)(KEPT_DRAW) else states.head.keptDraw
  n(3)(OLDER) := n(3)(TOTAL) > (U(isWaiting(3)) @@ kept)

  states.foreach(_.decide())
  isHit := ofQueues.fold(states.head.isHit) { case (_, takePart) =>
    states.zip(takePart).map { case (state, takesPart) => RegNext(state.isHit && takesPart(n(4))) }.orR
  }

  /** What the packet at n(4) is judged by. */
  def count: UInt = of(4)(_.count)
  def keptDraw: UInt = of(4)(_.drawNow)
}
