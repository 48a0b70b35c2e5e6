// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.arithmetic

import spinal.core._

/** `a < b`, of one carry chain and nothing else. Where `<` stands both ways of the same numbers, Yosys makes both of one
  * difference, the second one by a tree behind it that tells whether they are equal.
  */
object IsBelow {
  def apply(a: UInt, b: UInt): Bool = (a -^ b).msb
}
