// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile
package account

import spinal.core._

/** Whether a queue's part of what is free in a shared buffer lets the packet in that is decided in this clock: the queue is shorter than
  * T = floor(alpha (limit - queued in all)), Choudhury and Hahne's dynamic threshold (IEEE/ACM Transactions on Networking 6(2), 1998),
  * with a power of two for alpha. Of packets or of bytes; exact, with one packet decided and one leaving in every clock.
  *
  * Each packet that enters takes of what is free for all others, of whatever queue. So T is worked out for both decisions about each of
  * the two packets before: what is free, then its shift, and then what the queue has of it; which of them is so is chosen when it is known.
  *
  * The digit in a name says how many clocks it is until the decision about the packet.
  *
  * @param all
  *   what is queued in all
  * @param limit
  *   of that, [[Occupancy.ahead]] clocks before the decision
  * @param amount
  *   what the packet takes, likewise
  * @param freedSoon
  *   what `all` is given back [[DynamicThreshold.ahead]] clocks later
  * @param alpha
  *   of the packet's queue, [[Occupancy.ahead]] clocks before the decision: the logarithm, see [[DynamicThreshold.codes]]
  * @param isSame3
  *   the packet before is of the same queue, three clocks before the decision
  * @param totals
  *   of the queue, two clocks before
  * @param isAccepted
  *   the packet that is decided in this clock enters
  */
class DynamicThreshold(
    all: Occupancy,
    limit: UInt,
    amount: UInt,
    freedSoon: UInt,
    alpha: UInt,
    isSame3: Bool,
    totals: DynamicThreshold.Totals,
    isAccepted: Bool
) extends Area {
  import DynamicThreshold._

  // Totals are wide enough for a limit, two amounts and a sign.
  private val width = totals.gone.getWidth
  private val bits = width - 2
  private def wide(value: UInt): UInt = value.resize(width)

  // What the packet before may take, and the one before that: of both, neither, or one.
  private val first4 = RegNext(wide(amount))
  private val second4 = RegNext(first4)
  private val both4 = RegNext(wide(amount) + first4)
  private val freed4 = RegNext(wide(freedSoon) + RegNext(wide(freedSoon)))

  private val isNone3 = RegNext(alpha === 0 || alpha > codes)
  private val shift3 = RegNext(alpha.resize(log2Up(codes)) - 1)
  private val isNone1 = RegNext(RegNext(isNone3))
  private val shift2 = RegNext(shift3)

  private val wasAccepted1 = RegNext(isAccepted)
  private val isBeforeLastSame1 = RegNext(totals.isBeforeLastSame)
  private val beforeLast3 = RegNext(second4)

  /** The answer, if the packet before is refused or if it enters.
    *
    * @param ifRefused4
    *   what the two packets before then take in all, if the one before that is refused
    * @param ifAccepted4
    *   if that enters
    * @param own3
    *   what the packet before then takes of its own queue's part
    */
  class Answer(ifRefused4: UInt, ifAccepted4: UInt, own3: UInt) extends Area {
    private def free(taken4: UInt): UInt = {
      val most3 = RegNext(wide(limit) + freed4 - taken4)
      RegNext((most3 - all.next.asUInt.resize(width)).resize(bits))
    }
    // Of what is less than nothing the tile's own limit lets nothing in.
    private def threshold(free: UInt) = RegNext((free << shift2) >> smallest)
    val ifRefused1 = threshold(free(ifRefused4))
    val ifAccepted1 = threshold(free(ifAccepted4))
    val threshold1 = Mux(wasAccepted1, ifAccepted1, ifRefused1)
    val isPlenty = (threshold1 >> bits).orR // more than a queue can have

    // Below zero: what the queue has, and one more.
    val ifOther1 = RegNext(totals.gone - totals.entered - RegNext(own3 + 1))
    val ifSame1 = RegNext(totals.gone - totals.enteredOfBeforeLast - RegNext(own3 + 1 + beforeLast3))
    val isBelow = isPlenty || isNone1 ||
      !(wide(threshold1.resize(bits)) + Mux(isBeforeLastSame1, ifSame1, ifOther1)).msb
  }
  val ifRefused = new Answer(U(0, width bits), second4, own3 = U(0, width bits))
  val ifAccepted = new Answer(first4, both4, own3 = RegNext(first4).andMask(isSame3))

  /** A clock before the decision. */
  val isBelow: Bool = Mux(isAccepted, ifAccepted.isBelow, ifRefused.isBelow)
}

object DynamicThreshold {

  /** Running totals of what comes into a queue and leaves it, modulo their width, two clocks before the decision about a packet.
    *
    * @param gone
    *   what has left
    * @param entered
    *   what all decisions but those about the two packets before have let in
    * @param isBeforeLastSame
    *   the first of these two enters the same queue in this clock
    * @param enteredOfBeforeLast
    *   what had entered its queue before it
    */
  case class Totals(gone: UInt, entered: UInt, isBeforeLastSame: Bool, enteredOfBeforeLast: UInt)

  /** Clocks by which what leaves must be known before it is counted. */
  val ahead = 3

  /** Codes of alpha: 1 is 2^-8 and 16 is 2^7, and all others are no threshold. */
  val codes = 16
  private val smallest = 8

  /** The code of alpha = 1: a queue may be as long as what is free. */
  val one: Int = smallest + 1
  val codeBits: Int = log2Up(codes) + 1
}
