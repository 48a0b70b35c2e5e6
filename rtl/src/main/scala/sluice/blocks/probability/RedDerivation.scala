// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.probability

import sluice.blocks.arithmetic.{Reciprocal, SequentialReciprocal}
import sluice.blocks.estimators.LogRate
import spinal.core._
import spinal.lib._

/** What RED needs of its parameters beyond the parameters: the reciprocals of max - min and, where they are asked for, of max and
  * avpkt, and the rate at which the average decays over idle time. Computed one after the other on one [[SequentialReciprocal]] when a set is applied.
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
  val lowerRange = Reg(Reciprocal())
  val upperRange = hasUpper generate Reg(Reciprocal())
  val avpkt = avpktBytes.isDefined generate Reg(Reciprocal())
  private val rate = Reg(Reciprocal())
  private val jobs = Seq(lowerRange, upperRange, avpkt, rate).filter(_ != null)
  private val values =
    Vec(Seq(max - min) ++ Option.when(hasUpper)(max) ++ avpktBytes.map(_.resize(32)) :+ idleRate)

  private val unit = new SequentialReciprocal
  private val job = Reg(UInt(log2Up(jobs.size) bits)) init 0
  private val isLast = job === jobs.size - 1
  unit.io.start := start || RegNext(unit.io.done && !isLast, init = False)
  unit.io.value := values(job)
  when(unit.io.done) {
    job := Mux(isLast, U(0), job + 1)
    for ((result, i) <- jobs.zipWithIndex) when(job === i)(result := unit.io.result)
  }

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
  val isDone = Delay(unit.io.done && isLast, 2, init = False)
}
