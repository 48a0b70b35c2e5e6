// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.probability
package spacing

import spinal.core._
import spinal.lib.misc.pipeline._

/** Derandomisation of RFC 8033, section 5.4: the probabilities of packets add up since the last one that was taken; below 0.85 none is, from
  * 8.5 on one is for certain, and in between one that is hit by its draw.
  *
  * The sum is kept as its distance from both thresholds, so that a comparison is a sign. What it comes to with the next packet is worked out
  * while the packet before is decided on, for each of what may become of that one: so one packet per clock.
  *
  * @param before
  *   the node before the decision, where `probability` is; so is [[FRESH]], of the same packet
  * @param at
  *   the node of the decision, where `isCounted` and `isHit` are
  * @param probability
  *   Q1.31
  * @param isOn
  *   whether packets are spaced; else each goes that is hit
  * @param restarts
  *   the sum begins anew behind the packet at `at`
  */
class PieSpacing(
    before: Node,
    at: Node,
    probability: Payload[UInt],
    isCounted: Payload[Bool],
    isHit: Payload[Bool],
    isOn: Bool,
    restarts: Bool
) extends Area {
  import PieSpacing._

  /** Distances with this packet alone. */
  val FRESH = Payload(Vec.fill(2)(SInt(bits bits)))
  val IS_ZERO = Payload(Bool())

  /** Written one node before `before`. */
  def prepare(node: Node): Unit = {
    node(FRESH) := Vec(thresholds.map(t => node(probability).intoSInt.resize(bits) - S(t, bits bits)))
    node(IS_ZERO) := node(probability) === 0
  }

  private val isStanding = at.isValid && at(isCounted)

  /** From the thresholds, before the packet at `at` and with it. */
  private val old = thresholds.map(t => Reg(SInt(bits bits)) init S(-t, bits bits))
  private val sums = thresholds.map(_ => Reg(SInt(bits bits)))
  private val (isSoon, isOverdue) = (sums.head.msb, !sums.last.msb)

  val isTaken: Bool = at(isCounted) && Mux(isOn, !at(IS_ZERO) && !isSoon && (at(isHit) || isOverdue), at(isHit))
  private val isReset = (isStanding && (isTaken || at(IS_ZERO) || !isOn)) || restarts

  for (((o, sum), (threshold, fresh)) <- old.zip(sums).zip(thresholds.zip(before(FRESH)))) {
    o := Mux(isReset, S(-threshold, bits bits), Mux(isStanding, sum, o))
    val next = before(probability).intoSInt
    sum := Mux(isReset, fresh, Mux(isStanding, sum + next, o + next))
  }

  /** The sum with the packet at `at`, Q4.31. */
  def sum: UInt = (sums.head + S(thresholds.head, bits bits)).asUInt.resize(bits - 1)
}

object PieSpacing {
  private val fraction = 31
  private val bits = fraction + 5

  /** 0.85, rounded up, and 8.5. */
  private val thresholds = Seq((BigInt(85) << fraction) / 100 + 1, (BigInt(17) << fraction) / 2)
}
