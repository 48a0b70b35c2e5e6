// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile
package queue

import sluice.contract._
import spinal.core._

/** A descriptor in a ring's memory, with the parity of its length beside it in a bit that the block memories have to spare. A length
  * that is upset there is not mended, but it is known, and what it does to the count of bytes lasts until the queue is empty.
  */
case class CheckedDescriptor(entry: HardType[Descriptor]) extends Bundle {
  val descriptor = entry()
  val parity = Bool()

  /** The length is not the one that was written. */
  def isOdd: Bool = descriptor.bytes.xorR =/= parity
}

object CheckedDescriptor {

  /** The descriptor with its parity. */
  def of(entry: HardType[Descriptor], written: Descriptor): CheckedDescriptor = {
    val checked = CheckedDescriptor(entry)
    checked.descriptor := written
    checked.parity := written.bytes.xorR
    checked
  }
}
