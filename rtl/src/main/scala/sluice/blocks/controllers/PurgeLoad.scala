// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.controllers

import sluice.blocks.arithmetic.{Multiplier, WideMultiplier}
import sluice.blocks.arithmetic.division.SequentialDivision
import spinal.core._
import spinal.lib._

/** What Purge makes of an interval of load: whether there is congestion, W = alpha (b - b*) + x - c > 0; how many intervals in a row had
  * more arrivals x than c, what the link sends; and g s, with the saturation s that is chosen:
  *
  *   1. alpha (b - b*) / b* + (x - c) / c
  *   1. step W
  *   1. m, REM's probability
  *   1. (b - b*) / (B - b*), with 1 for B - b* where that is less
  *
  * each from 0 to 1. A tick takes queue, count and m; from there the numbers pass through one register after the other, and two divisions
  * of a bit per clock, and stand at the end of it until the next tick.
  *
  * @param tick
  *   high in the clock in which all that comes before the tick is counted; all others hold in that clock, and the parameters on
  * @param probability
  *   Q1.31
  * @param alpha
  *   and `step`: Q0.18
  * @param capacity
  *   Q18.14
  * @param shareGain
  *   g, Q4.8
  */
class PurgeLoad(
    isArrival: Bool,
    tick: Bool,
    queue: UInt,
    probability: UInt,
    alpha: UInt,
    target: UInt,
    buffer: UInt,
    capacity: UInt,
    saturation: UInt,
    step: UInt,
    shareGain: UInt
) extends Area {
  import PurgeLoad._

  // Arrivals in whole packets; RemPrice adds sizes, and masks them first.
  val onCount = new Area {
    val count = Reg(UInt(countBits bits)) init 0
    private val sum = count +^ U(isArrival)
    count := Mux(tick, U(isArrival).resized, Mux(sum.msb, U(countBits bits, default -> true), sum.resized))
  }
  private val b = RegNextWhen(queue, tick)
  private val x = RegNextWhen(onCount.count, tick)
  private val m = RegNextWhen(probability, tick)

  val onMismatch = new Area {
    val ofQueue = Multiplier(alpha, b)
    private val ofTarget = Multiplier(alpha, target)
    private val beyond = RegNext(ofQueue.intoSInt - ofTarget.intoSInt) // Q.18
    val overload = RegNext((x << 14).intoSInt - capacity.intoSInt) // Q.14
    val isOverload = RegNext(overload > 0)
    val mismatch = RegNext(beyond + (overload << 4)) // Q.18
    val isPositive = RegNext(mismatch > 0)
    val excess = RegNext(Mux(b > target, b - target, U(0)))
    val room = RegNext(Mux(buffer > target, buffer - target, U(1)))
  }

  /** Quotients, Q3.18. */
  val onDivide = new Area {
    private val isFourth = saturation === 4
    private def limited(quotient: UInt): UInt =
      RegNext(quotient.resize(termBits) | U(termBits bits, default -> ((quotient >> termBits) =/= 0)))
    val load = Delay(tick, 4, init = False)
    val byRoom = new SequentialDivision(
      load,
      dividend = RegNext(Mux(isFourth, onMismatch.excess << fraction, onMismatch.ofQueue)),
      divisor = RegNext(Mux(isFourth, onMismatch.room, target))
    )
    val byCapacity = new SequentialDivision(load, dividend = x << 32, divisor = capacity)
    val ofQueue = limited(byRoom.quotient)
    val ofLoad = limited(byCapacity.quotient)
  }

  val onSaturate = new Area {
    private val most = U(BigInt(1) << fraction, fraction + 1 bits)
    private def limited(s: UInt): UInt =
      RegNext(Mux((s >> fraction) =/= 0, most, s.resize(fraction + 1)))
    private val sum = RegNext(onDivide.ofQueue +^ onDivide.ofLoad)
    private val less = RegNext(alpha +^ most)
    private val difference = RegNext(sum.intoSInt - less.intoSInt)
    private val relative = limited(difference.asUInt.resize(termBits + 1).andMask(!difference.msb))
    private val positive = RegNext(onMismatch.mismatch.asUInt.andMask(!onMismatch.mismatch.msb))
    private val limbs = WideMultiplier.multiplyApart(positive, step)
    private val low = RegNext(WideMultiplier.sum(Vec(limbs.take(2))))
    private val stepped = limited(RegNext(low +^ (limbs(2) << 36)) >> 18)
    private val s = RegNext(
      saturation.mux(
        1 -> relative,
        2 -> stepped,
        3 -> (m >> 13).resize(fraction + 1),
        default -> limited(onDivide.ofQueue)
      )
    )
    val product = Multiplier((s >> 1).resize(18), shareGain)
  }

  private val isWorked = Delay(tick, cycles - 1, init = False)
  val strength: UInt = RegNext((onSaturate.product >> 11).resize(strengthBits))
  val isCongested: Bool = onMismatch.isPositive
  val run = Reg(UInt(runBits bits)) init 0
  when(isWorked)(run := Mux(onMismatch.isOverload, run + U(!run.andR), U(0)))

  import sluice.contract.Clocks
  private def standing = Seq(alpha, target, buffer, capacity, saturation, step, shareGain)
  private val taken = new Clocks(from = Seq(tick, queue, probability, onCount.count), still = standing)
  for ((name, division) <- Seq("byRoom" -> onDivide.byRoom, "byCapacity" -> onDivide.byCapacity))
    Clocks.suffice(s"PurgeLoad.onDivide.$name's numbers", taken.to(onDivide.load), taken.to(division.numbers))
  private val worked = new Clocks(
    from = Seq(tick, queue, probability, onCount.count),
    still = standing,
    spans = Seq(onDivide.byRoom.span, onDivide.byCapacity.span)
  )
  Clocks.suffice("PurgeLoad.cycles", cycles, worked.to(strength))
  Clocks.suffice("PurgeLoad.cycles until its run moves", cycles - 1, worked.to(onMismatch.isOverload))
  Clocks.suffice("PurgeLoad.cycles until it is congested", cycles, worked.to(isCongested))
}

object PurgeLoad {
  private val countBits = 26
  private val fraction = 18
  private val termBits = 21
  val strengthBits = 18
  val runBits = 4

  /** Clocks from the tick until all stands: the longer division and what is before and behind it. */
  val cycles: Int = 5 + (countBits + 32 + 1) + 8
}
