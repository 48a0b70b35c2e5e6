// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.packet
package parser

import spinal.core._
import spinal.lib._

/** The flow id of a key: Toeplitz hash over the key's bytes with a secret of 40 bytes, then a mixer that maps 32 bits onto 32
  * bits one to one. Without the secret no one can choose keys that collide; the mixer spreads what the linear hash leaves
  * regular. The tag joins between the two, so that the hash of an address pair is the published one.
  *
  * One key per clock, [[FlowHash.latency]] clocks; see [[ToeplitzTables]]. Sources: the Toeplitz hash of receive-side scaling,
  * Microsoft; the mixer is B. Jenkins' integer hash of shifts and additions, each line of which can be undone.
  */
class FlowHash extends Component {
  val io = new Bundle {
    val key = slave(Flow(FlowKey()))
    val secret = in(Bits(8 * FlowHash.secretBytes bits)) // first byte uppermost
    val isNew = in(Bool()) // it has changed
    val isComplete = out(Bool()) // hashes are those of the secret
    val toeplitz = out(Bits(32 bits)) // before the tag, for tests
    val flow = master(Flow(Bits(32 bits)))
  }

  val onToeplitz = new Area {
    val tables = new ToeplitzTables(io.secret, io.isNew)
    io.isComplete := tables.isComplete
    private def sum(words: Seq[Bits]): Seq[Bits] =
      words.grouped(FlowHash.group).map(g => RegNext(g.reduce(_ ^ _))).toSeq
    private val levels = Seq.iterate(tables.read(io.key.bytes), FlowHash.sumCycles + 1)(words => sum(words))
    require(levels.last.size == 1)
    val hash = levels.last.head
    val tag = Delay(io.key.tag, FlowHash.readCycles + FlowHash.sumCycles)
  }
  io.toeplitz := onToeplitz.hash

  val onMix = new Area {
    io.flow.payload := FlowHash.mix(onToeplitz.hash, onToeplitz.tag)
    io.flow.valid := Delay(io.key.valid, FlowHash.latency, init = False)
  }
}

object FlowHash {
  val secretBytes = 40

  /** The secret of the published test vectors, in force after reset: good for tests, and known to all. */
  val publishedSecret: Seq[BigInt] = Seq(
    "6d5a56da",
    "255b0ec2",
    "4167253d",
    "43a38fb0",
    "d0ca2bcb",
    "ae7b30b4",
    "77cb2da3",
    "8030f20c",
    "6a42b73b",
    "beac01fa"
  ).map(BigInt(_, 16))

  private val group = 8 // 32 words in two levels
  private val sumCycles = 2
  private val readCycles = 2

  private def constant(hex: String): UInt = U(BigInt(hex, 16), 32 bits)

  /** The lines of the mixer, one clock each. */
  private val mixer: Seq[UInt => UInt] = Seq(
    a => (a + constant("7ed55d16")) + (a |<< 12),
    a => (a ^ constant("c761c23c")) ^ (a |>> 19),
    a => (a + constant("165667b1")) + (a |<< 5),
    a => (a + constant("d3a2646c")) ^ (a |<< 9),
    a => (a + constant("fd7046c5")) + (a |<< 3),
    a => (a ^ constant("b55a4f09")) ^ (a |>> 16)
  )

  /** The flow id of a key's hash and tag, `mixCycles` clocks later. */
  def mix(hash: Bits, tag: Bits): Bits = {
    val start = RegNext(hash.asUInt ^ tag.asUInt.resize(32))
    mixer.foldLeft(start)((a, line) => RegNext(line(a))).asBits
  }
  val mixCycles: Int = 1 + mixer.size

  val latency: Int = readCycles + sumCycles + mixCycles
}
