// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.estimators

import sluice.blocks.arithmetic.{Multiplier, Normalizer}
import spinal.core._
import spinal.lib.misc.pipeline._

/** part / (part + rest) of two positive 18-bit numbers, Q1.16, by a table of reciprocals of ten bits; 0 if both are 0. It may
  * come out above 1 by the table's error, 2^-11.
  *
  * @param n
  *   nodes from the one at which `part` and `rest` stand; [[RATIO]] stands at n([[Ratio.latency]]). Their sum fits 18 bits.
  */
class Ratio(n: Seq[Node], part: Payload[UInt], rest: Payload[UInt]) extends Area {
  import JackknifeTables._

  val RATIO = Payload(UInt(17 bits))
  private val SUM = Payload(UInt(18 bits))
  private val ALIGNED = Payload(UInt(18 bits))
  private val INVERSE = Payload(UInt(18 bits))

  n(0)(SUM) := n(0)(part) + n(0)(rest)
  val total = new Normalizer(n.tail, n(1)(SUM) << 14)
  n(3)(ALIGNED) := n(3)(part) |<< n(3)(total.ZEROS)
  val inverses = Mem(UInt(18 bits), reciprocal.map(U(_, 18 bits)))
  n(4)(INVERSE) := inverses.readSync(total.mantissa(mantissaBits))

  n(Ratio.latency)(RATIO) := (Multiplier.far(n(5)(ALIGNED), n(5)(INVERSE)) >> 19).resized
}

object Ratio {
  val latency: Int = 5 + Multiplier.farLatency
}
