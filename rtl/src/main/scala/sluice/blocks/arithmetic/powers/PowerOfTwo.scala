// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.arithmetic
package powers

import spinal.core._
import spinal.lib._

/** 2^exponent of a logarithm as [[Logarithm]] makes it, a new one in each clock, [[PowerOfTwo.latency]] clocks after `exponent`:
  * rounded down where it is at least 1 and fits 32 bits, 0 below and all ones above.
  *
  * @param exponent
  *   Q.11
  */
class PowerOfTwo(exponent: SInt) extends Area {
  import PowerOfTwo._
  private val whole = exponent >> Logarithm.fraction
  private val index = exponent(Logarithm.fraction - 1 downto Logarithm.fraction - indexBits).asUInt

  private val table = Mem(UInt(18 bits), entries.map(U(_, 18 bits)))
  private val mantissa = RegNext(table.readSync(index)) // 1 to 2

  private val halvings = Delay(~whole(4 downto 0).asUInt, 2) // 31 - whole
  private val coarse = RegNext((mantissa << 14) |>> (halvings(4 downto 3) @@ U(0, 3 bits)))
  private val fine = RegNext(coarse |>> RegNext(halvings(2 downto 0)))
  private val isNone = Delay(whole.msb, latency)
  private val isMore = Delay(whole >= 32, latency)

  val result: UInt = Mux(isNone, U(0, 32 bits), fine | Mux(isMore, U(BigInt("FFFFFFFF", 16), 32 bits), U(0, 32 bits)))
}

object PowerOfTwo {
  private val indexBits = 10
  val latency = 4

  private val entries: Seq[BigInt] = Seq.tabulate(1 << indexBits) { i =>
    BigInt(scala.math.round(scala.math.pow(2, 17 + (i + 0.5) / (1 << indexBits))))
  }

  /** The same with ports, for its test. */
  class Top extends Component {
    val io = new Bundle {
      val exponent = in(SInt(Logarithm.bits + 2 bits))
      val power = out(UInt(32 bits))
    }
    io.power := new PowerOfTwo(io.exponent).result
  }
}
