// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.arithmetic

import spinal.core._

/** Three numbers in one sum: a row of 4-input tables, two for each bit, and one carry chain. All have one width, and so has the sum,
  * modulo; for signed numbers by their bits, too.
  */
object CarrySave {

  /** `a - b - c`. */
  def subtractBoth(a: UInt, b: UInt, c: UInt): UInt = {
    val difference = a ^ b ^ c
    val borrow = (~a & (b | c)) | (b & c)
    difference - (borrow |<< 1)
  }

  /** `a + b - c`. */
  def addAndSubtract(a: UInt, b: UInt, c: UInt): UInt = {
    val difference = a ^ b ^ c
    val carry = (a & b) | (~c & (a | b))
    (carry |<< 1) - difference
  }
}
