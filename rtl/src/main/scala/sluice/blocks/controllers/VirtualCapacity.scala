// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.controllers

import sluice.blocks.arithmetic.WideMultiplier
import spinal.core._
import spinal.lib._

/** AVQ's virtual capacity: with each packet it rises by `gain` for the time since the one before, falls by `weight` for its bytes, and
  * stays between 0 and the link's rate. Time is counted in 16 ns. Its loop is one addition beside another that tells whether the rate is
  * passed.
  *
  * @param packet
  *   a packet that counts, with its bytes
  * @param nowNs
  *   in its clock
  * @param gain
  *   what 16 ns add, Q.60, [[VirtualCapacity.gainAt]] clocks after the packet
  * @param weight
  *   what a byte takes, Q.48, likewise
  * @param most
  *   the link's rate in bytes per 16 ns, Q10.22, a clock before [[VirtualCapacity.moveAt]]
  * @param restart
  *   the capacity to begin with anew, in the clock [[VirtualCapacity.moveAt]] of a packet before
  */
class VirtualCapacity(
    packet: Flow[UInt],
    nowNs: UInt,
    gain: UInt,
    weight: UInt,
    most: UInt,
    restart: Flow[UInt],
    first: BigInt
) extends Area {
  import VirtualCapacity._

  private val onTime = new Area {
    val now = nowNs >> unitBits
    val before = Reg(cloneOf(now)) init 0
    val isFirst = RegInit(True)
    when(packet.valid) {
      before := now
      isFirst := False
    }
    private val passed = RegNext(Mux(isFirst, U(0, now.getWidth bits), now - before))
    val counted = RegNext(limited(passed))
  }

  private val onStep = new Area {
    val more = RegNext(WideMultiplier.wide(gain, onTime.counted) >> 20)
    val less =
      Delay(WideMultiplier.sum(RegNext(WideMultiplier.multiplyApart(weight, Delay(packet.payload, gainAt)))) >> 8, 2)
    val isAll = (more >> (bits + 1)) =/= 0 // more than any rate, whatever the packet takes
    val gained = RegNext(more.resize(bits + 1) | U(bits + 1 bits, default -> isAll))
    val by = RegNext(gained.intoSInt - RegNext(less).intoSInt)
    val byBeyond = RegNext(by - (most << (fraction - rateFraction)).intoSInt)
  }

  /** Q10.40. */
  val capacity = Reg(UInt(bits bits)) init first
  private val sum = capacity.intoSInt.resize(bits + 3) + RegNext(onStep.by).resize(bits + 3)
  private val isBelow = (capacity.intoSInt.resize(bits + 3) + onStep.byBeyond.resize(bits + 3)).msb
  private val limit = RegNext(most << (fraction - rateFraction))
  when(Delay(packet.valid, moveAt, init = False)) {
    capacity := Mux(isBelow, Mux(sum.msb, U(0, bits bits), sum.asUInt.resize(bits)), limit.resize(bits))
  }
  when(restart.valid)(capacity := restart.payload)
}

object VirtualCapacity {

  /** Bits of the rate behind the point, and of the capacity. */
  val rateFraction = 22
  val fraction = 40
  val bits: Int = 10 + fraction

  /** Time is counted in 16 ns, and what passes in 68 s is all that counts. */
  val unitBits = 4
  val passedBits = 32

  /** A difference of times, within what counts. */
  def limited(passed: UInt): UInt = {
    val isLong = (passed >> passedBits) =/= 0
    passed.resize(passedBits) | U(passedBits bits, default -> isLong)
  }

  val gainAt = 2

  /** Clocks from a packet to the one in which the capacity moves. */
  val moveAt: Int = gainAt + WideMultiplier.wideLatency + 4
}
