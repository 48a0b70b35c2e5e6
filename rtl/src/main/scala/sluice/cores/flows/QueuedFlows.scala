// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.cores.flows

import sluice.contract.Widths
import sluice.blocks.state.occupancy.IndexedOccupancy
import spinal.core._
import spinal.lib._

/** Packets queued by flow, and how many flows have some. In one clock a packet may arrive, one be accepted and one depart, of one
  * flow or not; the departure comes first.
  *
  * @param rest
  *   nothing is queued, and nothing of what was is under way: the counts begin anew
  */
class QueuedFlows(buckets: Int, arriving: Flow[UInt], accepted: Flow[UInt], departing: Flow[UInt], rest: Bool)
    extends Area {
  private val occupancy =
    new IndexedOccupancy(buckets, Widths.maxPackets, amountBits = 1, removals = 1, changesLookUp = true)
  occupancy.io.restart := rest.rise(initAt = False)
  occupancy.io.lookUp.head << arriving
  for ((change, moment) <- (occupancy.io.added +: occupancy.io.removed).zip(Seq(accepted, departing))) {
    change.valid := moment.valid
    change.index := moment.payload
    change.amount := 1
  }

  /** Clocks after an arrival: what its flow has queued. */
  val queuedAt: Int = occupancy.latency
  val queued: UInt = occupancy.io.occupancy.head.payload

  private val (ofAccepted, ofDeparting) = (occupancy.io.changed(0), occupancy.io.changed(1)) // before the change
  private val isSame = Delay(accepted.valid && departing.valid && accepted.payload === departing.payload, queuedAt)

  /** A clock later: a packet is accepted, one departs; and it was its flow's last one. */
  val isTaken = RegNext(ofAccepted.valid, init = False)
  val isGone = RegNext(ofDeparting.valid, init = False)
  val ends = RegNext(ofDeparting.valid && ofDeparting.payload === 1, init = False)
  private val begins = RegNext(ofAccepted.valid && ofAccepted.payload === isSame.asUInt, init = False)

  /** Flows with packets queued, as an arrival finds them then, and as that clock leaves them. */
  val active = Reg(UInt(Widths.count(buckets) bits)) init 0
  val next: UInt = active + U(begins) - U(ends)
  active := next
  when(rest)(active := 0)
}

object QueuedFlows {

  /** A moment's packet as what tells its flow from others: the low bits of its id. */
  def bucket(valid: Bool, flow: Bits, buckets: Int): Flow[UInt] = {
    val made = Flow(UInt(log2Up(buckets) bits))
    made.valid := valid
    made.payload := flow(log2Up(buckets) - 1 downto 0).asUInt
    made
  }
}
