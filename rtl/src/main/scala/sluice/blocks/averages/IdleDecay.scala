// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.averages

import sluice.blocks.arithmetic.WideMultiplier
import spinal.core._
import spinal.lib._
import spinal.lib.misc.pipeline._

/** The decay of RED's average over a time in which the queue was empty: `average * (1 - w)^(idle / s)`, s = time to send one
  * typical packet (S. Floyd and V. Jacobson, "Random Early Detection Gateways", 1993, section 4).
  *
  * (1 - w)^(idle / s) = 2^-e with e = idle * rate, rate = log2(1 / (1 - w)) / s. The idle time is taken as it is and not as a
  * whole number of packet times, and from 68 s on nothing is left. e is Q5.10; the power of two is a shift and a table of 1,024
  * entries.
  *
  * Node 0 is the arrival; [[DECAYED]] is computed at node 9 and wants a register behind it. This is not part of the averaging loop
  * because an idle time ends only with an arrival that finds every earlier one already averaged.
  *
  * @param n
  *   ten consecutive nodes
  * @param idle
  *   the idle time that the arrival at n(0) ends
  * @param average
  *   the average as it stands at n(5), which no arrival is changing while the queue is idle
  * @param mantissa
  *   by stage, m: the decay rate as e (Q.10) = idle time (in 16 ns) * m >> s
  * @param shift
  *   by stage, s
  */
class IdleDecay(
    n: Seq[Node],
    idle: IdleTime,
    average: UInt,
    mantissa: Int => UInt,
    shift: Int => UInt
) extends Area {
  import IdleDecay._
  private val averageBits = average.getWidth

  /** Whether this arrival ends an idle time; only then [[DECAYED]] counts. */
  val IS_IDLE = Payload(Bool())

  /** The average after the idle time, at node 9. */
  val DECAYED = Payload(UInt(averageBits bits))

  private val IDLE_NS = Payload(UInt(idle.ns.getWidth bits))
  private val IS_LONG = Payload(Bool()) // 68 s or more
  private val SCALED = Payload(WideMultiplier.products(32, 18))
  private val SCALED_SUM = Payload(UInt(54 bits))
  private val COARSE = Payload(UInt(54 bits)) // shifted in steps of 8
  private val WHOLE = Payload(UInt(5 bits)) // integer part of e
  private val IS_GONE = Payload(Bool()) // nothing is left of the average
  private val INDEX = Payload(UInt(fractionBits bits))
  private val FRACTIONAL = Payload(WideMultiplier.products(averageBits, 18))
  private val PARTLY = Payload(UInt(averageBits bits)) // after the fraction of e and, if need be, 16 halvings
  private val REST = Payload(UInt(4 bits)) // the other halvings

  n(0)(IS_IDLE) := idle.isIdle
  n(0)(IDLE_NS) := idle.ns

  val onScale = new Area {
    val ticks = n(1)(IDLE_NS)(35 downto 4) // 16 ns each
    n(1)(IS_LONG) := (n(1)(IDLE_NS) >> 36) =/= 0
    n(1)(SCALED) := WideMultiplier.multiply(ticks, mantissa(1))
    n(2)(SCALED_SUM) := WideMultiplier.sum(n(2)(SCALED))
  }

  val onShift = new Area {
    val integerBits = 5 // of e
    n(3)(COARSE) := n(3)(SCALED_SUM) |>> (shift(3)(5 downto 3) @@ U(0, 3 bits))
    val near = n(4)(COARSE)(fractionBits + integerBits + 6 downto 0) // what the last shift can move into e
    val e = near |>> shift(4)(2 downto 0)
    n(4)(INDEX) := e(fractionBits - 1 downto 0)
    n(4)(WHOLE) := e(fractionBits + integerBits - 1 downto fractionBits)
    n(4)(IS_GONE) := n(4)(IS_LONG) || (n(4)(COARSE) >> near.getWidth) =/= 0 || (e >> (fractionBits + integerBits)) =/= 0
  }

  val onTable = new Area {
    val table = Mem(UInt(18 bits), powersOfTwo.map(U(_, 18 bits)))
    val factor = RegNext(table.readSync(n(5)(INDEX))) // block RAM and a register: belongs to node 7
    val standing = Delay(average, 2) // for long; a multiplier is slow to reach, so the second register is its own
    n(7)(FRACTIONAL) := WideMultiplier.multiply(standing, factor)
  }

  val onDecay = new Area {
    val product = (WideMultiplier.sum(n(8)(FRACTIONAL)) >> 18).resize(averageBits)
    n(8)(PARTLY) := Mux(n(8)(IS_GONE), U(0), product |>> (n(8)(WHOLE)(4 downto 4) @@ U(0, 4 bits)))
    n(8)(REST) := n(8)(WHOLE)(3 downto 0)
    n(9)(DECAYED) := n(9)(PARTLY) |>> n(9)(REST)
  }
}

object IdleDecay {

  val fractionBits = 10

  /** 2^-(i / 1024) in Q0.18, rounded to nearest; the first entry is the largest value below 1. */
  val powersOfTwo: Seq[BigInt] = (0 until (1 << fractionBits)).map { i =>
    BigInt(scala.math.round(scala.math.pow(2, 18.0 - i / 1024.0))).min((BigInt(1) << 18) - 1)
  }
}
