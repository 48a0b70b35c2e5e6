// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.boards

import spinal.core._
import spinal.lib._
import spinal.lib.com.eth._

/** Symbols to frames without preamble and FCS, from the parts of SpinalHDL's MAC. `error` at a frame's last byte says that its FCS
  * is wrong, the PHY saw an error in it, or it is shorter than Ethernet allows. Of less than a byte and an FCS nothing remains.
  */
class MacReceiver extends Component {
  val io = new Bundle {
    val symbol = in(Symbol())
    val frame = master(Flow(Fragment(PhyRx(8))))
  }

  // The last byte of a frame is known by the next symbol.
  val symbol = RegNext(io.symbol)
  private val bytes = Stream(Fragment(PhyRx(8)))
  bytes.valid := symbol.isFrame
  bytes.data := symbol.data
  bytes.error := symbol.isError
  bytes.last := !io.symbol.isFrame

  val preamble = MacRxPreamble(8)
  val fcs = MacRxChecker(8)
  preamble.io.input << bytes
  fcs.io.input << preamble.io.output

  // A byte is of the frame if four more come: the FCS.
  val onCut = new Area {
    private val fcsBytes = 4
    private val leastBytes = 64
    val byte = fcs.io.output.toFlow
    val held = History(byte.data, 1 to fcsBytes, when = byte.valid)
    val count = Reg(UInt(log2Up(leastBytes) bits)) init 0 // bytes before this one, saturated
    val hasError = Reg(Bool()) init False
    when(byte.valid) {
      when(!count.andR)(count := count + 1)
      hasError := hasError || byte.error
      when(byte.last) {
        count := 0
        hasError := False
      }
    }
    io.frame.valid := RegNext(byte.valid && !(count < fcsBytes)) init False
    io.frame.data := RegNext(held.last)
    io.frame.last := RegNext(byte.last)
    io.frame.error := RegNext(hasError || byte.error || !count.andR)
  }
}

/** Frames to symbols, from the parts of SpinalHDL's MAC: pads to 60 bytes, adds preamble and FCS, and keeps gaps of 12 bytes. A frame
  * that has begun must go on without gaps.
  */
class MacTransmitter extends Component {
  val io = new Bundle {
    val frame = slave(Stream(Fragment(PhyTx(8))))
    val symbol = out(Symbol())
  }

  val padder = MacTxPadder(8)
  val crc = MacTxCrc(8)
  val header = MacTxHeader(8)
  val gap = MacTxInterFrame(8)
  padder.io.input << io.frame.s2mPipe().m2sPipe()
  crc.io.input << padder.io.output
  header.io.input << crc.io.output.s2mPipe().m2sPipe()
  gap.io.input << header.io.output
  io.symbol.isFrame := gap.io.output.valid
  io.symbol.isError := False
  io.symbol.data := gap.io.output.data
}
