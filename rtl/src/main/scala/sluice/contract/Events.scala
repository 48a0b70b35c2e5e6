// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.contract

import spinal.core._
import spinal.lib._

/** Widths that every core and tile share. */
object Widths {
  val timeNs = 64 // nanoseconds since any epoch; jumps forwards by any amount, never runs backwards
  val flow = 32 // flow id, well mixed
  val packet = 16 // bytes of one packet, up to 65,535
  val rttUs = 24 // round-trip time carried by the packet in us, 0 = unknown
  val random = 32
  val reason = 4 // codes 1.. are the core's reasons in the order of declaration; 0 = none; 15 = the tile's limit
  val maxPackets = 18 // packets queued
  val maxBytes = 26 // bytes queued

  /** Bits that hold every index of `n` things. */
  def index(n: Int): Int = log2Up(n).max(1)

  /** Bits that hold every count from 0 to `n`. */
  def count(n: Int): Int = log2Up(n + 1)
}

/** What may happen to a packet. */
object Action extends SpinalEnum(binarySequential) {
  val PASS, MARK, DROP = newElement()
}

/** A packet that asks to be queued, as the datapath or the NIC describes it.
  *
  * @param queues
  *   number of queues that the tile serves; `queue` indexes them
  * @param cookieBits
  *   of the owner's own handle on the packet, which no core sees; 0: there is none
  */
case class Arrival(queues: Int, cookieBits: Int = 0) extends Bundle {
  val queue = UInt(Widths.index(queues) bits)
  val flow = Bits(Widths.flow bits)
  val bytes = UInt(Widths.packet bits)
  val ect = Bool()
  val rttUs = UInt(Widths.rttUs bits)
  val cookie = (cookieBits > 0) generate Bits(cookieBits bits)
}

/** What is to become of the packet: pass, mark (set CE) or drop, and why. A core's verdict has no cookie, the tile's has the
  * packet's.
  */
case class Verdict(cookieBits: Int = 0) extends Bundle {
  val action = Action()
  val reason = UInt(Widths.reason bits)
  val cookie = (cookieBits > 0) generate Bits(cookieBits bits)
}

/** A queued packet as the ring remembers it. */
case class Descriptor(queues: Int, cookieBits: Int = 0) extends Bundle {
  val queue = UInt(Widths.index(queues) bits)
  val flow = Bits(Widths.flow bits)
  val bytes = UInt(Widths.packet bits)
  val isCe = Bool() // marked by this tile
  val cookie = (cookieBits > 0) generate Bits(cookieBits bits)
}

/** An arrival with all that a core may look at, sampled in the cycle of the arrival.
  *
  * `queuePackets` and `queueBytes` count the accepted packets that have not departed, before this one; a packet counts from
  * the cycle in which its verdict leaves the tile. `sampleFlow` is the flow of one uniformly drawn queued packet, valid when
  * the queue is not empty. `random` are fresh words, drawn for every arrival whether used or not.
  */
case class CoreArrival(queues: Int, randomWords: Int, withSample: Boolean) extends Bundle {
  val packet = Arrival(queues)
  val nowNs = UInt(Widths.timeNs bits)
  val queuePackets = UInt(Widths.maxPackets bits)
  val queueBytes = UInt(Widths.maxBytes bits)
  val random = (randomWords > 0) generate Vec.fill(randomWords)(UInt(Widths.random bits))
  val sampleFlow = withSample generate Flow(Bits(Widths.flow bits))
}

/** What happens at the head of the queue, at most one departure per cycle.
  *
  * `departed`: a packet left in the cycle before; `packets` and `bytes` still count it in this cycle and the next. `foundEmpty`:
  * the link asked for a packet while nothing was queued and nothing was in judgment; it may stay high, the first cycle starts the
  * idle time.
  */
case class Departure(queues: Int) extends Bundle {
  val departed = Bool()
  val foundEmpty = Bool()
  val packet = Descriptor(queues)
  val packets = UInt(Widths.maxPackets bits)
  val bytes = UInt(Widths.maxBytes bits)
  val nowNs = UInt(Widths.timeNs bits)
}
