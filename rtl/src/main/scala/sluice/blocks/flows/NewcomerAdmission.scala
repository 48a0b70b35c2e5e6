// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.flows

import spinal.core._
import spinal.lib._

/** Gives each newcomer a place, if one of its two is free, and counts its loss: one in each 8 clocks of the phase.
  *
  * @param newcomer
  *   the one of [[at]], [[NewcomerAdmission.readLatency]] clocks later
  * @param number
  *   newcomers that there are
  * @param keys
  *   what stands at [[keysReadAt]] in each half, likewise
  * @param counts
  *   what stands at [[place]], likewise
  */
class NewcomerAdmission(phase: Phase, newcomer: Newcomer, number: UInt, keys: Seq[FlowKey], counts: FlowBytes)
    extends Area {
  import FlowPlaces._
  private val clock = phase.at(2 downto 0)
  private val index = phase.at >> 3
  val at: UInt = index.resize(log2Up(ListRecorder.newcomers))

  private val held = RegNextWhen(newcomer, clock === 2)
  val keysReadAt: Seq[UInt] = Seq.tabulate(halves)(within(held.flow, _))

  // The keys stand in clock 5, what they say in clocks 6 and 7, and what follows in clock 8, the first of the next newcomer's.
  private val same = keys.map(key => RegNext(sameBytes(key.flow, held.flow)))
  private val isUsed = keys.map(key => RegNext(key.isUsed))
  private val isFound = same.zip(isUsed).map { case (bytes, used) => RegNext(used && bytes.andR) }
  private val isTaken = isUsed.map(RegNext(_))
  private val isAnyFound = isFound.orR
  private val isSecond = Mux(isAnyFound, isFound(1), isTaken(0))
  val place: UInt = RegNext(isSecond.asUInt @@ Mux(isSecond, keysReadAt(1), keysReadAt(0)))
  private val finds = RegNext(isAnyFound)
  private val comes = RegNext(!isAnyFound && !isTaken.andR)
  private val isThere = RegNext(phase.isOn && clock === 7 && index < number, init = False)

  val entered = Flow(PlacedKey())
  entered.valid := isThere && comes
  entered.place := place
  entered.key.isUsed := True
  entered.key.flow := held.flow

  // All zeros but for the clock of the write. Only losses count of a list in which a flow has just come.
  private val isCounted = Delay(isThere && (finds || comes), NewcomerAdmission.readLatency, init = False)
  private val isOld = Delay(finds, NewcomerAdmission.readLatency)
  private val bytes = Reg(FlowBytes())
  bytes := counts
  bytes.lost.allowOverride() := counts.lost.andMask(isOld) + held.bytes
  when(!isCounted)(bytes.amounts.foreach(_ := 0))
  val counted = Flow(FlowCounters.Written())
  counted.valid := RegNext(isCounted, init = False)
  counted.place := Delay(place, NewcomerAdmission.readLatency + 1)
  counted.bytes := bytes
}

object NewcomerAdmission {

  /** Of all memories here: a clock, and a register. */
  val readLatency = 2

  /** The clocks of one more let the last one's write come to its end. */
  val cycles: Int = 8 * (ListRecorder.newcomers + 1)
}
