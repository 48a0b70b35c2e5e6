// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.packet
package buffer

import spinal.core._
import spinal.lib._

/** [[FreeRunning]] work that depends on a setting. When that becomes another one, whatever has been worked on and still waits goes
  * through again, in order, before anything leaves or is let in.
  */
object Renewable {

  /** @param cycles
    *   clocks that `work` takes
    * @param isNew
    *   the setting became another one a clock ago, or sooner
    * @param origin
    *   what the work was done on
    */
  def apply[A <: Data, B <: Data](input: Stream[A], cycles: Int, isNew: Bool)(
      origin: B => A
  )(work: Flow[A] => Flow[B]): Stream[B] = {
    val isHeld = RegInit(False) // nothing leaves or is let in
    val isRound = RegInit(False) // and what waits goes round
    val again = Stream(cloneOf(input.payload))
    val entering = StreamMux((isHeld || again.valid).asUInt, Seq(input, again))
    val worked = FreeRunning(entering, cycles)(work)
    val ways = StreamDemux(worked, isHeld.asUInt, 2)
    again << ways(1).continueWhen(isRound).map(origin).m2sPipe()

    // A clock late, for the ways to it are long; while all is held it comes to rest.
    val inside = Reg(UInt(log2Up(FreeRunning.places(cycles) + 1) bits)) init 0
    inside := inside + U(RegNext(entering.fire, init = False)) - U(RegNext(worked.fire, init = False))

    // A change while all goes round waits, and then all goes round once more.
    val isDue, isBusy = RegInit(False)
    val begins = isDue && !isBusy && !again.valid
    val isCounted = RegNext(begins, init = False)
    val rest = Reg(cloneOf(inside)) // to be taken out for another round
    when(isCounted)(rest := inside) elsewhen (worked.fire)(rest := rest - 1)
    val isLast = isRound && worked.fire && rest === 1
    val isNone = isCounted && inside === 0
    isRound := (isCounted && inside =/= 0) || (isRound && !isLast)
    val staysDue = isNew || (isDue && !begins)
    val staysBusy = begins || (isBusy && !isLast && !isNone)
    isDue := staysDue
    isBusy := staysBusy
    isHeld := staysDue || staysBusy
    ways(0)
  }
}
