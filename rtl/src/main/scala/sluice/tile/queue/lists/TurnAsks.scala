// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile
package queue
package lists

import sluice.contract.Widths
import spinal.core._
import spinal.lib._

/** The link's asks and the turns that are under way for them, each of which ends with a packet for the link or with none.
  *
  * What is under way is counted, and the counts begin anew once nothing can be: an upset of them lasts until then.
  *
  * @param isWaiting
  *   there is a turn to take
  * @param isMet
  *   a turn has ended with a packet for the link
  * @param isUnmet
  *   one has ended without
  * @param isNothing
  *   one of these had no packet at all
  * @param left
  *   where packets leave
  */
class TurnAsks(ask: Event, isWaiting: Bool, isMet: Bool, isUnmet: Bool, isNothing: Bool, left: Stream[_ <: Data])
    extends Area {
  import AskedRing.{mostAsked, places}

  // Asks that no packet has met, and those of them for which no turn is under way.
  val owed, unmet = Reg(UInt(Widths.count(mostAsked) bits)) init 0
  val taken = Reg(UInt(Widths.count(places) bits)) init 0 // turns under way, and packets that have not left
  val isTaking: Bool = unmet =/= 0 && taken =/= places && isWaiting
  ask.ready := owed =/= mostAsked
  owed := owed + U(ask.fire) - U(isMet)
  unmet := unmet + U(ask.fire) + U(isUnmet) - U(isTaking)
  taken := taken + U(isTaking) - U(left.fire) - U(isNothing)

  /** An ask is unmet and nothing is under way. */
  val isAsked: Bool = owed =/= 0 && unmet === owed
  val isNone: Bool = taken === 0

  // For longer than a turn takes nothing was taken, has ended or was offered.
  val silence = Reg(UInt(log2Up(AskedRing.silence) + 1 bits)) init 0
  val isSilent: Bool = silence.msb && !isTaking
  when(!silence.msb)(silence := silence + 1)
  when(isTaking || isMet || isUnmet || left.valid)(silence := 0)
  when(isSilent && !ask.fire) {
    taken := 0
    unmet := owed
  }

  /** The counts were wrong and have begun anew. */
  val isMended: Bool = RegNext(isSilent && (taken =/= 0 || unmet =/= owed), init = False)
}
