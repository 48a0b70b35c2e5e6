// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile
package queue

import sluice.contract._
import sluice.tile.queue.fair.HeadOfQueue
import spinal.core._
import spinal.lib._

/** The queue of a tile whose core has a say in what leaves: it judges packets at the head, or throws queued ones out. The link asks
  * for each packet, and none is fetched or judged before.
  *
  * @param accepted
  *   the packet that enters, in the clock of its verdict
  * @param nowNs
  *   as the core sees it
  * @param mayDrop
  *   whether what was dropped may leave in this clock; at any time, where nobody says
  */
class AskedQueue(config: TileConfig, core: AqmCore, accepted: Flow[Descriptor], nowNs: UInt, mayDrop: Option[Bool])
    extends Area {
  private val needs = config.needs
  require(
    !needs.head || needs.samples == 0,
    s"${config.algorithm.name}: no tile can both sample the queue and judge heads so far"
  )

  val ring = new AskedRing(
    HardType(config.entry),
    HardType(config.descriptor),
    config.ringPackets,
    places = AskedRing.placesFor(core.headLatency)
  )
  private val pushing = if (needs.takesVictims) Tombstones.deciding else 1

  /** The packet that enters the ring in this clock, and where. */
  val push: Flow[Descriptor] = (0 until pushing).foldLeft(accepted)((flow, _) => flow.stage())
  val place: Flow[UInt] = push.translateWith(ring.io.tail)
  ring.io.push << push

  /** For a core that throws packets out: where the packet is that a verdict names, in the clock of that verdict. */
  val victim = needs.takesVictims generate Flow(UInt(config.placeBits bits))
  val tombstones =
    needs.takesVictims generate new Tombstones(config.ringPackets, victim, place, push.payload, ring.io.next)

  if (needs.head) {
    val head = new HeadOfQueue(config, core, ring, nowNs)
    ring.io.resolved << head.resolved
    ring.io.restart << head.restart
  } else {
    // A tombstone is dropped; what else is fetched leaves.
    val isDead = RegNext(tombstones.readSync(RegNext(ring.io.next)))
    ring.io.resolved << ring.io.fetched.map { fetched =>
      val leaving = Leaving(HardType(config.descriptor))
      leaving.descriptor.assignSomeByName(fetched.descriptor)
      leaving.isDropped := isDead
      leaving.reason := isDead ? U(TileConfig.pushedOutCode) | U(0)
      leaving
    }
    ring.io.restart.setIdle()
  }

  private val (kept, gone) = {
    val isGone = ring.io.left.isDropped
    val leaving = mayDrop.fold(ring.io.left)(may => ring.io.left.haltWhen(isGone && !may))
    (leaving.throwWhen(isGone), leaving.asFlow.takeWhen(isGone))
  }

  /** To the link. */
  val departure: Stream[Departure] = kept.map(Left.departure(config, _))

  /** A packet that was dropped in the queue, when its turn has come. */
  val dropped: Flow[Departure] = gone.map(Left.departure(config, _))

  /** Of the whole queue: see [[Rest]]. */
  val rest = new Rest(
    isStep = ring.io.isEmpty,
    isThere = !ring.io.isEmpty,
    isEntering = (1 to pushing).map(Delay(accepted.valid, _, init = False)).orR
  )

  /** Whatever leaves in this clock. */
  val left: Flow[Left] = ring.io.left.toFlowFire.map(Left(config, _, isTombstone = needs.takesVictims))
}
