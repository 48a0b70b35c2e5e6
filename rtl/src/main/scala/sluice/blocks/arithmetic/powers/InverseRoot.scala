// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.arithmetic
package powers

import spinal.core._
import spinal.lib._
import spinal.lib.misc.pipeline._

/** 1 / sqrt(value) of a 32-bit number, a new one in each clock: [[ROOT]] in Q1.17, above 1/2, and how often it is to be halved,
  * [[HALVINGS]], at n([[InverseRoot.latency]]). Of 0 it is that of 1.
  *
  * The number is 2^e times something from 1 to 2. With e = 2 h or 2 h + 1 the root is 2^-h times one of a number from 1 to 4, which
  * a table of 1,024 entries has: exact to its rounding up to 1,023, beyond that at most 0.1 % too large.
  */
class InverseRoot(n: Seq[Node], value: UInt) extends Area {
  import InverseRoot._
  val ROOT = Payload(UInt(fraction + 1 bits))
  val HALVINGS = Payload(UInt(4 bits))

  private val normal = new Normalizer(n, value)
  private val exponent = ~n(2)(normal.ZEROS) // 31 - zeros
  n(2)(HALVINGS) := exponent >> 1

  private val table = Mem(UInt(fraction + 1 bits), entries.map(U(_, fraction + 1 bits)))
  // Block memory and a register: belongs to the node two behind the address.
  n(latency)(ROOT) := RegNext(table.readSync(exponent.lsb.asUInt @@ normal.mantissa(mantissaBits)))
}

object InverseRoot {
  val latency = 4
  val fraction = 17
  private val mantissaBits = 9

  private val entries: Seq[BigInt] = {
    val half = 1 << mantissaBits
    Seq.tabulate(2 * half)(i => (1 + (i % half).toDouble / half) * (1 + i / half)).map { x =>
      BigInt(scala.math.round((1 << fraction) / scala.math.sqrt(x)))
    }
  }

  /** The same with ports, for its test. */
  class Top extends Component {
    val io = new Bundle {
      val value = slave(Flow(UInt(32 bits)))
      val root = master(Flow(UInt(fraction + 1 bits)))
      val halvings = out(UInt(4 bits))
    }
    private val n = Seq.fill(latency + 1)(new Node())
    n.head.arbitrateFrom(io.value)
    private val inverse = new InverseRoot(n, io.value.payload)
    io.root.valid := n.last.isValid
    io.root.payload := n.last(inverse.ROOT)
    io.halvings := n.last(inverse.HALVINGS)
    Builder(n.zip(n.tail).map { case (up, down) => StageLink(up, down) })
  }
}
