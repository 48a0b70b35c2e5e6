// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.state

import spinal.core._
import spinal.lib._

/** The addresses of a ring of items in a memory, with fewer than `depth` items in it, a power of two, which whoever pushes sees
  * to: nothing here looks whether there is room.
  */
class RingAddresses(depth: Int, isPushed: Bool) extends Area {
  require(isPow2(depth))

  /** Where the item goes that is pushed. */
  val tail = Counter(depth, isPushed)
  private val head = Counter(depth)

  /** Where the items are, oldest first. */
  val filled = Stream(UInt(log2Up(depth) bits))
  filled.valid := tail.value =/= head.value
  filled.payload := head.value
  when(filled.fire)(head.increment())
}
