// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.shells
package corundum

import sluice.contract.Action
import sluice.packet.DatapathConfig
import spinal.core._
import spinal.lib._

/** Corundum's application block with a datapath at its synchronous TX tap, behind the FIFO that drops bad frames, before the one that
  * brings frames to the MAC's clock.
  *
  * The TX engine waits for a completion of each frame that it has given a tag, in their order, and never gives up. So a frame that
  * is dropped completes here, at its verdict, with a time stamp of 0, among those that the MAC completes. It has at most 32 tags
  * out, for all of which there is room.
  */
class CorundumTxBlock(config: DatapathConfig) extends CorundumBlock {
  require(!config.tile.needs.isAsked, s"${config.name}: what is dropped in the queue would not complete")

  val datapath = stand(config, at = syncTx)
  syncRx.passOn()

  val dropped = datapath.io.m_verdict
    .takeWhen(datapath.io.m_verdict.verdict.action === Action.DROP)
    .map(_.side.user)
    .toStream
    .queue(CorundumTx.tags)
    .map { tag =>
      val completion = Completion()
      completion.ts := 0
      completion.tag := tag
      completion
    }
  syncDone.to << StreamArbiterFactory().lowerFirst.on(Seq(dropped, syncDone.from))
}

object CorundumTx extends CorundumShell("corundum-tx", "Corundum's application block, TX", CorundumBlock.txBand) {
  val tags = 32 // TX_DESC_TABLE_SIZE
  def wrapper(datapath: DatapathConfig): Component = new CorundumTxBlock(datapath)
}
