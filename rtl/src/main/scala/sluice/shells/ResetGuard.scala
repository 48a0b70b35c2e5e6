// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.shells

import sluice.packet.Beat
import spinal.core._
import spinal.lib._

/** Stands around a datapath whose neighbours are not reset with it, and sees to it that they see whole frames only. It keeps its
  * state in a reset of the datapath, `isReset`, and begins with the configuration of the FPGA.
  *
  *   - Of a frame whose beginning the datapath has lost the rest is swallowed.
  *   - A frame that the datapath has begun to give and lost is ended with zeros, with all the bytes that its size promises:
  *     OpenNIC's QDMA stops for good after a frame that has more or fewer, and behind a beginning without an end the next frame
  *     would be its rest. Whoever takes it finds its checksum wrong.
  */
class ResetGuard extends Component {
  val io = new Bundle {
    val isReset = in(Bool())
    val fromShell = slave(Stream(BoxBeat()))
    val toDatapath = master(Stream(BoxBeat()))
    val fromDatapath = slave(Stream(BoxBeat()))
    val toShell = master(Stream(BoxBeat()))
  }

  val onEntry = new Area {
    private val beat = io.fromShell
    val isInside = RegNextWhen(!beat.last, beat.fire) init False
    val isSkipping = RegInit(False)
    when(io.isReset)(isSkipping := isInside).elsewhen(beat.fire && beat.last)(isSkipping := False)
    io.toDatapath << beat.haltWhen(io.isReset).throwWhen(isSkipping)
  }

  val onExit = new Area {
    val beat = Stream(BoxBeat())
    val left = Reg(UInt(beat.beats.getWidth bits)) init 0 // beats to come of the frame that goes out
    val isCut = RegInit(False)
    val first = RegNextWhen(beat.payload, beat.fire && left === 0)

    val rest = BoxBeat()
    rest.data := 0
    rest.last := left === 1
    rest.keep := Mux(
      rest.last,
      Beat.keepOf((first.size - 1).resize(log2Up(BoxBeat.lanes)), BoxBeat.dataBits),
      B"64'xFFFFFFFFFFFFFFFF"
    )
    rest.size := first.size
    rest.src := first.src
    rest.dst := first.dst

    private val whole = io.fromDatapath.haltWhen(io.isReset || isCut)
    beat.valid := whole.valid || isCut
    beat.payload := Mux(isCut, rest, whole.payload)
    whole.ready := beat.ready

    when(beat.fire) {
      left := Mux(left === 0, beat.beats, left) - 1
      when(beat.last)(left := 0)
    }
    when(beat.fire && beat.last)(isCut := False).elsewhen(io.isReset && left =/= 0)(isCut := True)
    io.toShell << beat.m2sPipe()
  }
}
