// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile
package queue

import sluice.blocks.state.SideTrack
import sluice.contract._
import spinal.core._

/** The samples that a core sees with each arrival, and the victim that it makes of one of them. */
class QueueSamples(config: TileConfig, core: AqmCore, words: Seq[UInt], queue: AskedQueue) extends Area {
  private val ring = queue.ring.io
  private val drawn = words.grouped(Sampling.draws).toSeq.map { draws =>
    new Sampling(
      config.ringPackets,
      draws,
      ring.next,
      ring.tail,
      queue.place,
      queue.push.flow,
      queue.tombstones.readSync
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
