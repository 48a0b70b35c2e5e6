// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile
package account

import spinal.core._

/** And of several queues each one's counts add up, and all queues' are the tile's. */
class QueueAccountProof(config: TileConfig) extends AccountedTile(config) {
  private val queues = config.Own.ofQueues.indices
  for (packet <- Seq(coming, leaving.packet)) assume(packet.queue < queues.size)

  when(isRunning) {
    for (unit <- Seq("packets", "bytes")) {
      for (i <- queues)
        assert(
          sum(Seq(s"queue${i}_received_$unit")) ===
            sum(Seq(s"queue${i}_dropped_$unit", s"queue${i}_$unit", s"queue${i}_departed_$unit"))
        )
      for (what <- Seq("received_", "departed_"))
        assert(sum(queues.map(i => s"queue${i}_$what$unit")) === sum(Seq(s"$what$unit")))
      assert(sum(queues.map(i => s"queue${i}_$unit")) === sum(Seq(s"queue_$unit")))
    }
  }
}
