// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.flows

import sluice.blocks.state.DeepMemory
import sluice.contract._
import spinal.core._
import spinal.lib._

/** What the filter has to say of a packet until it is settled. */
case class FlowTag() extends Bundle {
  val isFiltered = Bool()
  val isKnown = Bool()
  val place = UInt(FlowPlaces.placeBits bits)
}

object FlowTag {
  val bits: Int = 2 + FlowPlaces.placeBits
}

/** A packet that was lost before its flow was known. */
case class Newcomer() extends Bundle {
  val flow = Bits(Widths.flow bits)
  val bytes = UInt(Widths.packet bits)
}

/** Records what becomes of each packet in one of two banks, while the list of the other one is worked on: bytes of all packets, bytes
  * of each known flow, and the first losses of flows that are not known.
  *
  * @param isTick
  *   a list ends
  * @param isSettling
  *   from this clock on, packets are recorded
  * @param readAt
  *   of the list before: the place whose counts are read
  * @param newcomerAt
  *   and the newcomer
  * @param cleared
  *   of the list before, or of both
  */
class ListRecorder(
    settled: Flow[Settled],
    isTick: Bool,
    isSettling: Bool,
    readAt: UInt,
    newcomerAt: UInt,
    cleared: Flow[FlowCounters.Written],
    isBoth: Bool
) extends Area {
  import ListRecorder._
  private val isRecording = RegInit(False) setWhen isSettling
  private val bank = Reg(UInt(1 bits)) init 0
  when(isTick)(bank := ~bank)
  private val isNew = RegNext(isTick, init = False)

  private val heard = settled.stage()
  private val isHeard = heard.valid && isRecording
  private val tag = heard.packet.tag.as(FlowTag())
  private val isDropped = heard.fate =/= Fate.ACCEPTED
  private val isLost = !tag.isFiltered && (isDropped || heard.packet.isCe)

  private class Total(isCounted: Bool) extends Area {
    val sum = Reg(UInt(totalBits bits)) init 0
    val last = RegNextWhen(sum, isNew)
    sum := Mux(isNew, U(0), sum) + heard.packet.bytes.andMask(isHeard && isCounted)
  }

  /** Bytes of all packets of the list before, modulo 2^40. */
  val arrived: UInt = new Total(True).last
  val filtered: UInt = new Total(tag.isFiltered).last
  val lost: UInt = new Total(isLost).last

  val counters = new FlowCounters(
    {
      val added = Flow(FlowCounters.Added())
      added.valid := isHeard && tag.isKnown
      added.place := tag.place
      added.amounts.zip(Seq(True, isDropped || isLost, isLost)).foreach { case (amount, isCounted) =>
        amount := heard.packet.bytes.andMask(isCounted)
      }
      added
    },
    bank,
    readAt,
    cleared,
    isBoth
  )

  // A clock behind the rest, so that what a packet is is known before it counts.
  val onNewcomer = new Area {
    private val isUnknown = RegNext(isHeard && isLost && !tag.isKnown, init = False)
    private val isFirst = RegNext(isNew, init = False)
    val noted = Reg(UInt(Widths.count(newcomers) bits)) init 0
    val before = Mux(isFirst, U(0), noted)
    val isNoted = isUnknown && !before.msb
    noted := before + U(isNoted)

    /** How many the list before has. */
    val number = RegNextWhen(noted, isFirst) init 0

    val newcomer = Newcomer()
    newcomer.flow := heard.packet.flow
    newcomer.bytes := heard.packet.bytes
    val memory = new DeepMemory(newcomer.getBitsWidth, 2 * newcomers)
    memory.write(RegNext(bank) @@ before.resize(log2Up(newcomers)), RegNext(newcomer.asBits), isNoted)

    /** Two clocks after `newcomerAt`. */
    val read = RegNext(memory.readSync(~bank @@ newcomerAt)).as(Newcomer())
  }
}

object ListRecorder {
  val totalBits = 40

  /** Losses of one list that may be of flows not known. */
  val newcomers = 64
}
