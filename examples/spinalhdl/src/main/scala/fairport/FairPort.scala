// SPDX-License-Identifier: Apache-2.0
package fairport

import sluice.blocks.cardinality.MinCountConfig
import sluice.cores.flows.Care
import sluice.tile.{AqmTile, TileConfig}
import spinal.core._
import spinal.lib._

/** An output port of one's own: CARE decides what is queued, and a counter beside it says how many flows came in each millisecond.
  *
  * The tile's ports are passed on as they are. `flows` is an estimate, Q24.8, of the last millisecond that has been counted.
  */
class FairPort extends Component {
  private val care = new AqmTile(TileConfig("care", Care, "supported", ringPackets = 1024, cookieBits = 16))
  private val counter = MinCountConfig("mincount-64", "supported", buckets = 64, values = 3, "exposure").counter()

  val io = new Bundle {
    val nowNs = in(cloneOf(care.io.now_ns))
    val salt = in(cloneOf(counter.io.salt))
    val arrival = slave(cloneOf(care.io.s_arrival))
    val verdict = master(cloneOf(care.io.m_verdict))
    val departure = master(cloneOf(care.io.m_departure))
    val registers = slave(cloneOf(care.io.s_axil))
    val flows = out(cloneOf(counter.io.m_count.flows))
  }

  care.io.now_ns := io.nowNs
  care.io.s_arrival << io.arrival
  care.io.m_verdict >> io.verdict
  care.io.m_departure >> io.departure
  care.io.s_axil << io.registers

  // A millisecond is 2^20 ns here: a bit of the time turns.
  counter.io.s_arrival.valid := io.arrival.valid
  counter.io.s_arrival.payload := io.arrival.flow
  counter.io.salt := io.salt
  counter.io.window_end := io.nowNs(20).edge(False)
  io.flows := RegNextWhen(counter.io.m_count.flows, counter.io.m_count.valid) init 0
}

/** Writes FairPort.sv into the folder where it is run. */
object FairPort extends App {
  sluice.Config.spinal(".").generate(new FairPort)
}
