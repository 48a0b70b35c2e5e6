// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile

import sluice.contract._
import sluice.tile.account.Admission
import spinal.core._
import spinal.lib._

/** Tells a core what became of its packets, each at the moment at which the count of queued packets changes, so that what a core
  * counts for itself agrees with it.
  *
  * @param nowNs
  *   as the core sees it
  * @param wait
  *   clocks by which all that the core sees is late
  */
class CoreMoments(config: TileConfig, core: AqmCore, admission: Admission, nowNs: UInt, wait: Int) extends Area {
  private val needs = config.needs
  private def late[T <: Data](event: Flow[T]): Flow[T] = (0 until wait).foldLeft(event)((flow, _) => flow.stage())
  private def packets(now: Descriptor) = Delay(admission.packetsOf(now.queue), wait)
  private def bytes(now: Descriptor) = Delay(admission.bytesOf(now.queue), wait)

  private def settled(now: Flow[Descriptor], fate: SpinalEnumCraft[Fate.type]): Flow[Settled] =
    late(now).map { packet =>
      val event = Settled(needs)
      event.packet.assignSomeByName(packet)
      event.fate := fate
      event.nowNs := nowNs
      event.queuePackets := packets(now)
      event.queueBytes := bytes(now)
      event
    }

  if (needs.settled) {
    val judged = admission.judged.translateWith(admission.entering).stage()
    val fate = Fate()
    fate := Fate.OVERLIMIT
    when(RegNext(admission.isAccepted))(fate := Fate.ACCEPTED)
    when(RegNext(admission.judged.action === Action.DROP))(fate := Fate.REFUSED)
    core.io.settled << settled(judged, Delay(fate, wait))
  }
  if (needs.settled && needs.takesVictims) {
    core.io.pushedOut << settled(admission.thrownOut.get.stage(), Fate.PUSHED_OUT())
  }
  if (needs.departed) {
    val left = admission.departed.stage()
    core.io.departed << late(left.throwWhen(left.isTombstone)).map { gone =>
      val event = Departed(needs)
      event.packet.assignSomeByName(gone.packet)
      event.isSent := !gone.isDropped
      event.nowNs := nowNs
      event.queuePackets := packets(left.packet)
      event.queueBytes := bytes(left.packet)
      event
    }
  }
}
