// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.contract

import spinal.core._
import spinal.lib._

/** Widths that every core and tile share. */
object Widths {
  val timeNs = 64 // nanoseconds since any epoch; jumps forwards by any amount, never runs backwards
  val flow = 32 // flow id, well mixed
  val packet = 16 // bytes of one packet, up to 65,535
  val rttUs = 22 // round-trip time in us; 0 = not known, the highest number = that or longer, 4.19 s
  val dscp = 6
  val random = 32
  val reason = 4 // codes 1.. are the core's reasons in the order of declaration; 0 = none; 15 = the tile's limit
  val intervalNs = 42 // time between two ticks, up to 73 minutes
  val maxPackets = 18 // packets queued
  val maxBytes = 26 // bytes queued
  val mostQueues = 8 // of a tile, with rings
  val mostLists = 4096 // of a tile, with linked lists
  val levels = 8 // of strict priority, as IEEE 802.1Q has traffic classes
  val quantum = 20 // bytes that a queue may send on its turn, up to 1 MiB

  /** Bits that hold every index of `n` things. */
  def index(n: Int): Int = log2Up(n).max(1)

  /** Bits of the number of one of so many queues; none if there is one. */
  def queue(queues: Int): Int = if (queues > 1) log2Up(queues) else 0

  /** Bits that hold every count from 0 to `n`. */
  def count(n: Int): Int = log2Up(n + 1)
}

/** What may happen to a packet. */
object Action extends SpinalEnum(binarySequential) {
  val PASS, MARK, DROP = newElement()
}

/** A packet that asks to be queued, as the datapath or the NIC describes it.
  *
  * @param cookieBits
  *   of the owner's own handle on the packet, which no core sees; 0: there is none
  * @param withRtt
  *   whether it comes with the round-trip time of its flow
  * @param queueBits
  *   of the number of its queue; 0: there is one, or nobody asks
  * @param withDscp
  *   whether it comes with its DSCP, RFC 2474
  */
case class Arrival(cookieBits: Int = 0, withRtt: Boolean = false, queueBits: Int = 0, withDscp: Boolean = false)
    extends Bundle {
  val flow = Bits(Widths.flow bits)
  val bytes = UInt(Widths.packet bits)
  val ecn = Bits(2 bits) // the ECN field of the packet, RFC 3168: 0 not capable, 1 ECT(1), 2 ECT(0), 3 CE
  val rttUs = withRtt generate UInt(Widths.rttUs bits)
  val dscp = withDscp generate UInt(Widths.dscp bits)
  val cookie = (cookieBits > 0) generate Bits(cookieBits bits)
  val queue = (queueBits > 0) generate UInt(queueBits bits)

  /** The packet is ECN-capable: it may be marked. */
  def isEct: Bool = ecn =/= 0
}

/** What is to become of the packet: pass, mark (set CE) or drop, and why. The tile's verdict has the packet's cookie and queue. */
case class Verdict(cookieBits: Int = 0, queueBits: Int = 0) extends Bundle {
  val action = Action()
  val reason = UInt(Widths.reason bits)
  val cookie = (cookieBits > 0) generate Bits(cookieBits bits)
  val queue = (queueBits > 0) generate UInt(queueBits bits)
}

/** A core's verdict on an arrival.
  *
  * `tag`: bits of the core's own that travel with the packet and come back with it. `victim`: valid only with a drop; the queued
  * packet of that sample is thrown out too, if it is still there and the link has not asked for it.
  */
case class CoreVerdict(needs: Needs) extends Bundle {
  val action = Action()
  val reason = UInt(Widths.reason bits)
  val tag = (needs.tagBits > 0) generate Bits(needs.tagBits bits)
  val victim = needs.takesVictims generate Flow(UInt(Widths.index(needs.samples) bits))

  def set(verdict: Verdict): Unit = {
    action := verdict.action
    reason := verdict.reason
  }
}

/** A queued packet as the ring remembers it. What nobody asks for is not there.
  *
  * @param tagBits
  *   of the core's own
  * @param withTime
  *   whether the time of its arrival is kept
  * @param queueBits
  *   of the number of its queue
  */
case class Descriptor(cookieBits: Int = 0, tagBits: Int = 0, withTime: Boolean = false, queueBits: Int = 0)
    extends Bundle {
  val flow = Bits(Widths.flow bits)
  val bytes = UInt(Widths.packet bits)
  val isCe = Bool() // marked by this tile
  val isEct = withTime generate Bool() // ECN-capable: may be marked at the head
  val queuedNs = withTime generate UInt(Widths.timeNs bits)
  val tag = (tagBits > 0) generate Bits(tagBits bits)
  val cookie = (cookieBits > 0) generate Bits(cookieBits bits)
  val queue = (queueBits > 0) generate UInt(queueBits bits)
}

