// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile
package queue

import sluice.blocks.state.SideTrack
import sluice.contract._
import spinal.core._
import spinal.lib._

/** The samples that a core sees with each arrival, of a queue from which packets go only to the link.
  *
  * @param words
  *   one for each sample
  * @param push
  *   the packet that enters the queue in this clock
  * @param isLeaving
  *   the oldest one leaves
  * @param isAtRest
  *   nothing is queued, see [[Rest]]
  */
class PlainSamples(
    config: TileConfig,
    core: AqmCore,
    words: Seq[UInt],
    push: Flow[Descriptor],
    isLeaving: Bool,
    isAtRest: Bool
) extends Area {
  val next, tail = Reg(UInt(config.placeBits bits)) init 0
  when(isLeaving)(next := next + 1)
  when(push.valid)(tail := tail + 1)
  when(isAtRest)(next := tail)
  for ((sample, word) <- core.io.arrival.samples.zip(words)) {
    val pushed = push.translateWith(tail)
    val drawn = new Sampling(config.ringPackets, Seq(word), next, tail, pushed, push.flow, isDead = None).drawn
    sample.valid := drawn.valid
    sample.flow := drawn.flow
  }
}

/** The same of a queue from which the core throws packets out, and the victim that it makes of one of the samples. Packets that the
  * link has asked for are not drawn.
  */
class QueueSamples(config: TileConfig, core: AqmCore, words: Seq[UInt], queue: AskedQueue) extends Area {
  private val ring = queue.ring.io
  private val drawn = words.grouped(Sampling.draws(config.needs)).toSeq.map { draws =>
    new Sampling(
      config.ringPackets,
      draws,
      ring.next,
      ring.tail,
      queue.place,
      queue.push.flow,
      Some(queue.tombstones.readSync)
    ).drawn
  }
  for ((sample, d) <- core.io.arrival.samples.zip(drawn)) {
    sample.valid := d.valid
    sample.flow := d.flow
  }
  // Each packet's, until its verdict is there.
  private val places = Vec(drawn.map(d => d.place))
  private val judged = cloneOf(places)
  judged.assignFromBits(new SideTrack(places.asBits, core.latency).output)
  queue.victim.valid := core.io.verdict.valid && core.io.verdict.victim.valid
  queue.victim.payload := (if (judged.size > 1) judged(core.io.verdict.victim.payload) else judged.head)
}
