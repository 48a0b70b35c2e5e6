// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.estimators

import sluice.blocks.arithmetic.Normalizer
import sluice.blocks.state.DeepMemory
import spinal.core._
import spinal.lib.misc.pipeline._

/** |D|, and Y = S V - D^2, of one tested order. */
case class Tested(magnitudeBits: Int, restBits: Int) {
  val MAGNITUDE = Payload(UInt(magnitudeBits bits))
  val REST = Payload(SInt(restBits + 1 bits))
}

/** How far the significance of a test of [[Jackknife]] is from 0.05, for several tests at a time: P = erfc(sqrt(T^2 / 2)),
  * T^2 = D^2 (S - 1) / Y. The quotient is taken in logarithms, the rest is one table over log2(T^2).
  *
  * D = 0 gives P = 1; Y <= 0 with D not 0 gives P = 0.
  *
  * @param n
  *   nodes from the one at which `tests` and `logLessOne` stand; [[DISTANCE]] stands at n([[Significance.latency]])
  * @param logLessOne
  *   log2(S - 1)
  */
class Significance(n: Seq[Node], tests: Seq[Tested], logLessOne: Payload[UInt]) extends Area {
  import JackknifeTables._

  /** |P - 0.05|, Q0.18. */
  val DISTANCE = tests.map(_ => Payload(UInt(18 bits)))

  private val logs = Mem(UInt(logFraction bits), logMantissa.map(U(_, logFraction bits)))
  private val distances = new DeepMemory(18, distance.size).holding(distance)

  for ((test, result) <- tests.zip(DISTANCE)) new Area {
    val IS_ZERO, IS_NEGATIVE = Payload(Bool()) // D = 0; Y <= 0
    val LOG_D, LOG_Y = Payload(UInt(logFraction bits))
    val WHOLE = Payload(SInt(logFraction + 8 bits))
    val LOG = Payload(SInt(logFraction + 8 bits)) // log2(T^2) - leastLog

    val d = new Normalizer(n, n(0)(test.MAGNITUDE) << 32 - test.magnitudeBits)
    val y = new Normalizer(n, n(0)(test.REST).asUInt.resize(32))

    n(2)(IS_ZERO) := !n(2)(d.NORMALIZED).msb
    n(2)(IS_NEGATIVE) := n(2)(test.REST).msb || !n(2)(y.NORMALIZED).msb
    n(3)(LOG_D) := logs.readSync(d.mantissa(mantissaBits))
    n(3)(LOG_Y) := logs.readSync(y.mantissa(mantissaBits))

    // |D| has 9 fraction bits of 17, Y 12 of 32: the exponents are 7 and 19 less the zeros in front.
    val exponent = S(7 * 2 - 19 - leastLog, 8 bits) - (n(3)(d.ZEROS) << 1).intoSInt.resize(8) + n(3)(y.ZEROS).intoSInt
    n(3)(WHOLE) := (exponent << logFraction) + n(3)(logLessOne).intoSInt
    n(4)(LOG) := n(4)(WHOLE) + (n(4)(LOG_D) << 1).intoSInt - n(4)(LOG_Y).intoSInt

    val index = (n(5)(LOG) >> 4).asUInt
    val bits = log2Up(logSteps)
    val isBeyond = n(5)(IS_NEGATIVE) || !(index < logSteps)
    val entry = Mux(isBeyond, U(logSteps - 1, bits bits), index.resize(bits))
    when(n(5)(IS_ZERO) || (!n(5)(IS_NEGATIVE) && n(5)(LOG).msb))(entry := 0)
    n(6)(result) := distances.readSync(entry).asUInt
  }
}

object Significance {
  val latency = 7
}
