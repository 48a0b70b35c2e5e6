// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.estimators

import sluice.blocks.arithmetic.Normalizer
import spinal.core._
import spinal.lib.misc.pipeline._

/** 1/P of a frequency P in Q1.31, a new one in each clock: the number of flows, if each sends as much as the others, where P is how
  * often two packets are of one flow. Q16.10, by a table of 1,024 reciprocals over P's leading bits, each taken in the middle of
  * its step: at most 2^-11 of it wrong. What would be 2^16 or more is all ones.
  *
  * @param n
  *   nodes: `frequency` is there at n(0), [[FLOWS]] at n([[InverseFrequency.latency]])
  */
class InverseFrequency(n: Seq[Node], frequency: Payload[UInt]) extends Area {
  import InverseFrequency._
  val FLOWS = Payload(UInt(bits bits))
  private val SHIFTED = Payload(UInt(tableFraction + mostShift bits))
  private val REST = Payload(UInt(2 bits)) // by which it is still to be shifted
  private val IS_MANY = Payload(Bool())

  private val normal = new Normalizer(n, n(0)(frequency))
  private val table = Mem(UInt(tableFraction bits), entries.map(U(_, tableFraction bits)))
  private val inverse = RegNext(
    table.readSync(normal.mantissa(indexBits))
  ) // belongs to the node two behind the address

  private val zeros = n(4)(normal.ZEROS)
  n(4)(IS_MANY) := zeros > mostShift
  n(4)(SHIFTED) := (inverse << (zeros(4 downto 2) << 2)).resized
  n(4)(REST) := zeros(1 downto 0)
  private val shifted = (n(5)(SHIFTED) |<< n(5)(REST)) >> (tableFraction - fraction)
  n(5)(FLOWS) := Mux(n(5)(IS_MANY), U(bits bits, default -> true), shifted.resized)
}

object InverseFrequency {
  val fraction = 10
  val bits: Int = 16 + fraction
  val latency = 6
  private val indexBits = 10
  private val tableFraction = 18
  private val mostShift = bits - fraction

  private val entries: Seq[BigInt] = Seq.tabulate(1 << indexBits) { i =>
    BigInt(scala.math.round((1 << tableFraction) / (1 + (i + 0.5) / (1 << indexBits))))
  }

  /** The same in software, for reset values. */
  def of(frequency: BigInt): BigInt = {
    val zeros = 32 - frequency.bitLength
    val entry = entries(((frequency << zeros) >> (31 - indexBits)).toInt & ((1 << indexBits) - 1))
    ((entry << zeros) >> (tableFraction - fraction)).min((BigInt(1) << bits) - 1)
  }
}
