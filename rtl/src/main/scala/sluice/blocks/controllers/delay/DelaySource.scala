// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.controllers
package delay

import sluice.contract.Needs

/** How a scheme that follows the delay knows it.
  *
  * @param needs
  *   what its core hears for that
  * @param cycles
  *   from a tick until the delay that it finds stands
  */
sealed abstract class DelaySource(val needs: Needs, val cycles: Int)

object DelaySource {

  /** What the link takes for the queue, by its rate: [[BacklogDelay]]. */
  case object Backlog extends DelaySource(Needs(settled = true, departed = true), BacklogDelay.cycles)

  /** The time that the last packet waited that the link asked for: [[WaitDelay]]. */
  case object LastHead extends DelaySource(Needs(head = true, idle = true), WaitDelay.cycles)

  /** The longer one of the times that the last packets waited that left two queues: [[QueueWaits]]. The core chooses the queue. */
  case object Departures
      extends DelaySource(
        Needs(departed = true, tagBits = QueueWaits.tagBits, queues = 2, choosesQueue = true),
        QueueWaits.cycles
      )
}
