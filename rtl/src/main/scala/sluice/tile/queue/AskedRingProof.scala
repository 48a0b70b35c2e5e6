// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile
package queue

import sluice.contract._
import sluice.checks.Proof
import spinal.core._
import spinal.lib._

/** A small [[AskedRing]] among anything: packets come, the link asks and waits, and what is fetched is kept, dropped or sends the
  * later ones back, as may be. Every packet that was pushed leaves once and in order, nobody gets one that did not ask, and
  * nothing is lost for lack of room.
  */
class AskedRingProof extends Proof {
  private val (depth, asks, places, judging) = (4, 2, 4, 1)
  private def descriptor() = Descriptor()
  private val numberBits = 6 // of a packet, in the order of pushing; it may overflow

  val ring = new AskedRing(HardType(descriptor()), HardType(descriptor()), depth, asks, places)

  val pushed, left, sent, asked = Reg(UInt(numberBits bits)) init 0
  private def next(count: UInt, is: Bool): Unit = when(is)(count := count + 1)

  ring.io.push.valid := free(Bool()) && pushed - left < depth
  ring.io.push.payload := free(HardType(descriptor()))
  ring.io.push.flow.allowOverride() := pushed.asBits.resized
  ring.io.ask.valid := free(Bool())
  ring.io.left.ready := free(Bool())
  next(pushed, ring.io.push.valid)
  next(asked, ring.io.ask.fire)
  next(left, ring.io.left.fire)
  next(sent, ring.io.left.fire && !ring.io.left.isDropped)

  // A judgment of a fixed number of clocks, which a restart voids.
  val restarts = Bool()
  val fetched = Vec.fill(judging)(Reg(Flow(Fetched(HardType(descriptor()), log2Up(depth) + 1))))
  for ((stage, previous) <- fetched.zip(ring.io.fetched +: fetched)) {
    stage.valid.init(False)
    stage.valid := previous.valid && !restarts
    stage.payload := previous.payload
  }
  ring.io.resolved.valid := fetched.last.valid
  ring.io.resolved.descriptor := fetched.last.descriptor
  ring.io.resolved.isDropped := free(Bool())
  ring.io.resolved.reason := 0
  restarts := fetched.last.valid && free(Bool())
  ring.io.restart.valid := restarts
  ring.io.restart.payload := fetched.last.place + 1

  when(isRunning) {
    when(ring.io.left.valid)(assert(ring.io.left.descriptor.flow === left.asBits.resized))
    assert(asked - sent <= asks + places)
    assert(left - pushed === 0 || pushed - left <= depth)
    when(ring.io.left.fire && !ring.io.left.isDropped)(assert(sent =/= asked))
    cover(sent === 2 && left === 3)
    cover(restarts && ring.io.left.valid && ring.io.left.isDropped)
  }
}
