// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile
package account

import sluice.contract._
import sluice.tile.queue.DescriptorRing
import sluice.checks.Proof
import spinal.core._

/** A count that an upset has put wrong, around a small [[DescriptorRing]] among anything: from the first [[Rest]] on it is the number of
  * packets that are there, and a rest never takes away what is. The upset is told to the count as packets that come and go, and do
  * not, in the first clocks.
  */
class HealedOccupancyProof extends Proof {
  private val (depth, bits) = (4, 3)
  private val clocks = Reg(UInt(2 bits)) init 0
  when(!clocks.andR)(clocks := clocks + 1)
  private val isUpset = !clocks.andR
  private def ghost(): Bool = free(Bool()) && isUpset

  val ring = new DescriptorRing(HardType(Descriptor()), depth)
  val present = Reg(UInt(bits bits)) init 0
  private val isAccepted = free(Bool()) && present < depth - 2
  private val push = RegNext(isAccepted, init = False)
  ring.io.push.valid := push
  ring.io.push.payload := free(HardType(Descriptor()))
  ring.io.pop.ready := free(Bool())
  private val isGone = RegNext(ring.io.pop.fire, init = False)
  present := present + U(isAccepted) - U(RegNext(isGone, init = False))

  val rest = new Rest(isStep = ring.io.isEmpty, isThere = !ring.io.isEmpty, isEntering = push)
  val occupancy = new Occupancy(
    bits,
    amount = U(1, 1 bit),
    limit = U(depth, bits bits),
    freed = U(isGone || RegNext(ghost(), init = False)),
    isAccepted || ghost(),
    rest.isOn
  )

  private val isHealed = RegInit(False) setWhen (rest.isOn && !isAccepted && !isUpset)
  private val wasWrong = RegInit(False) setWhen (occupancy.taken =/= present && !isUpset)
  when(isRunning) {
    when(rest.isOn)(assert(present === 0))
    when(isHealed)(assert(occupancy.taken === present))
    cover(isHealed && wasWrong && present === 2)
  }
}
