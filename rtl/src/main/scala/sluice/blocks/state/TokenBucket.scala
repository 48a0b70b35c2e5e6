// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.state

import sluice.blocks.arithmetic.WideMultiplier
import sluice.contract.Widths
import spinal.core._
import spinal.lib._
import spinal.lib.misc.pipeline._

/** A bucket of so many packets, filled at a rate in packets per second: lets pass what it has a token for. Time is counted in 512 ns,
  * and then exactly, in units of 5^-9 packets: each 512 ns bring as many as the rate has packets per second.
  *
  * What is kept is how much it lacks. An arrival takes off what the time since the arrival before has brought, and one that passes adds a
  * packet. Both outcomes of an arrival are worked out for the next one while it is not yet known which it will be, and whether each
  * would leave a token.
  *
  * @param nodes
  *   the pipeline of arrivals
  * @param at
  *   the node at which an arrival takes its token, at least 7
  * @param nowNs
  *   at node 0
  * @param rate
  *   packets per second, at node [[TokenBucket.rateAt]]
  * @param room
  *   one packet less than the bucket holds, in its units, at the node before the last one before `at`; nobody asks a bucket that
  *   holds none
  */
class TokenBucket(nodes: Seq[Node], at: Int, nowNs: UInt, rate: UInt, room: UInt) extends Area {
  import TokenBucket._

  val onPause = new Area {
    private val (n, m) = (nodes(0), nodes(1))
    private val now = nowNs >> unitBits
    val before = Reg(cloneOf(now)) init 0
    when(n.isValid)(before := now)
    val PASSED = Payload(cloneOf(now))
    val PAUSE = Payload(UInt(pauseBits bits))
    n(PASSED) := now - before
    m(PAUSE) := Mux((m(PASSED) >> pauseBits) =/= 0, longest, m(PASSED).resize(pauseBits))
  }

  val onGain = new Area {
    private val (products, sum, kept) = (nodes(rateAt + 1), nodes(rateAt + 2), nodes(gainAt))
    val PRODUCTS = Payload(WideMultiplier.products(pauseBits, rate.getWidth))
    val PRODUCT = Payload(UInt(pauseBits + rate.getWidth bits))
    val GAIN = Payload(UInt(levelBits bits))
    products(PRODUCTS) := WideMultiplier.multiplyApart(nodes(rateAt)(onPause.PAUSE), rate)
    private val bits = pauseBits + rate.getWidth
    sum(PRODUCT) := Mux(sum.isValid, WideMultiplier.sum(sum(PRODUCTS)).resize(bits), U(0, bits bits))
    private val isAll = (kept(PRODUCT) >> levelBits) =/= 0 // fills it, whatever it lacks
    kept(GAIN) := Mux(isAll, U((1 << levelBits) - 1, levelBits bits), kept(PRODUCT).resize(levelBits))
  }

  val onLevel = new Area {
    private val (prepared, next) = (nodes(at - 2), nodes(at - 1))
    private val packet = S(TokenBucket.packet, levelBits + 2 bits)
    val IF_KEPT, IF_TAKEN, MOST_IF_TAKEN = Payload(SInt(levelBits + 2 bits))
    val MOST = Payload(UInt(levelBits + 1 bits)) // that it may lack, with a token left for the next
    prepared(IF_KEPT) := -prepared(onGain.GAIN).intoSInt.resize(levelBits + 2)
    prepared(IF_TAKEN) := packet - prepared(onGain.GAIN).intoSInt
    prepared(MOST) := room +^ prepared(onGain.GAIN)
    prepared(MOST_IF_TAKEN) := prepared(MOST).intoSInt - packet

    /** What it lacks for the arrival at node `at`; below 0 it is full. */
    val level = Reg(SInt(levelBits + 2 bits)) init 0
    val lacks = level.asUInt.resize(levelBits).andMask(!level.msb)
    val hasToken = RegInit(True)

    /** Whether that arrival takes a token, if there is one. */
    val isAsked = Bool()
    val isTaken = isAsked && hasToken

    private val wide = lacks.resize(levelBits + 2).asSInt
    level := wide + Mux(isTaken, next(IF_TAKEN), next(IF_KEPT))
    hasToken := Mux(isTaken, !(next(MOST_IF_TAKEN) - wide).msb, !(next(MOST) -^ lacks).msb)
  }
}

object TokenBucket {

  /** One packet in the bucket's units: 10^9 ns at one packet per second. */
  val packet: Int = 1953125

  /** Node at which the rate is taken. */
  val rateAt = 2

  /** Node at which it is known what the time since the arrival before has brought. */
  val gainAt: Int = rateAt + 3

  /** A bucket of 255 packets. */
  val levelBits = 29

  private val unitBits = 9

  /** A pause longer than 17 s counts as that. */
  private val pauseBits = 25
  private def longest = U((1 << pauseBits) - 1, pauseBits bits)

  /** The room of a bucket of so many packets, three clocks later. */
  def roomOf(packets: UInt): UInt = {
    val most = WideMultiplier.multiplyApart(U(packet), RegNext(packets - 1))
    RegNext(WideMultiplier.sum(most)).resize(levelBits)
  }

  /** The bucket alone, for its test: of a size that stays, asked by some of the arrivals. */
  class Top extends Component {
    private val at = 8
    val io = new Bundle {
      val arrival = slave(Flow(Bool())) // it asks
      val nowNs = in(UInt(Widths.timeNs bits))
      val rate = in(UInt(16 bits)) // of the arrival two clocks ago
      val packets = in(UInt(8 bits))

      /** The clock after its node. */
      val isTaken = master(Flow(Bool()))
      val lacks = out(UInt(levelBits bits))
    }
    private val nodes = Seq.fill(at + 1)(new Node())
    nodes.head.arbitrateFrom(io.arrival)
    private val ASKS = Payload(Bool())
    nodes.head(ASKS) := io.arrival.payload
    private val bucket = new TokenBucket(nodes, at, io.nowNs, io.rate, roomOf(io.packets))
    bucket.onLevel.isAsked := nodes(at).isValid && nodes(at)(ASKS)
    io.isTaken.valid := RegNext(nodes(at).isValid, init = False)
    io.isTaken.payload := RegNext(bucket.onLevel.isTaken)
    io.lacks := RegNext(bucket.onLevel.lacks)
    Builder(nodes.zip(nodes.tail).map { case (up, down) => StageLink(up, down) })
  }
}
