// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile

import sluice.contract._
import sluice.tile.queue._
import sluice.tile.registers._
import sluice.tile.queue.fair.FairQueue
import sluice.tile.queue.lists.QueueLists
import spinal.core._
import spinal.lib._

/** The queue of a tile as its configuration has it: one ring or several, or lists, and a core that judges at the head or throws queued
  * packets out, or none.
  *
  * @param accepted
  *   the packet that enters, in the clock of its verdict
  * @param nowNs
  *   the latest time
  * @param seenNs
  *   the same as the core sees it
  * @param words
  *   random words that draw queued packets, where the core wants some
  */
class TileQueue(
    config: TileConfig,
    core: AqmCore,
    registers: TileRegisters,
    accepted: Flow[Descriptor],
    nowNs: UInt,
    seenNs: => UInt,
    words: => Seq[UInt],
    told: TileQueue.Told,
    link: TileQueue.Link
) extends Area {
  // Each kind of queue says the same of itself by ports of other names and shapes, so each has these lines.
  val isWanted = Bool() // the link wants a packet
  val isMended = Bool() // what the queue counts began anew
  val isOdd = Bool() // a packet left with another length than it came with
  private val needs = config.needs
  if (config.scheduler == "fq") {
    val quantum = config.Own.ofEach.get.quantum
    val queue = new FairQueue(
      config,
      core,
      accepted,
      seenNs,
      RegNextWhen(registers.io.active(quantum), core.io.applied) init quantum.raw,
      registers.io.window,
      told.restart
    )
    queue.lists.io.ask << link.ask
    told.isAtRest := queue.lists.io.isAtRest.asBits
    isMended := queue.lists.io.isMended
    isOdd := queue.lists.io.isOdd
    isWanted := queue.lists.io.isAsked
    link.departure << queue.departure
    link.dropped << queue.dropped
    told.leaving << queue.left
  } else if (needs.isAsked) {
    val queue = new AskedQueue(config, core, accepted, nowNs, link.mayDrop)
    if (needs.takesVictims) {
      new QueueSamples(config, core, words, queue)
      told.thrown.get << queue.tombstones.thrown
      link.victim << queue.tombstones.thrown.translateWith(queue.tombstones.thrownPlace).stage()
    }
    queue.ring.io.ask << link.ask
    told.isAtRest := queue.rest.isOn.asBits
    isMended := queue.ring.io.isMended
    isOdd := queue.ring.io.isOdd
    isWanted := queue.ring.io.isAsked
    link.departure << queue.departure
    link.dropped << queue.dropped
    told.leaving << queue.left
  } else if (config.storage == Storage.Lists) {
    val lists = new QueueLists(HardType(config.descriptor), config.queues, config.ringPackets, config.levels)
    lists.io.push << accepted.stage()
    lists.io.restart := told.restart
    val quantum = config.Own.ofEach.get.quantum
    lists.io.quantum := RegNextWhen(registers.io.active(quantum), core.io.applied) init quantum.raw
    lists.io.select := registers.io.window.select
    lists.io.setQuantum << registers.io.window.quantum
    registers.io.window.quantumNow := lists.io.quantumNow
    if (config.levels > 1) {
      lists.io.setLevel << registers.io.window.level
      registers.io.window.levelNow := lists.io.levelNow
    }
    told.isAtRest := lists.io.isAtRest.asBits
    isMended := lists.io.isMended
    isOdd := lists.io.isOdd
    link.departure << lists.io.pop.map(Left.departure(config, _))
    isWanted := link.departure.ready
    told.leaving << lists.io.pop.toFlowFire.map(Left.sent(config, _))
  } else if (config.queues > 1) {
    val ahead = if (needs.picksLate) 1 else QueueRings.ahead
    val rings =
      new QueueRings(HardType(config.descriptor), config.queues, config.ringOfQueue, config.scheduler, ahead)
    rings.io.push << accepted.stage()
    told.isAtRest := rings.io.isAtRest
    isMended := rings.io.isMended
    isOdd := rings.io.isOdd
    if (needs.givesQuanta) rings.io.quanta := core.io.quanta
    else
      for ((quantum, q) <- Option(rings.io.quanta).toSeq.flatten.zip(config.Own.ofQueues))
        quantum := RegNextWhen(registers.io.active(q.quantum.get), core.io.applied).init(q.quantum.get.raw)
    link.departure << rings.io.pop.map(Left.departure(config, _))
    isWanted := link.departure.ready
    told.leaving << rings.io.pop.toFlowFire.map(Left.sent(config, _))
  } else {
    val ring = new DescriptorRing(HardType(config.descriptor), config.ringPackets)
    val push = accepted.stage()
    ring.io.push << push
    val rest = new Rest(isStep = ring.io.isEmpty, isThere = !ring.io.isEmpty, isEntering = push.valid)
    told.isAtRest := rest.isOn.asBits
    isMended := False
    isOdd := ring.io.isOdd
    link.departure << ring.io.pop.map(Left.departure(config, _))
    if (needs.samples > 0) new PlainSamples(config, core, words, push, ring.io.pop.fire, rest.isOn)
    isWanted := link.departure.ready
    told.leaving << ring.io.pop.toFlowFire.map(Left.sent(config, _))
  }
}

object TileQueue {

  /** Between the queue and what counts its packets.
    *
    * @param restart
    *   what counts many queues begins anew
    * @param isAtRest
    *   of each queue, or of all lists: nothing that was accepted before this clock counts any more
    * @param leaving
    *   the packet that leaves at the head in this clock
    * @param thrown
    *   the one that is thrown out
    */
  case class Told(restart: Bool, isAtRest: Bits, leaving: Flow[Left], thrown: Option[Flow[Descriptor]])

  /** The tile's ports that the link has, those that there are, and a datapath's word whether its packets may be dropped here. */
  case class Link(
      ask: Event,
      departure: Stream[Departure],
      dropped: Flow[Departure],
      victim: Flow[UInt],
      mayDrop: Option[Bool]
  )
}
