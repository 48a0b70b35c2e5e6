// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.arithmetic
package powers

import spinal.core._
import spinal.lib._

/** 2^-x of an x below 16, Q1.31 and within 2^-23, [[InversePower.latency]] clocks after x.
  *
  * From 0 to 1 a table has the ends of 1,024 chords, and a power falls along its chord by a part of itself. It is halved by a
  * multiplication too, by one power of two of sixteen, which takes less than a shifter.
  *
  * @param x
  *   Q4.28
  */
class InversePower(x: UInt) extends Area {
  import InversePower._
  private val table = Mem(UInt(32 bits), entries.map(U(_, 32 bits)))
  private val power = RegNext(table.readSync(x(restBits, indexBits bits)))
  private val fallen = RegNext(Multiplier(x(0, restBits bits), U(slope, 18 bits)) >> restBits) // Q0.28
  private val less = Multiplier(power >> 14, fallen) >> 14
  private val onChord = RegNext(Delay(power, Multiplier.latency) - less)
  private val half = Vec((0 until 16).map(n => RegNext(x(fraction, 4 bits) === 15 - n))).asBits.asUInt
  private val halved = WideMultiplier.multiplyApart(onChord, half)
  val result: UInt = RegNext(WideMultiplier.sum(halved) >> 15).resize(32)
}

object InversePower {
  val fraction = 28
  private val indexBits = 10
  private val restBits = fraction - indexBits

  /** From an x that stands to the result. */
  val latency = 6

  private val entries: Seq[BigInt] =
    Seq.tabulate(1 << indexBits)(i => BigInt(scala.math.round(scala.math.pow(2, 31 - i.toDouble / (1 << indexBits)))))
  private val slope =
    BigInt(scala.math.round((1 - scala.math.pow(2, -1.0 / (1 << indexBits))) * scala.math.pow(2, fraction)))

  /** The same with ports, for its test. */
  class Top extends Component {
    val io = new Bundle {
      val x = in(UInt(fraction + 4 bits))
      val power = out(UInt(32 bits))
    }
    io.power := new InversePower(io.x).result
  }
}
