// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.probability
package curve

import sluice.blocks.averages.LogRate
import sluice.blocks.arithmetic.division.{Reciprocal, Reciprocals}
import spinal.core._
import spinal.lib._

/** What RED needs of its parameters beyond the parameters: the reciprocals of max - min and, where they are asked for, of max and
  * avpkt, and the rate at which the average decays over idle time. Computed when a set is applied.
  *
  * @param start
  *   high for one cycle when the parameters stand; they must stay until [[isDone]]
  * @param hasUpper
  *   whether the reciprocal of max is wanted
  * @param exponent
  *   and `half`: the averaging weight
  * @param resetIdleRate
  *   and `resetExponent`: what `idleRate` and `exponent` are after reset, without a half
  */
class RedDerivation(
    start: Bool,
    min: UInt,
    max: UInt,
    hasUpper: Boolean,
    avpktBytes: Option[UInt],
    idleRate: UInt,
    exponent: UInt,
    half: Option[Bool],
    resetIdleRate: BigInt,
    resetExponent: Int
) extends Area {
  private val reciprocals =
    new Reciprocals(start, Seq(max - min) ++ Option.when(hasUpper)(max) ++ avpktBytes :+ idleRate)
  private val made = reciprocals.results.iterator
  val lowerRange = made.next()
  val upperRange = hasUpper generate made.next()
  val avpkt = avpktBytes.isDefined generate made.next()
  private val rate = made.next()

  /** e (Q.10) = idle time (in 16 ns) * mantissa >> shift, where e is how often the average halves. */
  val decay = new Area {
    private val rates = LogRate.table(withHalf = half.isDefined)
    private val table = Mem(Bits(LogRate.bits bits), rates.map(r => B(r.packed, LogRate.bits bits)))
    private val log = RegNext(
      table.readSync(half.fold(exponent)(_.asUInt @@ exponent))
    ) // stands long before the rate does
    val mantissa = RegNext((rate.mantissa * log(17 downto 0).asUInt) >> 18)
    val shift = RegNext(log(LogRate.bits - 1 downto 18).asUInt +^ rate.leadingZeros)

    private val resetLog = rates(resetExponent)
    private val (resetRate, _, zeros) = Reciprocal.of(resetIdleRate)
    val resetMantissa: BigInt = (resetRate * resetLog.mantissa) >> 18
    val resetShift: Int = resetLog.shift + zeros
  }

  /** High for one cycle when all results stand. */
  val isDone = Delay(reciprocals.isDone, 2, init = False)
}
