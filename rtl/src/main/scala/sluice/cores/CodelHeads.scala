// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.cores

import sluice.blocks.arithmetic.{Multiplier, WideMultiplier}
import sluice.contract._
import sluice.blocks.arithmetic.powers.InverseRoot
import spinal.core._
import spinal.lib._
import spinal.lib.misc.pipeline._

/** What CoDel finds out of a packet at the head, and when the law's next drop is due: the same for every way to keep its state. */
abstract class CodelHeads(codel: CodelAlgorithm) extends AqmCore(codel) {
  import codel._
  val latency = 8
  protected val n = headNodes

  /** What a packet that is marked may have waited. */
  val onParameters = new Area {
    private val products = RegNext(WideMultiplier.multiplyApart(io.parameters(target), io.parameters(markMost)))
    private val product = RegNext(WideMultiplier.sum(products).resize(32 + markMost.width))
    val most = RegNext(product.sat(markMost.width))
    val hasMost = RegNext(io.parameters(markMost) =/= alwaysMarks)
  }
  private val derivedAt = Multiplier.latency + 4
  applyWhen(Delay(io.apply, derivedAt, init = False))
  Clocks.suffice(
    "CodelCore.derivedAt",
    derivedAt,
    new Clocks(Seq(target, markMost).map(io.parameters(_))).to(onParameters.most)
  )

  val NOW, UNTIL = Payload(UInt(Widths.timeNs bits)) // UNTIL: when an interval that begins with this head ends
  val onDelay = new Area {
    val DELAY = Payload(UInt(Widths.timeNs bits))
    val BYTES = Payload(UInt(Widths.maxBytes bits))
    val IS_ECT, IS_LONG, IS_LATE, IS_PAST, IS_DEEP, IS_FAR, HAS_THRESHOLD = Payload(Bool())
    val IS_ABOVE, MAY_MARK, CE_MARKS = Payload(Bool())
    val LOW, SHOWN = Payload(UInt(32 bits))

    n(0)(NOW) := io.head.nowNs
    n(0)(UNTIL) := io.head.nowNs + parameter(0, interval)
    n(0)(DELAY) := io.head.nowNs - io.head.packet.queuedNs
    n(0)(BYTES) := io.head.queueBytes
    n(0)(IS_ECT) := io.head.packet.isEct

    n(1)(IS_LONG) := (n(1)(DELAY) >> 32) =/= 0
    n(1)(LOW) := n(1)(DELAY)(31 downto 0)
    n(1)(IS_LATE) := n(1)(LOW) >= parameter(1, target)
    n(1)(IS_PAST) := n(1)(LOW) > parameter(1, ceThreshold)
    n(1)(IS_FAR) := n(1)(LOW) > inForce(1, onParameters.most, U(firstMost, 32 bits))
    n(1)(IS_DEEP) := n(1)(BYTES) > parameter(1, minBytes)
    n(1)(HAS_THRESHOLD) := inForce(1, io.parameters(ceThreshold) =/= noThreshold, False)

    n(2)(IS_ABOVE) := (n(2)(IS_LONG) || n(2)(IS_LATE)) && n(2)(IS_DEEP)
    private val isBeyond = (n(2)(IS_LONG) || n(2)(IS_FAR)) && inForce(2, onParameters.hasMost, Bool(firstHasMost))
    n(2)(MAY_MARK) := parameter(2, ecn).lsb && n(2)(IS_ECT) && !isBeyond
    n(2)(CE_MARKS) := n(2)(HAS_THRESHOLD) && (n(2)(IS_LONG) || n(2)(IS_PAST)) && n(2)(IS_ECT)
    n(2)(SHOWN) := Mux(n(2)(IS_LONG), U(noThreshold, 32 bits), n(2)(LOW))
  }

  /** The law's step behind a drop: the interval through the root of the count.
    *
    * @param count
    *   at the node `rootAt`
    */
  class LawStep(rootAt: Int, count: UInt) extends Area {
    protected val stepAt = rootAt + InverseRoot.latency + 1
    val root = new InverseRoot(n.slice(rootAt, stepAt), count)
    val PRODUCTS = Payload(WideMultiplier.products(32, 18))
    val WHOLE, STEP = Payload(UInt(32 bits))
    val at = n(stepAt)
    at(PRODUCTS) := WideMultiplier.multiply(parameter(stepAt, interval), at(root.ROOT))
    n(stepAt + 2)(WHOLE) := (WideMultiplier.sum(n(stepAt + 2)(PRODUCTS)) >> InverseRoot.fraction).resize(32)
    n(stepAt + 3)(STEP) := n(stepAt + 3)(WHOLE) |>> n(stepAt + 3)(root.HALVINGS)
  }

  /** Says at a node what becomes of its packet, if it is a hit of the law and if not. */
  protected def judge(at: Node, VERDICT: Payload[Verdict], isHit: Payload[Bool]): Unit = {
    at(VERDICT) := Mux(at(onDelay.CE_MARKS), verdict(Reasons.ceMark), pass)
    when(at(isHit)) {
      at(VERDICT) := Mux(at(onDelay.MAY_MARK), verdict(Reasons.mark), verdict(Reasons.drop))
    }
  }
}
