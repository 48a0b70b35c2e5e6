// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile
package account

import sluice.contract._
import sluice.tile.queue.Sampling
import sluice.checks.WitnessCore
import spinal.core._
import spinal.lib._

/** And what a core counts for itself, by what it hears, is what the tile tells it with an arrival. */
class AccountProof(config: TileConfig) extends AccountedTile(config) {
  // A core that counts, and sees what a tile shows it: a clock later, and as much as a look into the queue takes.
  private val late = if (needs.samples > 0) Sampling.cycles else 0
  val core = algorithm.core().asInstanceOf[WitnessCore]
  private val told = Seq(core.io.settled, core.io.pushedOut, core.io.departed).filter(_ != null).flatMap(_.flatten)
  for (port <- core.io.flatten if port.isInput && !told.contains(port))
    port.assignFromBits(free(HardType(Bits(widthOf(port) bits))))
  val moments = new CoreMoments(config, core, admission, free(HardType(UInt(Widths.timeNs bits))), late)

  when(isRunning) {
    val seen = Delay(admission.packets, late + 1, init = U(0, Widths.maxPackets bits))
    assert(core.onStir.own.pull().resize(shown) === seen.resize(shown))
  }
}
