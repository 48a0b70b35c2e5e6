// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.shells

import sluice.packet._
import spinal.core._

/** Corundum's application block with a datapath at its synchronous RX tap, between the FIFO that brings frames from the MAC's clock
  * and the one that waits for the host. Frames that are dropped there owe nobody anything; time stamps stay with their frames.
  *
  * The block is reset together with both of its neighbours.
  */
class CorundumRxBlock(config: DatapathConfig) extends CorundumBlock {
  val datapath = new Datapath(config)
  datapath.io.now_ns := FreeTime(periodNs = 4)
  datapath.io.s_axis << syncRx.from
  syncRx.to << datapath.io.m_axis
  for (tap <- Seq(directTx, directRx, syncTx, ifTx, ifRx)) tap.passOn()

  private val bus = datapath.io.s_axil
  bus.aw << control.aw.map(request => AxiLite.access(request.addr))
  bus.ar << control.ar.map(request => AxiLite.access(request.addr))
  bus.w << control.w
  control.b << bus.b
  control.r << bus.r
}

object CorundumRx extends Shell("corundum-rx", "Corundum's application block, RX", 512, CorundumBlock.rxBand) {
  def wrapper(datapath: DatapathConfig): Component = new CorundumRxBlock(datapath)
  override def adapter(wrapper: Component): Option[(String, String)] = Some(CorundumParameters.adapter(wrapper))
}
