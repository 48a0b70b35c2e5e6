// SPDX-License-Identifier: Apache-2.0
package sluice

import sluice.blocks._
import sluice.packet._
import sluice.tile._
import spinal.core._

/** The shared blocks that are generated alone, each for its own tests. */
object BlockTops {
  val all: Seq[(String, () => Component)] = Seq(
    "normalizer" -> (() => new Normalizer),
    "descriptor_ring" -> (() => new DescriptorRing(queues = 1, depth = 64, withSample = true)),
    "flow_hash" -> (() => new FlowHash)
  )
}
