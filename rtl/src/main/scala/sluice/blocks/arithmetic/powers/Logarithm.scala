// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.arithmetic
package powers

import spinal.core._
import spinal.lib._

/** The logarithm to base 2 of a 48-bit number, Q6.11, a new one in each clock, [[Logarithm.latency]] clocks after `value`. Of 0 it is
  * that of 1.
  *
  * A table of 1,024 entries has it of what follows the first one: the power that [[PowerOfTwo]] makes of it is the number within one
  * part in 800.
  */
class Logarithm(value: UInt) extends Area {
  import Logarithm._
  require(value.getWidth == valueBits)

  /** Left by the zero groups in front, of three or four groups, and how many these were; the last group is never passed. A clock to
    * find them, a clock to shift.
    */
  private def shifted(of: UInt, group: Int, groups: Int, keep: Int): (UInt, UInt) = {
    val isZero =
      (0 until groups - 1).map(i => RegNext(of(of.high - i * group downto of.getWidth - (i + 1) * group) === 0))
    val zeros = isZero.scanLeft(True: Bool)(_ && _).tail
    val steps = zeros.zipWithIndex.foldLeft(U(0, 2 bits)) { case (count, (all, i)) =>
      Mux(all, U(i + 1, 2 bits), count)
    }
    val held = RegNext(of)
    val all = (0 until groups).map(i => (held |<< (i * group))(of.high downto of.getWidth - keep))
    (RegNext(Vec(all ++ Seq.fill(4 - groups)(all.last)).read(steps)), RegNext(steps))
  }

  private val (near, by16) = shifted(value, 16, 3, 16 + mantissaBits)
  private val (nearer, by4) = shifted(near, 4, 4, 4 + mantissaBits)
  private val (normal, by1) = shifted(nearer, 1, 4, 1 + mantissaBits)
  private val zeros = Delay(by16, 4) @@ Delay(by4, 2) @@ by1 // of 48, so 47 - zeros is the exponent

  private val table = Mem(UInt(fraction bits), entries.map(U(_, fraction bits)))
  private val fractional = RegNext(table.readSync(normal(mantissaBits - 1 downto 0)))

  val result: UInt = Delay(valueBits - 1 - zeros, 2) @@ fractional
}

object Logarithm {
  val valueBits = 48
  val mantissaBits = 10
  val fraction = 11
  val bits: Int = log2Up(valueBits) + fraction
  val latency = 8

  private val entries: Seq[BigInt] = Seq.tabulate(1 << mantissaBits) { i =>
    val logarithm = scala.math.log1p((i + 0.5) / (1 << mantissaBits)) / scala.math.log(2)
    BigInt(scala.math.round(logarithm * (1 << fraction)))
  }

  /** The logarithm of a constant. */
  def of(x: Double): BigInt = BigInt(scala.math.round(scala.math.log(x) / scala.math.log(2) * (1 << fraction)))

  /** The same with ports, for its test. */
  class Top extends Component {
    val io = new Bundle {
      val value = in(UInt(valueBits bits))
      val logarithm = out(UInt(bits bits))
    }
    io.logarithm := new Logarithm(io.value).result
  }
}
