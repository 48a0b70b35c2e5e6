// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.packet

import sluice.contract.Widths
import sluice.tile.{ExtensionIo, HostWord}
import spinal.core._

/** The queue of a frame by its DSCP, as a switch has it (SAI's DSCP_TO_TC), for a tile whose arrivals say their queue. The host writes
  * an entry at a time, which holds for the frames behind it: a frame's queue changes none that wait. After a reset each DSCP has the
  * queue of its number, or the last one where there are fewer.
  */
class DscpQueues(host: ExtensionIo, queues: Int) extends Area {
  private val bits = Widths.queue(queues)
  private val entries = 1 << Widths.dscp
  val table = Vec.tabulate(entries)(dscp => Reg(UInt(bits bits)) init dscp.min(queues - 1))

  val onWrite = new Area {
    private val isIts = RegNext(host.written.msb, init = False) // the datapath's last word; its registers are far
    val wanted = RegNext(host.writtenData(DscpQueues.dscpAt - 1 downto 0)).asUInt
    val queue = Mux(wanted < queues, wanted.resize(bits), U(queues - 1, bits bits))
    val dscp = RegNext(host.writtenData(DscpQueues.dscpAt + Widths.dscp - 1 downto DscpQueues.dscpAt)).asUInt
    when(isIts)(table(dscp) := queue)
  }

  /** [[DscpQueues.latency]] clocks later. */
  def of(dscp: UInt): UInt = {
    val (high, low) = (dscp(5 downto 3), RegNext(dscp(2 downto 0)))
    val row = RegNext(Vec(table.grouped(8).map(row => Vec(row).asBits).toSeq).read(high))
    RegNext(row.subdivideIn(bits bits).read(low).asUInt)
  }
}

object DscpQueues {
  val latency = 2
  private val dscpAt = 16

  /** How the host fills the table. */
  val word: HostWord = HostWord(
    "DSCP_QUEUE",
    dscpAt + Widths.dscp,
    s"queue of frames with a DSCP, which is in bits ${dscpAt + Widths.dscp - 1}:$dscpAt, from the next frames on; a number that no queue has means the last one"
  )
}
