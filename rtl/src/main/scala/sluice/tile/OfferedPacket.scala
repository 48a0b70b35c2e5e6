// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile

import sluice.contract._
import spinal.core._
import spinal.lib._

/** The packet that arrives, with the number of a queue that there is: as the port says it, as the core chooses it, or by a hash of its
  * flow.
  */
object OfferedPacket {

  /** @param active
    *   the parameters in force, from the clock after `applied` on
    */
  def apply(config: TileConfig, arrival: Flow[Arrival], active: ParameterValues, applied: Bool): Flow[Arrival] = {
    def chosen(queueOf: Arrival => UInt) = arrival.map { arrival =>
      val packet = Arrival(config.cookieBits, config.needs.rtt, config.queueBits, config.hasColours)
      packet.assignSomeByName(arrival)
      packet.queue := queueOf(arrival)
      packet
    }
    if (config.needs.choosesQueue) chosen(config.algorithm.queueOf)
    else if (config.queueBy == "hash") {
      val hash = config.Own.hash.get
      val secret = hash.secret.map { p =>
        val before = RegNextWhen(active(p), applied) init p.raw
        Mux(applied, active(p), before)
      }
      chosen(arrival => hash.of(arrival.flow, secret))
    } else if (config.queues == 1 << config.queueBits) arrival
    else
      arrival.map { arrival =>
        val packet = cloneOf(arrival)
        packet := arrival
        packet.queue.allowOverride() := Mux(arrival.queue < config.queues, arrival.queue, U(config.queues - 1).resized)
        packet
      }
  }
}
