// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.probability

import sluice.contract.Widths
import spinal.core._
import spinal.lib._

/** Takes each event with a given probability: iff its draw is below the probability, so 0 never and 1 always takes.
  *
  * The probability is Q1.31 as the registers hold it, the draw Q0.32.
  */
object Sampler {
  def isTaken(draw: UInt, probability: UInt): Bool = draw.resize(Widths.random + 1) < (probability << 1)

  /** The same with ports, for its test: one clock from draw to decision. */
  class Top extends Component {
    val io = new Bundle {
      val draw = slave(Flow(UInt(Widths.random bits)))
      val probability = in(UInt(32 bits))
      val taken = master(Flow(Bool()))
    }
    io.taken.valid := RegNext(io.draw.valid, init = False)
    io.taken.payload := RegNext(isTaken(io.draw.payload, io.probability))
  }
}
