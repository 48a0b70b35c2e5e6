// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.flows

import sluice.blocks.arithmetic.{Multiplier, WideMultiplier}
import sluice.blocks.state.DeepMemory
import spinal.core._
import spinal.lib._
import spinal.lib.misc.pipeline._

/** Draws for each packet of a flow with a probability P: it is hit when u < P / (1 - count P), with the number of the flow's packets
  * since the last one that was dropped; so the gap between two drops is uniform on 1..1/P (RED's spreading of 1993, flow by flow).
  *
  * Without a division it is hit when u - P < count u P. The counts are in block memory, and the product takes some clocks. So it is
  * taken for the case that no packet of the flow in these clocks is dropped, and beside it stand the few cases that one is, where
  * the count is 0..5: the loop that remains only selects. A flow without a probability counts nothing, and so begins at 0.
  *
  * @param n
  *   nodes from one at which `known` stands; the packet is decided on at n([[FlowDraw.decideAt]])
  * @param draw
  *   Q0.18, at n(0)
  */
class FlowDraw(n: Seq[Node], known: KnownFlows, draw: Payload[UInt]) extends Area {
  import FlowDraw._
  import known.{IS_KNOWN, PLACE, PROBABILITY}
  private val bits = KnownFlow.probabilityBits

  /** Whether the packet's flow has a probability, from n(1) on. */
  val IS_DRAWN = Payload(Bool())

  /** Whether the packet is hit, at n(decideAt): where the packet right before it was dropped, and where it was not. */
  val HITS_AFTER_DROP, HITS_AFTER_PASS = Payload(Bool())

  /** The count before the packet, at n(decideAt). */
  val COUNT = Payload(UInt(countBits bits))

  /** To be driven at n(decideAt): the packet is dropped, and the count begins anew behind it. */
  val IS_DROPPED = Payload(Bool())

  private val DIFFERENCE = Payload(SInt(bits + 1 bits)) // u - P
  private val PRODUCT = Payload(UInt(2 * bits bits)) // u P
  private val TRIPLE, FIVEFOLD = Payload(UInt(2 * bits + 3 bits))
  private val SAME = Payload(Bits(depth bits)) // the packet j + 1 before is of this flow
  private val AHEAD = Payload(UInt(3 bits)) // how many of these
  private val BETWEEN =
    Seq.tabulate(depth - 1)(j => Payload(UInt(log2Up(j + 2) bits))) // how many came after that of j + 2 before
  private val OLD_COUNT, NEXT_COUNT = Payload(UInt(countBits bits))
  private val HITS = Payload(Bits(depth bits)) // by counts from 0
  private val RECENT = Payload(Bits(depth bits)) // hit if the packet j + 1 before was dropped
  private val PRODUCTS = Payload(WideMultiplier.products(2 * bits, countBits))
  private val TIMES = Payload(UInt(bits + countBits bits))
  private val IS_OLD = Payload(Bool()) // none of the packets further ahead than two restarts the count
  private val FAR_HIT = Payload(Bool()) // and if one does
  private val FAR_COUNT = Payload(UInt(3 bits))
  private val RESTARTS = Payload(Bool()) // the count begins anew behind the packet
  private val counts = new DeepMemory(countBits, FlowPlaces.places)
  private val isWriting = Bool()
  private val written = UInt(countBits bits)

  val onMultiply = new Area {
    n(0)(IS_DRAWN) := n(0)(PROBABILITY) =/= 0
    n(0)(DIFFERENCE) := (n(0)(draw) -^ n(0)(PROBABILITY)).asSInt
    n(1)(PRODUCT) := Multiplier(n(0)(draw), n(0)(PROBABILITY))
    n(2)(TRIPLE) := n(2)(PRODUCT).resize(2 * bits + 3) + (n(2)(PRODUCT) << 1)
    n(2)(FIVEFOLD) := n(2)(PRODUCT).resize(2 * bits + 3) + (n(2)(PRODUCT) << 2)
    val p = n(3)(PRODUCT)
    val multiples =
      Seq(U(0), p, p << 1, n(3)(TRIPLE), p << 2, n(3)(FIVEFOLD)).map(_.resize(2 * bits + 3))
    n(3)(HITS) := Vec(multiples.map(m => n(3)(DIFFERENCE) < (m >> bits).intoSInt)).asBits
  }

