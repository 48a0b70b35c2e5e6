// SPDX-License-Identifier: Apache-2.0
package sluice.packet

import sluice.tile.Accountant
import spinal.core._

/** A frame and its length, in the clock in which one of its fates is sealed. */
case class Counted(event: Bool, bytes: UInt)

/** The counters of the datapath. Together with the tile's they account for every frame and byte at any moment: input = bad +
  * oversize + dropped by the tile + held + output. `held` is counted for itself, up with each frame that comes in and down
  * with each that is dropped or has left. An event counts three clocks after it.
  *
  * @param refused
  *   by [[InputFate]]
  */
class DatapathAccountant(
    input: Counted,
    refused: Seq[Bool],
    dropped: Counted,
    output: Counted,
    outcome: (Bool, SpinalEnumCraft[Outcome.type])
) extends Area {
  private def staged(c: Counted) = Counted(RegNext(c.event, init = False), RegNext(c.bytes))
  private def stagedAll(bools: Seq[Bool]) = bools.map(RegNext(_, init = False))
  private val (comes, drops, leaves) = (staged(input), staged(dropped), staged(output))
  private val refuses = stagedAll(refused)
  val came = staged(comes)
  val left = staged(leaves)
  val refusals = stagedAll(refuses)

  private def counter(event: Bool, amount: UInt): UInt = {
    val count = Reg(UInt(Accountant.width bits)) init 0
    when(event)(count := count + amount)
    count
  }
  private def both(c: Counted): Seq[UInt] = Seq(counter(c.event, U(1, 1 bits)), counter(c.event, c.bytes))

  private val enters = Counted(comes.event && !refuses.reduce(_ || _), comes.bytes)

  private def held(bits: Int, weight: UInt => UInt): (UInt, SInt) = {
    val count = Reg(UInt(bits bits)) init 0
    def part(c: Counted) = weight(c.bytes).resize(Ingress.bytesBits + 2).andMask(c.event)
    val net = part(enters) - part(drops) - part(leaves)
    val change = RegNext(net.asSInt) init 0
    count := count + change.resize(bits).asUInt
    (count, change)
  }
  val (heldFrames, frameChange) = held(20, _ => U(1, 1 bits))
  val (heldBytes, byteChange) = held(30, bytes => bytes)

  private val outcomes = Outcome.elements.map(kind => counter(outcome._1 && outcome._2 === kind, U(1, 1 bits)))

  /** In the order of [[DatapathAccountant.names]]. */
  val counters: Seq[UInt] =
    (both(came) ++ refusals.flatMap(r => both(Counted(r, came.bytes))) ++ Seq(heldFrames, heldBytes) ++ both(
      left
    ) ++ outcomes)
      .map(_.resize(Accountant.width))
}

object DatapathAccountant {
  val names: Seq[String] =
    (Seq("input") ++ InputFate.names ++ Seq("held", "output")).flatMap(n => Seq(s"${n}_frames", s"${n}_bytes")) ++
      Outcome.names.map(n => s"parsed_$n")
}
