// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile
package account

import spinal.core._
import spinal.lib._

/** How much of one limited resource the queued packets take, and whether the packet that is decided in this clock fits. Exact,
  * with one packet decided and one leaving in every clock.
  *
  * Whether a packet fits depends on the decision about the one before it. Both answers are worked out beside that decision,
  * from sums that were made earlier, so the loop is one comparison and one choice.
  *
  * @param bits
  *   width of the count
  * @param amount
  *   what the packet takes that is decided [[Occupancy.ahead]] clocks later
  * @param limit
  *   of the count, for that same packet
  * @param freed
  *   what a packet gives back that left a clock ago, 0 if none did; counted no more from two clocks later on
  * @param isAccepted
  *   the packet that is decided in this clock enters
  * @param isAtRest
  *   nothing that was accepted before this clock counts any more ([[Rest]]): the count is 0, or wrong, and begins anew
  * @param isOther
  *   the packet of `amount` takes nothing of this and fits, whatever the limit is
  */
class Occupancy(
    bits: Int,
    amount: UInt,
    limit: UInt,
    freed: UInt,
    isAccepted: Bool,
    val isAtRest: Bool,
    isOther: Option[Bool] = None
) extends Area {
  val taken = Reg(UInt(bits bits)) init 0

  // Wide enough for a limit, two amounts and a sign.
  private val width = (bits max amount.getWidth) + 2
  private def signed(value: UInt): SInt = value.resize(width).asSInt

  // The suffix says how many clocks it is until the decision about the packet.
  private val amount3 = RegNext(amount)
  private val amount2 = RegNext(amount3)
  private val amount1 = RegNext(amount2)
  // The most that may be taken without a packet for it to fit; below zero if it never does.
  private val room3 = RegNext(signed(limit) - signed(amount))
  private val room2 = RegNext(room3)
  private val roomBehindOther2 = RegNext(room3 - signed(amount2)) // if the packet before it enters

  private val net = RegNext(signed(amount1) - signed(freed))
  private val returned = RegNext(freed) init 0
  private val mostIfAccepted = RegNext(roomBehindOther2 + signed(freed))
  private val mostIfNot = RegNext(room2 + signed(freed))

  /** The packet that is decided in this clock fits. */
  val fits = {
    val fitsLimit = Mux(isAccepted, !(mostIfAccepted < signed(taken)), !(mostIfNot < signed(taken)))
    RegNext(isOther.fold(fitsLimit)(is => fitsLimit || Delay(is, Occupancy.ahead - 1)))
  }

  private[tile] val next = Mux(isAccepted, signed(taken) + net, signed(taken) - signed(returned))
  taken := next.asUInt.resized

  // Begins anew by the register's own reset, so that nothing of it is in the loop. After an upset more may be given back than was taken;
  // below zero it would else seem from then on that all there is was taken.
  val isBelowZero = RegNext(next.msb, init = False)
  when(isBelowZero || (isAtRest && !isAccepted))(taken := 0)
}

object Occupancy {

  /** Clocks from `amount` to the decision about the packet. */
  val ahead = 4
}