  val onCount = new Area {
    private val at = n(1)
    at(SAME) := Vec((1 to depth).map { j =>
      val ahead = n(1 + j)
      at(IS_KNOWN) && ahead.isValid && ahead(IS_KNOWN) && ahead(PLACE) === at(PLACE)
    }).asBits
    n(2)(AHEAD) := CountOne(n(2)(SAME))
    for ((between, j) <- BETWEEN.zipWithIndex) n(2)(between) := CountOne(n(2)(SAME)(j downto 0)).resized
    // The count belongs to n(3). A word that is being written is not to be had of the memory.
    val isWrittenNow = isWriting && n(decideAt + 1)(PLACE) === at(PLACE)
    val stored = Mux(Delay(isWrittenNow, 2), Delay(written, 2), RegNext(counts.readSync(at(PLACE))).asUInt)
    n(3)(OLD_COUNT) := (stored +^ n(3)(AHEAD)).sat(1)
    private val behind = BETWEEN.zipWithIndex.map { case (between, j) => n(4)(HITS)(j + 1 downto 0)(n(4)(between)) }
    n(4)(RECENT) := Vec(n(4)(HITS)(0) +: behind).asBits
    n(5)(PRODUCTS) := WideMultiplier.multiplyApart(n(4)(PRODUCT), n(4)(OLD_COUNT))
    n(5)(TIMES) := (WideMultiplier.sum(n(5)(PRODUCTS)) >> bits).resized
  }

  val onSelect = new Area {
    // The packets further ahead than the last two are decided on, then the one further ahead than the last.
    private val far = n(decideAt - 2)
    val restarts = (2 until depth).map(j => far(SAME)(j) && n(decideAt - 1 + j)(RESTARTS))
    val last = OHMasking.first(Vec(restarts).asBits)
    far(IS_OLD) := !restarts.orR
    far(FAR_HIT) := (last & far(RECENT)(depth - 1 downto 2)).orR
    far(FAR_COUNT) := MuxOH(last, BETWEEN.tail.map(far(_).resize(3)))

    private val near = n(decideAt - 1)
    val isNear = near(SAME)(1) && n(decideAt + 1)(RESTARTS)
    // The comparison is known last; which outcome it is one of is known by then.
    val isBeyond = near(DIFFERENCE) < near(TIMES).intoSInt
    def hits(isRestarted: Bool): Bool = {
      val isCompared = near(IS_OLD) && !isNear && !isRestarted
      val other = Mux(isRestarted, near(RECENT)(0), Mux(isNear, near(RECENT)(1), near(FAR_HIT)))
      Mux(isCompared, isBeyond, other)
    }
    near(HITS_AFTER_DROP) := hits(near(SAME)(0))
    near(HITS_AFTER_PASS) := hits(near(SAME)(0) && !n(decideAt)(IS_DRAWN))
    near(NEXT_COUNT) := Mux(near(IS_OLD), near(OLD_COUNT), near(FAR_COUNT).resize(countBits))
    when(isNear)(near(NEXT_COUNT) := near(BETWEEN.head).resized)
  }

  val onDecide = new Area {
    private val at = n(decideAt)
    at(RESTARTS) := at(IS_DROPPED) || !at(IS_DRAWN)
    val isRestarted = at(SAME)(0) && n(decideAt + 1)(RESTARTS)
    at(COUNT) := Mux(isRestarted, U(0), at(NEXT_COUNT))
    private val after = n(decideAt + 1)
    val next = (after(COUNT) +^ 1).sat(1)
    isWriting := after.isValid && after(IS_KNOWN)
    written := Mux(after(RESTARTS), U(0, countBits bits), next)
    counts.write(after(PLACE), written.asBits, isWriting)
  }

  /** count u P, by which the packet at n(decideAt) is hit. */
  def rise: UInt = {
    val isMultiplied = RegNext(n(decideAt - 1)(IS_OLD) && !onSelect.isNear) && !onDecide.isRestarted
    val few = onMultiply.multiples.map(multiple => Delay(multiple >> bits, decideAt - 3))
    val at = n(decideAt)
    Mux(isMultiplied, at(TIMES), Vec(few).read(at(COUNT).resize(3)).resize(bits + countBits))
  }
}

object FlowDraw {

  /** Packets between reading a count and writing it. */
  private val depth = 6

  val decideAt = 7
  val countBits = 16
}
