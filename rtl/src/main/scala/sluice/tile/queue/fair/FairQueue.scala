// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile
package queue
package fair

import sluice.contract._
import sluice.tile.registers.QueueWindowIo
import spinal.core._
import spinal.lib._

/** Many queues by RFC 8290 with their core: it judges the packet at the head of each, and the lists keep its state.
  *
  * @param accepted
  *   the packet that enters, in the clock of its verdict
  * @param nowNs
  *   as the core sees it
  * @param quantum
  *   of queues that have none of their own
  * @param window
  *   through which the host sees one of them
  */
class FairQueue(
    config: TileConfig,
    core: AqmCore,
    accepted: Flow[Descriptor],
    nowNs: UInt,
    quantum: UInt,
    window: QueueWindowIo,
    restart: Bool
) extends Area {
  val lists = new FairLists(config, core.headLatency, config.needs.headState.get)
  lists.io.push << accepted.stage()
  lists.io.restart := restart
  lists.io.quantum := quantum
  lists.io.select := window.select
  lists.io.setQuantum << window.quantum
  window.quantumNow := lists.io.quantumNow

  core.io.head.valid := lists.io.head.valid
  core.io.head.packet.assignSomeByName(lists.io.head.descriptor)
  core.io.head.nowNs := nowNs
  core.io.head.queuePackets := lists.io.head.packets
  core.io.head.queueBytes := lists.io.head.bytes
  core.io.headState := lists.io.head.state
  lists.io.verdict := core.io.headVerdict.payload
  lists.io.stateAfter := core.io.headStateAfter

  private val leaving = lists.io.left

  /** To the link. */
  val departure: Stream[Departure] = leaving.throwWhen(leaving.isDropped).map(Left.departure(config, _))

  /** A packet that was dropped at the head, when its turn has come. */
  val dropped: Flow[Departure] = leaving.asFlow.takeWhen(leaving.isDropped).map(Left.departure(config, _))

  /** Whatever leaves in this clock. */
  val left: Flow[Left] = leaving.toFlowFire.map(Left(config, _, isTombstone = false))
}
