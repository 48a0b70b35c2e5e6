// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile
package registers

import spinal.core._
import spinal.lib._

/** Puts the staged parameters back to the values in force, after a reset and after a set was refused: it reads each parameter's
  * word in force and writes it to the staged one. That costs a few hundred clocks in which the host waits, instead of a
  * multiplexer before every bit.
  *
  * @param words
  *   the parameters' words, at consecutive addresses
  */
class ParameterRestore(words: Seq[Word]) extends Component {
  val io = new Bundle {
    val start = in(Bool())
    val isActive = out(Bool()) // from the clock after `start` until all is back
    val access = master(Flow(Access())) // to be taken once the last one is answered
    val answer = slave(Flow(Answer()))
  }
  private val first = words.head.address >> 2
  private val last = words.last.address >> 2

  val isActive = RegInit(True) setWhen io.start
  val isWrite = RegInit(False)
  val word = Reg(UInt(RegisterMap.addressBits - 2 bits)) init first
  val value = RegNextWhen(io.answer.data, io.answer.valid)

  io.isActive := isActive
  io.access.valid := isActive
  io.access.isWrite := isWrite
  io.access.word := Mux(isWrite, word, word | U(RegisterMap.inForce >> 2, word.getWidth bits))
  io.access.offset := 0
  io.access.data := value
  io.access.strobe.setAll()

  when(io.answer.valid) {
    isWrite := !isWrite
    when(isWrite) {
      word := word + 1
      when(word === last) {
        word := first
        isActive := False
      }
    }
  }
}
