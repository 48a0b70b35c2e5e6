// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.packet
package parser

import spinal.core._
import spinal.lib._

/** The flow id of [[FlowHash]] without its tables: a byte of the key per clock. A key that comes before the last byte of the one
  * before it is taken spoils that one. The secret is the one that stands when the key comes, at once.
  */
class SerialFlowHash extends Component {
  val io = new Bundle {
    val key = slave(Flow(FlowKey()))
    val secret = in(Bits(8 * FlowHash.secretBytes bits)) // first byte uppermost
    val flow = master(Flow(Bits(32 bits))) // SerialFlowHash.latency clocks later
  }

  val left = Reg(Bits(8 * FlowKey.length bits)) // of the key, next byte uppermost
  val secret = Reg(io.secret) // the next byte's first bit uppermost
  val tag = RegNextWhen(io.key.tag, io.key.valid)
  val toeplitz = Reg(Bits(32 bits))
  private val words = Seq.tabulate(8)(i => (secret |<< i).takeHigh(32).andMask(left(left.high - i)))

  when(io.key.valid) {
    left := io.key.bytes
    secret := io.secret
    toeplitz := 0
  } otherwise {
    left := left |<< 8 // zeros in the end, which change no hash
    secret := secret |<< 8
    toeplitz := toeplitz ^ words.reduceBalancedTree(_ ^ _)
  }

  io.flow.valid := Delay(io.key.valid, SerialFlowHash.latency, init = False)
  io.flow.payload := FlowHash.mix(toeplitz, tag)
}

object SerialFlowHash {

  /** Clocks from a key to its flow. */
  val latency: Int = 1 + FlowKey.length + FlowHash.mixCycles
}
