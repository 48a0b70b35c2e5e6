// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.cores.flows

import sluice.contract.Widths
import spinal.core._

/** Which packets FRED's average samples, and with what weight: one in a clock. A departure waits for what comes next; if that is an
  * acceptance, the two are one sample of twice the weight.
  *
  * @param departs
  *   a packet departs and leaves `left`
  * @param accepts
  *   a packet that found `found` is accepted
  * @param others
  *   something else happens that ends the waiting, in the order of events before an acceptance
  */
class FredSampling(departs: Bool, left: UInt, accepts: Bool, found: UInt, others: Bool) extends Area {
  private val isDeparture = RegNext(departs, init = False)
  private val afterDeparture = RegNext(left)
  private val beforeAcceptance = RegNext(found)

  /** A clock later; `hasDeparture`: and one waits or comes with it. */
  val isAcceptance = RegNext(accepts, init = False)
  private val isWaiting = RegInit(False)
  private val waiting = Reg(UInt(Widths.maxPackets bits))
  val hasDeparture = isWaiting || isDeparture
  private val isFollowed = others || departs
  isWaiting := hasDeparture && !isAcceptance && !isFollowed
  when(isDeparture)(waiting := afterDeparture)

  /** Two clocks later: whether there is a sample, of what queue, and whether it counts twice. */
  val isDouble = RegNext(isAcceptance && hasDeparture)
  val isSample = RegNext(isAcceptance || (hasDeparture && isFollowed), init = False)
  val queue = RegNext(Mux(isAcceptance, beforeAcceptance, Mux(isDeparture, afterDeparture, waiting)))
}
