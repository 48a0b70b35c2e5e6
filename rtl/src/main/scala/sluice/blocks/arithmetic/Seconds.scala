// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.arithmetic

import spinal.core._
import spinal.lib._

/** Nanoseconds, of 32 bits, as seconds of Q3.30, [[Seconds.cycles]] clocks later: 2^30 / 10^9 is 1 and a rest, which a multiplication by a
  * constant adds. At most 2^-29 s below what it is.
  */
object Seconds {
  val bits = 33
  val fraction = 30
  private val rest = (BigInt(1) << 62) / 1000000000 - (BigInt(1) << 32) // Q0.32

  val cycles: Int = WideMultiplier.wideLatency + 1

  def apply(ns: UInt): UInt = {
    val more = WideMultiplier.wide(ns, U(rest)) >> 32
    RegNext(Delay(ns, WideMultiplier.wideLatency).resize(bits) + more.resize(bits))
  }
}
