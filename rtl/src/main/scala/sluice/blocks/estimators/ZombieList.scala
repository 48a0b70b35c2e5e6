// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.estimators

import sluice.blocks.arithmetic.WideMultiplier
import sluice.blocks.probability.Sampler
import sluice.blocks.state.DeepMemory
import sluice.contract.Widths
import spinal.core._
import spinal.lib.misc.pipeline._

/** SRED's list of flows lately seen, the zombies, in block memory. The first arrivals fill it. Each one after that is compared with a
  * zombie drawn at random, which on a miss it overwrites with a probability: one comparison and one overwriting in every clock,
  * each as all arrivals before have left the list.
  *
  * A hit that overwrites changes nothing. So whether a zombie is overwritten hangs on the draw alone, the word is written a clock
  * after it was read and before anybody knows of a hit, and only the arrival of the clock before can be under way to it.
  *
  * @param size
  *   M, the zombies
  * @param n
  *   nodes: [[IS_FULL]] stands from n([[ZombieList.fullAt]]) on, [[IS_HIT]] from n([[ZombieList.latency]])
  * @param flow
  *   and the draws: there at n(0). The first chooses a zombie, the second decides whether a miss overwrites it
  * @param overwriteProbability
  *   Q1.31, by stage (relative to n)
  */
class ZombieList(
    size: Int,
    n: Seq[Node],
    flow: Payload[Bits],
    placeDraw: Payload[UInt],
    overwriteDraw: Payload[UInt],
    overwriteProbability: Int => UInt
) extends Area {
  import ZombieList._

  /** The list was full: the arrival is compared. */
  val IS_FULL = Payload(Bool())

  /** The zombie drawn is of the arrival's flow. */
  val IS_HIT = Payload(Bool())

  private val indexBits = Widths.index(size)
  private val PRODUCTS = Payload(WideMultiplier.products(Widths.random, Widths.count(size)))
  private val DRAWN, PLACE = Payload(UInt(indexBits bits))
  private val OVERWRITES, IS_WRITE = Payload(Bool())
  private val IS_PLACE_BEFORES, IS_FLOW_BEFORES = Payload(Bool()) // place, or flow, is that of the clock before

  n(0)(PRODUCTS) := WideMultiplier.multiply(n(0)(placeDraw), U(size, Widths.count(size) bits))
  n(0)(OVERWRITES) := Sampler.isTaken(n(0)(overwriteDraw), overwriteProbability(0))
  n(1)(DRAWN) := (WideMultiplier.sum(n(1)(PRODUCTS)) >> Widths.random).resized

  val onFill = new Area {
    val at = n(fullAt)
    val level = Reg(UInt(indexBits bits)) init 0
    val isFull = RegInit(False)
    when(at.isValid) {
      level := level + 1
      when(level === size - 1)(isFull := True)
    }
    at(IS_FULL) := isFull
    at(PLACE) := Mux(isFull, at(DRAWN), level)
    at(IS_WRITE) := !isFull || at(OVERWRITES)
  }

  val zombies = new DeepMemory(Widths.flow, size)
  val onCompare = new Area {
    val (own, before) = (n(readAt), n(readAt + 1))
    val isWrite = before.isValid && before(IS_WRITE)
    zombies.write(before(PLACE), before(flow), isWrite)
    own(IS_PLACE_BEFORES) := isWrite && before(PLACE) === own(PLACE)
    own(IS_FLOW_BEFORES) := before(flow) === own(flow)
    val zombie = RegNext(zombies.readSync(own(PLACE))) // block memory and a register: belongs to the node two behind
    private val at = n(readAt + 2)
    at(IS_HIT) := at(IS_FULL) && Mux(at(IS_PLACE_BEFORES), at(IS_FLOW_BEFORES), zombie === at(flow))
  }
}

object ZombieList {
  val fullAt = 2
  private val readAt = fullAt + 1
  val latency: Int = readAt + 3
}
