// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.probability
package spacing

import sluice.blocks.arithmetic.WideMultiplier
import spinal.core._
import spinal.lib._
import spinal.lib.misc.pipeline._

/** RED's probability that rises with the packets since the last drop, `p / (1 - count * p)` (S. Floyd, V. Jacobson 1993, equation 3),
  * with a draw of each packet's own. [[UniformSpacing]], which keeps one draw from drop to drop, comes to the same only if every
  * packet that counts is tested.
  *
  * There is no division: `draw < p / (1 - count * p)` is `p + count * (draw * p) > draw`. The product of draw and p is Q0.36, of the
  * draw's 18 high bits.
  *
  * @param n
  *   nine consecutive nodes: the probability must be there at the first, [[isHit]] is decided at n(7), and n(8) is where the verdict
  *   leaves
  * @param probability
  *   Q1.32, at most 1
  * @param draw
  *   Q0.32
  * @param isTested
  *   whether the packet may be hit; from n(5) on
  * @param takesPart
  *   whether it counts; from n(3) on
  */
class RisingProbability(
    n: Seq[Node],
    probability: Payload[UInt],
    draw: Payload[UInt],
    isTested: Payload[Bool],
    takesPart: Node => Bool
) extends Area {
  import RestartCount.depth
  private val productBits = 36
  private val PRODUCTS = Payload(WideMultiplier.products(33, 18))
  private val PRODUCT = Payload(UInt(productBits bits))
  private val MARGIN = Payload(SInt(34 bits)) // draw - p, Q0.32
  private val NUMBER = Payload(UInt(RestartCount.bits bits))
  private val COUNTS = Payload(WideMultiplier.products(productBits, RestartCount.bits))
  private val TRIPLE = Payload(UInt(productBits + 2 bits))
  private val TOTAL = Payload(UInt(productBits + 18 bits))
  private val HITS = Payload(Bits(depth + 1 bits)) // by the packet's number
  private val OLDER = Payload(Bool())

  val state = new RestartCount(n.slice(3, 8), takesPart)

  private def isAbove(node: Node, product: UInt): Bool = {
    val margin = node(MARGIN)(32 downto 0).asUInt << 4
    node(isTested) && (node(MARGIN).msb || product > margin)
  }

  n(1)(PRODUCTS) := WideMultiplier.multiply(n(1)(probability), n(1)(draw) >> 14)
  n(1)(MARGIN) := (n(1)(draw).resize(34) - n(1)(probability).resize(34)).asSInt
  n(2)(PRODUCT) := (WideMultiplier.sum(n(2)(PRODUCTS)) >> 14).resized
  n(3)(NUMBER) := state.number
  n(4)(COUNTS) := WideMultiplier.multiply(n(4)(PRODUCT), n(4)(NUMBER))
  n(4)(TRIPLE) := n(4)(PRODUCT) +^ (n(4)(PRODUCT) << 1)

  val onFew = new Area {
    val p = n(5)(PRODUCT)
    val multiples = Seq(U(0), p, p << 1, n(5)(TRIPLE), p << 2) // 0..4 times p
    n(5)(HITS) := Vec(multiples.map(isAbove(n(5), _))).asBits
    n(5)(TOTAL) := WideMultiplier.sum(n(5)(COUNTS)).resized
  }

  n(6)(OLDER) := isAbove(n(6), n(6)(TOTAL))

  /** Whether the packet at n(7) is hit. */
  val isHit: Bool = state.select(n(7)(HITS)(depth downto 1), n(7)(HITS)(depth - 1 downto 0), n(7)(OLDER))
}

object RisingProbability {

  /** The block alone, for its test: a packet that is hit restarts the count, and others that say so. */
  class Top extends Component {
    case class Packet() extends Bundle {
      val probability = UInt(33 bits)
      val draw = UInt(32 bits)
      val isTested, takesPart, restarts, beginsFewer = Bool()
    }
    val io = new Bundle {
      val packet = slave(Flow(Packet()))
      val isHit = master(Flow(Bool())) // eight clocks later
    }
    private val nodes = Seq.fill(9)(new Node())
    nodes.head.arbitrateFrom(io.packet)
    private val PACKET = Payload(Packet())
    private val PROBABILITY = Payload(UInt(33 bits))
    private val DRAW = Payload(UInt(32 bits))
    private val IS_TESTED, IS_HIT = Payload(Bool())
    nodes.head(PACKET) := io.packet.payload
    nodes.head(PROBABILITY) := io.packet.probability
    nodes.head(DRAW) := io.packet.draw
    nodes.head(IS_TESTED) := io.packet.isTested
    private val rising =
      new RisingProbability(nodes, PROBABILITY, DRAW, IS_TESTED, n => n.isValid && n(PACKET).takesPart)
    rising.state.isRestart := rising.isHit || nodes(7)(PACKET).restarts
    rising.state.beginsFewer := nodes(7)(PACKET).beginsFewer
    nodes(7)(IS_HIT) := rising.isHit
    io.isHit.valid := nodes(8).isValid
    io.isHit.payload := nodes(8)(IS_HIT)
    Builder(nodes.zip(nodes.tail).map { case (up, down) => StageLink(up, down) })
  }
}
