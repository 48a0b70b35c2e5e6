// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.shells
package corundum

import sluice.packet.DatapathConfig
import spinal.core._

/** Corundum's application block with a datapath at its synchronous RX tap, between the FIFO that brings frames from the MAC's clock
  * and the one that waits for the host. Frames that are dropped there owe nobody anything; time stamps stay with their frames.
  *
  * The block is reset together with both of its neighbours.
  */
class CorundumRxBlock(config: DatapathConfig) extends CorundumBlock {
  val datapath = stand(config, at = syncRx)
  syncTx.passOn()
  syncDone.passOn()
}

object CorundumRx extends CorundumShell("corundum-rx", "Corundum's application block, RX", CorundumBlock.rxBand) {
  def wrapper(datapath: DatapathConfig): Component = new CorundumRxBlock(datapath)
}
