// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.controllers

import sluice.blocks.arithmetic.WideMultiplier
import sluice.contract.Widths
import spinal.core._
import spinal.lib.misc.pipeline._

/** AVQ's virtual queue: an arrival takes off what the capacity has served since the one before, and joins it if it does not then hold more
  * than the buffer. All that may come of an arrival is worked out ahead but for the queue itself, and chosen by two signs.
  *
  * @param n
  *   nodes: what the capacity is must be there at n(0), [[IS_OVER]] is at n([[VirtualQueue.latency]])
  * @param passed
  *   since the arrival before, in 16 ns
  * @param capacity
  *   in bytes per 16 ns, Q10.26
  * @param bytes
  *   of the arrival
  * @param buffer
  *   what the virtual queue holds in bytes, at n([[VirtualQueue.roomAt]])
  */
class VirtualQueue(n: Seq[Node], passed: Payload[UInt], capacity: Payload[UInt], bytes: Payload[UInt], buffer: UInt)
    extends Area {
  import VirtualQueue._

  /** Whether an arrival finds no room. */
  val IS_OVER = Payload(Bool())

  private val SERVED_WIDE = Payload(UInt(capacityBits + VirtualCapacity.passedBits - less bits))
  private val SERVED = Payload(UInt(bits bits))
  private val ROOM = Payload(SInt(bits + 1 bits)) // that an empty queue leaves
  private val IF_JOINED = Payload(SInt(bits + 2 bits)) // what the queue is less if the arrival joins it
  private val MOST = Payload(SInt(bits + 2 bits)) // that the queue may hold for it to join
  private val IS_LARGE = Payload(Bool()) // more than an empty queue takes

  private def size(node: Node): UInt = (node(bytes) << fraction).resize(bits)
  private def signed(value: UInt): SInt = value.intoSInt.resize(bits + 2)

  private val productAt = WideMultiplier.wideLatency
  n(productAt)(SERVED_WIDE) := WideMultiplier.wide(n(0)(capacity), n(0)(passed)) >> less
  private val atRoom = n(roomAt)
  atRoom(SERVED) := atRoom(SERVED_WIDE).sat(atRoom(SERVED_WIDE).getWidth - bits)
  atRoom(ROOM) := (buffer << fraction).intoSInt - size(atRoom).intoSInt
  private val before = n(latency - 1)
  before(IF_JOINED) := signed(before(SERVED)) - signed(size(before))
  before(MOST) := signed(before(SERVED)) + before(ROOM)
  before(IS_LARGE) := before(ROOM).msb

  private val at = n(latency)
  val queue = Reg(UInt(bits bits)) init 0
  private val kept = signed(queue) - signed(at(SERVED))
  private val joined = signed(queue) - at(IF_JOINED)
  private val isShort = (at(MOST) - signed(queue)).msb
  at(IS_OVER) := Mux(kept.msb, at(IS_LARGE), isShort)
  when(at.isValid) {
    queue := Mux(
      at(IS_OVER),
      Mux(kept.msb, U(0, bits bits), kept.asUInt.resize(bits)),
      Mux(kept.msb, size(at), joined.asUInt.resize(bits))
    )
  }
}

object VirtualQueue {

  /** Bits of the queue behind the point, and all. */
  val fraction = 12
  val bits: Int = Widths.maxBytes + fraction

  val capacityFraction = 26
  val capacityBits: Int = 10 + capacityFraction
  private val less = capacityFraction - fraction

  val roomAt: Int = WideMultiplier.wideLatency + 1
  val latency: Int = roomAt + 2
}
