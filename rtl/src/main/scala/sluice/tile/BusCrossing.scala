// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile

import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axilite._

/** AXI4-Lite from a host's clock to another one: each channel one word at a time, under a toggle that goes over and back
  * ([[spinal.lib.StreamCCByToggle]]). Both resets must be high together for four cycles of the slower clock.
  */
class BusCrossing(from: AxiLite4, host: ClockDomain, to: AxiLite4, here: ClockDomain) extends Area {
  val aw = BusCrossing.crossed(from.aw, host, here)
  val w = BusCrossing.crossed(from.w, host, here)
  val ar = BusCrossing.crossed(from.ar, host, here)
  val b = BusCrossing.crossed(to.b, here, host)
  val r = BusCrossing.crossed(to.r, here, host)
  to.aw << aw.io.output
  to.w << w.io.output
  to.ar << ar.io.output
  from.b << b.io.output
  from.r << r.io.output
}

object BusCrossing {

  /** One word at a time from a clock to another. */
  def crossed[T <: Data](word: Stream[T], from: ClockDomain, to: ClockDomain): StreamCCByToggle[T] = {
    val crossing = new StreamCCByToggle(word.payloadType, from, to, withOutputBufferedReset = false)
    crossing.io.input << word
    crossing
  }
}
