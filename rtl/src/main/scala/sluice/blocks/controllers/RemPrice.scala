// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.controllers

import sluice.blocks.arithmetic.{Multiplier, WideMultiplier}
import sluice.blocks.arithmetic.powers.InversePower
import spinal.core._
import spinal.lib._

/** REM's price (S. Athuraliya, V. Li, S. Low, Q. Yin, "REM: Active Queue Management", IEEE Network 2001), which a tick moves by gamma
  * (alpha (b - b*) + x - c) and never below 0, and the probability m = 1 - phi^-p. It is kept as p log2 phi, so that a price of 1
  * halves what passes and `gain` = gamma log2 phi is the one number that both come to.
  *
  * b, the queue, and x, what was counted since the last tick, are taken with the tick; from there the numbers pass through one register
  * and multiplier after the other and stand at the end of it, until they are wanted.
  *
  * @param counted
  *   what counts as x: arrivals, or accepted packets; with its size as [[PacketUnit]] has it
  * @param tick
  *   high in the clock in which all that comes before the tick is counted
  * @param settles
  *   high in one clock, [[RemPrice.cycles]] or more after `tick`: the price moves
  * @param queue
  *   as [[PacketUnit]] has it, in the clock of `tick`
  * @param level
  *   c + alpha b* in bytes, Q28.8
  * @param inverse
  *   of the bytes that are a packet
  * @param alpha
  *   Q0.18
  * @param gain
  *   Q0.42
  */
class RemPrice(
    counted: Flow[UInt],
    tick: Bool,
    settles: Bool,
    queue: UInt,
    level: UInt,
    inverse: UInt,
    alpha: UInt,
    gain: UInt
) extends Area {
  import RemPrice._

  val onCount = new Area {
    val count = Reg(UInt(countBits bits)) init 0
    private val added = counted.payload.andMask(counted.valid)
    private val sum = count +^ added
    count := Mux(tick, added.resized, Mux(sum.msb, U(countBits bits, default -> true), sum.resized))
  }

  /** alpha (b - b*) + x - c, in packets. */
  val onMismatch = new Area {
    private val b = RegNextWhen(queue, tick)
    private val x = RegNextWhen(onCount.count, tick)
    private val weighed =
      RegNext((WideMultiplier.sum(WideMultiplier.multiplyApart(b, alpha)) >> 10).resize(levelBits)) // Q.8
    private val supply = RegNext(weighed + (x << 8).resize(levelBits))
    private val difference = RegNext(supply.intoSInt - level.intoSInt)
    private val (bytes, isBelow) = GainStep.magnitude(difference)
    val isFall = isBelow
    val packets = RegNext(
      (WideMultiplier.sum(WideMultiplier.multiplyApart(bytes, inverse)) >> 16).resize(levelBits)
    )
  }

  private val step = new GainStep(onMismatch.packets, gain, shift = 22, bits = priceBits)

  val price = Reg(UInt(priceBits bits)) init 0
  val probability = Reg(UInt(32 bits)) init 0

  val onMove = new Area {
    private val by = GainStep.signed(step.size, onMismatch.isFall)
    private val sum = RegNext(price.intoSInt.resize(priceBits + 2) + by)
    private val isOver = sum(priceBits)
    val next = RegNext(Mux(sum.msb, U(0), sum.asUInt.resize(priceBits) | U(priceBits bits, default -> isOver)))
    private val passing = new InversePower(next >> (fraction - InversePower.fraction))
    val nextProbability = RegNext(U(BigInt(1) << 31, 32 bits) - passing.result)
    when(settles) {
      price := next
      probability := nextProbability
    }
  }

  import sluice.contract.Clocks
  private val clocks = new Clocks(
    from = Seq(tick, queue, onCount.count),
    still = Seq(level, inverse, alpha, gain, price)
  )
  Clocks.are("RemPrice.cycles", cycles, clocks.to(onMove.nextProbability))
}

object RemPrice {

  /** Bits of the price behind the point; before it are four. */
  val fraction = 36
  val priceBits: Int = 4 + fraction
  val countBits = 26
  val levelBits = 36

  private val productCycles = Multiplier.latency + 1

  /** Clocks from the tick until all stands. */
  val cycles: Int = 1 + productCycles + 3 + productCycles + GainStep.cycles + 3 + InversePower.latency + 1

  /** c + alpha b* in bytes, Q28.8 and saturated, [[levelCycles]] clocks after its arguments.
    *
    * @param capacity
    *   c, Q18.14
    * @param alpha
    *   Q0.18
    * @param target
    *   b*
    */
  def level(capacity: UInt, alpha: UInt, target: UInt, typical: UInt): UInt = {
    val inPackets = RegNext(capacity +^ (Multiplier(alpha, target) >> 4))
    val inBytes = RegNext(WideMultiplier.sum(WideMultiplier.multiplyApart(inPackets, typical)) >> 6)
    val saturated = RegNext(inBytes.sat(inBytes.getWidth - levelBits))
    import sluice.contract.Clocks
    val arguments = new Clocks(from = Seq(capacity, alpha, target))
    Clocks.are("RemPrice.levelCycles", levelCycles, arguments.to(saturated))
    saturated
  }

  val levelCycles: Int = 2 * (Multiplier.latency + 1) + 1

  /** The same in software, for reset values. */
  def level(capacity: BigInt, alpha: BigInt, target: BigInt, typical: BigInt): BigInt =
    ((capacity + (alpha * target >> 4)) * typical >> 6).min((BigInt(1) << levelBits) - 1)
}