/** A packet as it leaves the tile's queue.
  *
  * @param withReason
  *   whether it may have been judged there: `reason` says why it was dropped, or marked at the head; 0: neither
  */
case class Departure(cookieBits: Int, withReason: Boolean, queueBits: Int = 0) extends Bundle {
  val flow = Bits(Widths.flow bits)
  val bytes = UInt(Widths.packet bits)
  val isCe = Bool() // marked by this tile
  val reason = withReason generate UInt(Widths.reason bits)
  val cookie = (cookieBits > 0) generate Bits(cookieBits bits)
  val queue = (queueBits > 0) generate UInt(queueBits bits)
}

/** The moment of an arrival, with all that a core may look at, sampled in the cycle of the arrival.
  *
  * `queuePackets` and `queueBytes` count the accepted packets of the arrival's queue that have neither left nor been thrown out,
  * before this one; a packet counts from the cycle in which its verdict leaves the tile. `samples` are queued packets, each drawn uniformly and valid
  * when the queue is not empty. `random` are fresh words, drawn for every arrival whether used or not. `limit` is the tile's, in
  * packets. `profile` is the number of the one that the host has chosen for the packets of that colour in the arrival's queue.
  */
case class CoreArrival(needs: Needs) extends Bundle {
  val packet = Arrival(withRtt = needs.rtt, queueBits = needs.queueBits)
  val nowNs = UInt(Widths.timeNs bits)
  val queuePackets = UInt(Widths.maxPackets bits)
  val queueBytes = UInt(Widths.maxBytes bits)
  val limit = needs.limit generate UInt(Widths.maxPackets bits)
  val profile = (needs.profiles > 0) generate UInt(needs.profileBits bits)
  val random = (needs.randomWords > 0) generate Vec.fill(needs.randomWords)(UInt(Widths.random bits))
  val samples = (needs.samples > 0) generate Vec.fill(needs.samples)(Flow(Sample()))
}

/** A queued packet at which an arrival looks. */
case class Sample() extends Bundle {
  val flow = Bits(Widths.flow bits)
}

/** What became of a judged packet. */
object Fate extends SpinalEnum(binarySequential) {
  val ACCEPTED, REFUSED, OVERLIMIT, PUSHED_OUT = newElement()
}

/** The moment when the link asked for a packet while nothing was queued and nothing in judgment. It may come in every cycle; the
  * first starts the idle time. A core with state by queue hears of which queues that is true, one bit each.
  */
case class Idle(needs: Needs) extends Bundle {
  val nowNs = UInt(Widths.timeNs bits)
  val queues = (needs.queues > 1) generate Bits(needs.queues bits)
}

/** A moment of a packet that was judged before, with the state of the queue.
  *
  * @param withTime
  *   whether the time of its arrival is known
  */
abstract class PacketMoment(needs: Needs, withTime: Boolean = false) extends Bundle {
  val packet = Descriptor(tagBits = needs.tagBits, withTime = withTime, queueBits = needs.queueBits)
  val nowNs = UInt(Widths.timeNs bits)
  val queuePackets = UInt(Widths.maxPackets bits)
  val queueBytes = UInt(Widths.maxBytes bits)
}

/** The moment when the fate of a judged packet is settled: accepted, refused by the core, over the tile's limit; or thrown out of
  * the queue, with a later arrival's verdict. `queuePackets` and `queueBytes` are what an arrival of the next cycle finds.
  */
case class Settled(needs: Needs) extends PacketMoment(needs) {
  val fate = Fate()
}

/** The moment when a packet has left the queue at its head: `isSent` to the link, or dropped there. `queuePackets` and
  * `queueBytes` are what an arrival of the next cycle finds.
  */
case class Departed(needs: Needs) extends PacketMoment(needs) {
  val isSent = Bool()
}

/** The moment when the link asks for the oldest packet: `packet` with the time of its arrival, and how much is queued behind it. */
case class Head(needs: Needs) extends PacketMoment(needs, withTime = true)

/** What is to become of the packet at the head.
  *
  * `restart`: the heads presented since were judged too early. They count as not presented, and come again.
  */
case class HeadVerdict() extends Bundle {
  val action = Action()
  val reason = UInt(Widths.reason bits)
  val restart = Bool()
}
