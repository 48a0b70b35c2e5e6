// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.probability

import sluice.blocks.arithmetic.WideMultiplier
import sluice.blocks.estimators.InverseFrequency
import spinal.core._
import spinal.lib.misc.pipeline._

/** SRED's `p min(1, (flows / 256)^2)`: few flows are dropped less. Each of the two multiplications rounds down.
  *
  * @param n
  *   nodes: probability (Q1.31) and flows (Q16.10) are there at n(0), [[SCALED]] at n([[FlowScaling.latency]])
  */
class FlowScaling(n: Seq[Node], probability: Payload[UInt], flows: Payload[UInt]) extends Area {
  import FlowScaling._
  val SCALED = Payload(UInt(32 bits))
  private val ONCE = Payload(UInt(32 bits))
  private val PRODUCTS, PRODUCTS_AGAIN = Payload(WideMultiplier.products(32, fraction))

  private def part(at: Node): UInt = at(flows)(0, fraction bits)
  private def scaled(products: Vec[UInt]): UInt = (WideMultiplier.sum(products) >> fraction).resize(32)
  n(0)(PRODUCTS) := WideMultiplier.multiply(n(0)(probability), part(n(0)))
  n(1)(ONCE) := scaled(n(1)(PRODUCTS))
  n(2)(PRODUCTS_AGAIN) := WideMultiplier.multiply(n(2)(ONCE), part(n(2)))
  private val isMany = (n(3)(flows) >> fraction) =/= 0
  n(3)(SCALED) := Mux(isMany, n(3)(probability), scaled(n(3)(PRODUCTS_AGAIN)))
}

object FlowScaling {
  private val fraction = InverseFrequency.fraction + 8 // of flows / 256
  val latency = 4
}
