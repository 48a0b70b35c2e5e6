// SPDX-License-Identifier: Apache-2.0
package sluice.packet

import spinal.core._
import spinal.lib._
import sluice.contract.{Parameter, Rule, Widths}

/** A token bucket in time: each frame costs `(bytes + overhead) * ns_per_byte`, credit comes with the time that passes, up to
  * `burst` ns of it, and a frame may start whenever the credit is not negative. With no burst the frames leave exactly as on a
  * link of that rate. Counting in ns and not in bytes keeps all multiplication out of the loop, needs no rate tick, and lets
  * time jump.
  *
  * Frames and their costs pass through in order; a cost is ready four clocks after its frame is known.
  */
class Shaper extends Component {
  private val fraction = Shaper.nsPerByte.fraction

  val io = new Bundle {
    val nowNs = in(UInt(Widths.timeNs bits))
    val nsPerByte = in(UInt(Shaper.nsPerByte.width bits))
    val burstNs = in(UInt(Shaper.burst.width bits))
    val overhead = in(UInt(Shaper.overhead.width bits))
    val known = slave(Stream(FrameRecord()))
    val priced = master(Stream(FrameRecord()))
    val isTaken = in(Bool()) // the priced frame starts now and is to be paid for
    val mayStart = out(Bool())
  }

  private val costBits = Shaper.nsPerByte.width + Frame.lengthBits + 1
  private val creditBits = Shaper.burst.width.max(costBits - fraction) + fraction + 2

  case class Priced() extends Bundle {
    val record = FrameRecord()
    val cost = UInt(costBits bits) // ns, `fraction` fraction bits
  }

  val onPrice = new Area {
    val sized = io.known.map(r => TupleBundle(r, r.bytes +^ io.overhead)).m2sPipe()
    val halves = sized
      .map { s =>
        TupleBundle(s._1, s._2 * io.nsPerByte(15 downto 0), s._2 * io.nsPerByte(31 downto 16))
      }
      .m2sPipe()
    val priced = halves
      .map { h =>
        val p = Priced()
        p.record := h._1
        p.cost := ((h._3 << 16) + h._2).resize(costBits)
        p
      }
      .m2sPipe()
      .s2mPipe()
      .m2sPipe()
    io.priced << priced.map(_.record)
  }

  val onCredit = new Area {
    val lastNs = RegNext(io.nowNs)
    val passed = RegNext(io.nowNs - lastNs) init 0
    val longest = (BigInt(1) << Shaper.burst.width) - 1 // more than that fills any bucket or ends any debt
    val elapsed =
      RegNext(Mux(passed > longest, U(longest, Shaper.burst.width bits), passed.resize(Shaper.burst.width))) init 0

    val credit = Reg(SInt(creditBits bits)) init 0
    val earned = (elapsed << fraction).resize(creditBits).asSInt
    val full = (io.burstNs << fraction).resize(creditBits).asSInt
    val cost = onPrice.priced.cost.andMask(io.isTaken).resize(creditBits).asSInt
    val isFull = credit + earned > full
    credit := Mux(isFull, full - cost, credit + earned - cost)
    io.mayStart := !credit.msb
  }
}

object Shaper {
  val nsPerByte =
    Parameter(
      "ns_per_byte",
      "",
      32,
      18,
      "ns",
      0,
      "time of one byte on the outgoing link; 0: as fast as the stream takes it"
    )
  val burst = Parameter("burst", "", 32, 0, "ns", 0, "link time that an idle link may save up")
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
