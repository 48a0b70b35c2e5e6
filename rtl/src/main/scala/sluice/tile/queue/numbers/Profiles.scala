// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile
package queue
package numbers

import sluice.contract._
import sluice.tile.registers.QueueWindowIo
import spinal.core._

/** The profile of each packet: that of its colour in its queue. A reset gives all of them profile 0.
  *
  * @param window
  *   through which the host sets the profiles of a queue and reads them
  * @param packet
  *   one in each clock
  * @param active
  *   the parameters in force, from the clock after `applied` on
  */
class Profiles(window: QueueWindowIo, packet: Arrival, active: ParameterValues, applied: Bool) extends Area {
  require(DscpColours.latency == QueueNumbers.latency, "a packet's colour is there with its queue's profiles")
  private val own = new QueueNumbers(window.select, window.profile)
  window.profileNow := own.of(window.select)

  val colour: UInt = DscpColours.of(packet.dscp, active, applied)
  private val ofQueue = own.of(packet.queue).subdivideIn(DscpColours.number slices)

  /** Its number, [[QueueNumbers.latency]] clocks later. */
  val number: UInt = Mux(colour(1), ofQueue(2), Mux(colour(0), ofQueue(1), ofQueue(0)))
}
