// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.cores.wred

import sluice.contract._
import spinal.core._

/** A profile as one word: the parameters that make it up, the first one lowest. A threshold of 0 stands in it as the highest, which is
  * what it means.
  */
class ProfileWord(fields: Seq[Parameter]) {
  private val lsbs = fields.zip(fields.scanLeft(0)(_ + _.width)).toMap
  val width: Int = fields.map(_.width).sum

  /** The word of a set of parameters. */
  def of(values: ParameterValues): Bits = Cat(fields.map(p => ProfileWord.meant(p, values(p))))

  /** That of the parameters after a reset. */
  val atReset: BigInt = fields.map(p => ProfileWord.meantRaw(p, p.raw) << lsbs(p)).sum

  def field(word: Bits, p: Parameter): UInt = word(lsbs(p), p.width bits).asUInt
}

object ProfileWord {
  private def isThreshold(p: Parameter): Boolean = p.unit == "bytes"
  private def highest(p: Parameter): BigInt = (BigInt(1) << p.width) - 1

  /** What a parameter's value means. */
  def meant(p: Parameter, value: UInt): UInt =
    if (isThreshold(p)) value | U(highest(p)).andMask(value === 0) else value

  /** Whether a threshold is not above another one, each as it is meant, in no more time than to compare them. */
  def isOrdered(low: UInt, high: UInt): Bool = high === 0 || high.andR || (low =/= 0 && low <= high)
  private def meantRaw(p: Parameter, raw: BigInt): BigInt = if (isThreshold(p) && raw == 0) highest(p) else raw
}
