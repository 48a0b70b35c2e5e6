// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.packet
package link

import spinal.core._
import spinal.lib._
import sluice.blocks.arithmetic.CarrySave
import sluice.contract.{Parameter, Rule, Widths}
import sluice.packet.buffer.{FrameRecord, Renewable}

/** A token bucket in time: each frame costs `(bytes + overhead) * ns_per_byte`, credit comes with the time that passes, up to
  * `burst` ns of it, and a frame may start whenever the credit is not negative. What a waiting frame starts too late, because clocks
  * are coarse, the next one makes good; `burst` is for frames that start later still, because the output was held back or none
  * was there.
  *
  * Counting in ns and not in bytes keeps all multiplication out of the loop, needs no rate tick, and lets time jump. The loop
  * either pays or earns in a clock, never both: time that passes in a clock in which a frame starts is earned in the next one
  * in which none starts.
  *
  * Frames and their costs pass through in order; a cost is ready some clocks after its frame is known. Where the rate or the overhead
  * becomes another one, all that wait are priced anew before the next one starts: what a frame costs is what it costs at its start.
  * Only the debt of the frame that is on the link stays as it was, and where there is no limit any more it ends at once.
  *
  * @param refunds
  *   whether a frame that was paid for may turn out not to start: its cost, of which whoever takes frames keeps the whole ns, comes
  *   back as time that passes
  */
class Shaper(refunds: Boolean) extends Component {
  import Shaper._

  val io = new Bundle {
    val nowNs = in(UInt(Widths.timeNs bits))
    val nsPerByte = in(UInt(Shaper.nsPerByte.width bits))
    val burstNs = in(UInt(Shaper.burst.width bits))
    val overhead = in(UInt(Shaper.overhead.width bits))
    val known = slave(Stream(FrameRecord()))
    val priced = master(Stream(FrameRecord()))
    val isTaken = in(Bool()) // the priced frame starts now and is to be paid for
    val mayStart = out(Bool())
    val costNs = refunds generate out(UInt(nsBits bits)) // of the priced frame
    val refundNs = refunds generate in(UInt(nsBits bits))
  }

  case class Priced() extends Bundle {
    val record = FrameRecord()
    val cost = UInt(fractionBits + nsBits bits)
  }

  val onPrice = new Area {
    private val setting = io.nsPerByte ## io.overhead
    private val isNew = RegNext(setting =/= RegNext(setting), init = False)
    val priced = Renewable(io.known, cycles = 3, isNew)((p: Priced) => p.record) { known =>
      val sized = known.map(r => TupleBundle(r, r.lastByte +^ io.overhead + 1)).stage()
      val halves = sized
        .map(s => TupleBundle(s._1, s._2 * io.nsPerByte(15 downto 0), s._2 * io.nsPerByte(31 downto 16)))
        .stage()
      halves
        .map { h =>
          val p = Priced()
          p.record := h._1
          p.cost := ((h._3 << 16) + h._2).resize(p.cost.getWidth)
          p
        }
        .stage()
    }
    io.priced << priced.map(_.record)
    val costNs = priced.cost >> fractionBits
    val costFraction = priced.cost(fractionBits - 1 downto 0)
    if (refunds) io.costNs := costNs
  }

  val onTime = new Area {
    val lastNs = RegNext(io.nowNs)
    val passed = RegNext(io.nowNs - lastNs) init 0
    private val isUnlimited = io.nsPerByte === 0
    val isLong = // it fills any bucket and ends any debt; so does a link without a limit, in each clock
      RegNext(passed(Widths.timeNs - 1 downto nsBits).orR || isUnlimited) init False
    val short = RegNext(passed(nsBits - 1 downto 0)) init 0
    val elapsed = RegNext(Mux(isLong, U(nsBits bits, default -> true), short)) init 0
  }

  val onCredit = new Area {
    val credit = Reg(SInt(nsBits + 4 bits)) init 0 // whole ns
    val fraction = Reg(UInt(fractionBits bits)) init 0
    val rest = fraction -^ onPrice.costFraction
    when(io.isTaken)(fraction := rest.resized)
    val hasBorrowed = RegNext(io.isTaken && rest.msb) init False

    // Time that has passed and is not yet earned; below zero by what `fraction` has borrowed.
    val earned = if (refunds) onTime.elapsed +^ io.refundNs else onTime.elapsed
    val unearned = Reg(SInt(earned.getWidth + 1 bits)) init 0
    val fresh = RegNext((U"0" @@ earned).asSInt - U(hasBorrowed).intoSInt) init 0
    val kept = unearned +^ fresh
    unearned := Mux(io.isTaken, kept.sat(1), fresh)

    // Where the credit has grown beyond `burst`, it counts as that: what a bucket holds does not depend on the steps in which time
    // has filled it.
    private val top = (U"0" @@ io.burstNs).asSInt.resize(credit.getWidth)
    private val isOver = RegInit(False)
    private val held = Mux(isOver, top, credit)
    private val room = CarrySave.subtractBoth(top.asUInt, held.asUInt, unearned.resize(credit.getWidth).asUInt)
    isOver := room.msb && !io.isTaken
    credit := Mux(io.isTaken, held - (U"0" @@ onPrice.costNs).asSInt, held + unearned)
    io.mayStart := !credit.msb
  }
}

object Shaper {
  val nsBits = 28 // of a frame's cost, of the time between two clocks, and of the bucket
  private[link] val fractionBits = 18

  val nsPerByte = Parameter(
    "ns_per_byte",
    "",
    32,
    fractionBits,
    "ns",
    0,
    "time of one byte on the outgoing link; 0: as fast as the stream takes it"
  )
  val burst =
    Parameter("burst", "", nsBits, 0, "ns", 64, "link time that an idle link may save up")
  val overhead =
    Parameter(
      "overhead",
      "",
      8,
      0,
      "bytes",
      0,
      "bytes that every frame takes on the link besides its own, such as 24 for preamble, FCS and gap"
    )
  val parameters: Seq[Parameter] = Seq(nsPerByte, burst, overhead)
  val rules: Seq[Rule] = Seq.empty
}
