// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.packet

import sluice.packet.parser.Outcome
import sluice.tile.account.Accountant
import spinal.core._
import spinal.lib._

/** A frame and its length, in the clock in which one of its fates is sealed. */
case class Counted(event: Bool, bytes: UInt) {

  /** A clock later, and no bytes where there is no event: sums need no mask then. */
  def staged: Counted = Counted(RegNext(event, init = False), RegNext(bytes.andMask(event)) init 0)
}

/** The counters of the datapath. Together with the tile's they account for every frame and byte at any moment: input = bad +
  * oversize + dropped by the tile + held + output. `held` is counted for itself, up with each frame that comes in and down
  * with each that is dropped, on arrival or in the queue, or has left. An event counts three clocks after it.
  *
  * @param refused
  *   by [[InputFate]]
  * @param gone
  *   dropped in the queue
  * @param removed
  *   of frames that are gone, where they stay in the buffer until their turn comes: its memory is free from now on
  * @param others
  *   what else is counted, behind all that
  */
class DatapathAccountant(
    input: Counted,
    refused: Seq[Bool],
    dropped: Counted,
    output: Counted,
    gone: Option[Counted],
    removed: Option[Counted],
    outcome: (Bool, SpinalEnumCraft[Outcome.type]),
    others: Seq[Bool]
) extends Area {
  private val enters = Counted(input.event && !refused.reduce(_ || _), input.bytes).staged
  private val (drops, leaves) = (dropped.staged, output.staged)
  private val (goes, frees) = (gone.map(_.staged), removed.map(_.staged))
  val came = input.staged.staged
  val left = leaves.staged
  val refusals = refused.map(Delay(_, 2, init = False))

  private def counter(event: Bool, amount: UInt): UInt = {
    val count = Reg(UInt(Accountant.width bits)) init 0
    when(event)(count := count + amount)
    count
  }
  private def both(c: Counted): Seq[UInt] = Seq(counter(c.event, U(1, 1 bits)), counter(c.event, c.bytes))

  private def frames(c: Counted): UInt = U(c.event)
  private def bytes(c: Counted): UInt = c.bytes
  private def inside(bits: Int, weight: Counted => UInt, ends: Option[Counted]): (UInt, SInt) = {
    val count = Reg(UInt(bits bits)) init 0
    def part(c: Counted) = weight(c).resize(Ingress.bytesBits + 2)
    val net = (Seq(enters, drops, leaves) ++ ends).map(part).reduce(_ - _)
    val change = RegNext(net.asSInt) init 0
    count := count + change.resize(bits).asUInt
    (count, change)
  }
  val (heldFrames, frameChange) = inside(20, frames, goes)
  val (heldBytes, byteChange) = inside(30, bytes, goes)

  /** Frames and bytes in the datapath's memories: what is held, and what is gone and not yet removed. */
  val (storedFrames, storedBytes) =
    if (frees.isEmpty) (heldFrames, heldBytes) else (inside(20, frames, frees)._1, inside(30, bytes, frees)._1)

  private val outcomes = Outcome.elements.map(kind => counter(outcome._1 && outcome._2 === kind, U(1, 1 bits)))

  /** In the order of [[DatapathAccountant.names]], and the others. */
  val counters: Seq[UInt] =
    (both(came) ++ refusals.flatMap(r => both(Counted(r, came.bytes))) ++ Seq(heldFrames, heldBytes) ++ both(
      left
    ) ++ outcomes ++ others.map(counter(_, U(1, 1 bits))))
      .map(_.resize(Accountant.width))
}

object DatapathAccountant {
  val names: Seq[String] =
    (Seq("input") ++ InputFate.names ++ Seq("held", "output")).flatMap(n => Seq(s"${n}_frames", s"${n}_bytes")) ++
      Outcome.names.map(n => s"parsed_$n")
}
