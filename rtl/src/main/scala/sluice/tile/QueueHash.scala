// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile

import sluice.contract._
import spinal.core._

/** The queue of a flow, by Toeplitz' hash under a secret (H. Krawczyk, "LFSR-based Hashing and Authentication", 1994): each set bit of the
  * flow id adds, without carry, as many bits of the secret as a queue's number has, from the bit of the same place on. Who does not know
  * the secret cannot choose flows that share a queue, whoever worked out their ids.
  *
  * @param queueBits
  *   of a queue's number
  */
class QueueHash(queueBits: Int) {
  private val bits = Widths.flow + queueBits - 1
  private def word(number: Int, width: Int, default: BigInt) = Parameter(
    s"queue_secret$number",
    "",
    width,
    0,
    "1",
    BigDecimal(default),
    s"bits from ${32 * number} on of the secret under which a flow's queue is chosen; a new one moves flows that have packets"
  )

  /** The secret, lowest word first. */
  val secret: Seq[Parameter] =
    Seq(word(0, 32, BigInt("5A2BD169", 16)), word(1, bits - 32, (BigInt(1) << (bits - 32)) / 3))
  val rules: Seq[Rule] =
    Seq(Rule("queue_secret_is_set", "not all of the secret is 0", v => secret.map(v(_) =/= 0).reduce(_ || _)))

  def of(flow: Bits, secret: Seq[UInt]): UInt = {
    val all = secret.reverse.map(_.asBits).reduce(_ ## _)
    Vec((0 until queueBits).map(i => (all(i, Widths.flow bits) & flow).xorR)).asBits.asUInt
  }
}
