// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.packet
package cells

import sluice.contract.{Departure, Widths}
import sluice.tile._
import sluice.tile.queue.AskedRing
import spinal.core._
import spinal.lib._

/** What leaves the queues of a tile for the asks of a link: one packet for each. A tile that judges at its heads takes the asks itself,
  * and tells of what it drops there; of any other one packet is taken for each ask, and none is dropped or marked behind its verdict.
  */
class AskedPackets(config: TileConfig, tile: AqmTile, ask: Event) extends Area {
  private val isAsked = config.needs.isAsked

  val onCredit = !isAsked generate new Area {
    val asked = Reg(UInt(Widths.count(AskedRing.mostAsked) bits)) init 0
    val taken = tile.io.m_departure.continueWhen(asked =/= 0)
    ask.ready := asked =/= AskedRing.mostAsked
    asked := asked + U(ask.fire) - U(taken.fire)
  }
  if (isAsked) {
    tile.io.s_ask << ask
    tile.io.extension.get.mayDrop := True
  }

  private def packet() = Departure(config.cookieBits, withReason = true, config.queueBits)
  val departure: Stream[Departure] =
    if (isAsked) tile.io.m_departure
    else
      onCredit.taken.map { taken =>
        val left = packet()
        left.assignSomeByName(taken)
        left.reason := 0
        left
      }
  val dropped: Flow[Departure] = if (isAsked) tile.io.m_dropped else Flow(packet()).setIdle()
}
