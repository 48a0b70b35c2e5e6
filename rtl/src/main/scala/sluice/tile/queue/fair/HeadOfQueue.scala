// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile
package queue
package fair

import sluice.blocks.state.SideTrack
import sluice.contract._
import spinal.core._
import spinal.lib._

/** Presents fetched packets to the core as heads, a clock after they are there, and makes of its verdicts what becomes of them.
  *
  * How much is queued behind a packet needs no count of its own: each knows how many bytes had been queued with it.
  */
class HeadOfQueue(config: TileConfig, core: AqmCore, ring: AskedRing, nowNs: UInt) extends Area {
  require(
    core.headLatency + 16 < AskedRing.silence,
    s"${config.algorithm.name} judges heads for longer than a ring is silent"
  )
  private def address(place: UInt): UInt = place.resize(log2Up(config.ringPackets))
  private val fetched = ring.io.fetched

  private val onBytes = new Area {
    val bits = Widths.maxBytes + 1
    val sums = Mem(UInt(bits bits), config.ringPackets)
    val queued = Reg(UInt(bits bits)) init 0 // all bytes since reset; it may overflow
    val withThis = queued + ring.io.push.bytes
    when(ring.io.push.valid)(queued := withThis)
    sums.write(address(ring.io.tail), withThis, enable = ring.io.push.valid)
    val sum = RegNext(sums.readSync(address(RegNext(ring.io.next)))) // of the fetched packet
  }

  /** From where on packets are to be presented again. */
  val restart: Flow[UInt] = Flow(UInt(fetched.place.getWidth bits))

  // All that a restart voids: what comes next is fetched anew.
  private def unlessVoid(valid: Bool): Bool = RegNext(valid && !restart.valid, init = False)

  // tail - place - 1 of one chain of carries: half of what that is of twice the places, less one
  private val behind = ((ring.io.tail ## False).asUInt - (fetched.place ## True).asUInt) >> 1

  private val presented = Flow(Head(config.algorithm.needs))
  presented.valid := unlessVoid(fetched.valid)
  presented.packet.assignSomeByName(RegNext(fetched.descriptor))
  presented.nowNs := nowNs
  presented.queuePackets := RegNext(behind).resized
  presented.queueBytes := RegNext(onBytes.queued - onBytes.sum).resized
  core.io.head.valid := presented.valid
  core.io.head.payload := presented.payload

  private val held = {
    val packet = Fetched(HardType(config.descriptor), fetched.place.getWidth)
    packet.descriptor.assignSomeByName(fetched.descriptor)
    packet.place := fetched.place
    val later = cloneOf(packet)
    later.assignFromBits(new SideTrack(packet.asBits, core.headLatency + 1).output)
    later
  }
  private val isHeld = (0 until core.headLatency).foldLeft(presented.valid)((valid, _) => unlessVoid(valid))
  private val judged = core.io.headVerdict
  restart.valid := isHeld && judged.restart
  restart.payload := held.place + 1

  /** What becomes of the packet that was presented [[AqmCore.headLatency]] clocks ago. */
  val resolved: Flow[Leaving] = Flow(Leaving(HardType(config.descriptor)))
  resolved.valid := isHeld
  resolved.descriptor := held.descriptor
  resolved.descriptor.isCe.allowOverride() := held.descriptor.isCe || judged.action === Action.MARK
  resolved.isDropped := judged.action === Action.DROP
  resolved.reason := judged.reason
}
