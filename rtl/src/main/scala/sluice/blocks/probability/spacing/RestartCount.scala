// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.probability
package spacing

import spinal.core._
import spinal.lib._
import spinal.lib.misc.pipeline._

/** Counts packets since the last restart, for a test that multiplies a packet's number, and where the test of one packet may restart
  * the count of the next.
  *
  * The product does not fit one clock. So it is taken with the number that the packet has if none of those still in these stages
  * restarts, and beside it the few cases that one of them does, where the number is 0..4: the loop that remains only selects.
  *
  * @param n
  *   five consecutive nodes: the number is there at the first, and n(4) decides
  * @param takesPart
  *   whether a packet is there that this is about; others leave everything as it is. From n(0) on
  */
class RestartCount(n: Seq[Node], takesPart: Node => Bool) extends Area {
  import RestartCount._
  val count = Reg(UInt(bits bits)) init 1 // of the next packet, if none of those ahead restarts it
  val since = Reg(Bits(depth bits)) init 1 // one-hot: the last restart was j packets before the next one, 0 if more
  val isOlder = Reg(Bool()) init False // it was more, told by itself: the loop has no time to find that out
  val isFewer = Reg(Bool()) init False // the last restart began the count at 0 and not at 1

  /** To be driven at n(4): this packet restarts the count, and the next one is then number 0 and not 1. */
  val isRestart, beginsFewer = Bool()

  /** The packet's number at n(0), if none of those ahead restarts the count. */
  def number: UInt = (count +^ CountOne((1 to depth).map(i => takesPart(n(i))))).sat(1)

  /** At n(4), one of the outcomes that were worked out.
    *
    * @param recent
    *   by j: if the restart was j packets ago, the first being number 1
    * @param fewer
    *   the same with the first being number 0
    * @param older
    *   if the restart was before all of these
    */
  def select(recent: Bits, fewer: Bits, older: Bool): Bool = {
    val cases = CombInit(since & Mux(isFewer, fewer, recent))
    val isOneOf = CombInit(cases.orR)
    // Kept apart, or synthesis finds a deeper tree.
    cases.addAttribute("keep")
    isOneOf.addAttribute("keep")
    isOneOf || (isOlder && older)
  }

  when(takesPart(n(4))) {
    since := (since(depth - 2 downto 0) & B(depth - 1 bits, default -> !isRestart)) ## isRestart
    isOlder := (isOlder || since.msb) && !isRestart
    when(isRestart) {
      count := Mux(beginsFewer, U(0), U(1)).resized
      isFewer := beginsFewer
    } otherwise {
      count := (count +^ 1).sat(1)
    }
  }
}

object RestartCount {

  /** Packets between taking the product and using it. */
  val depth = 4

  /** The count stops at 2^16 - 1. */
  val bits = 16
}
