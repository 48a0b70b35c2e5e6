// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.cores.controllers

import sluice.blocks.controllers.{LastQueue, PacketInverse, PacketUnit, RemPrice}
import sluice.blocks.probability.SizedTest
import sluice.contract._
import spinal.core._
import spinal.lib._
import spinal.lib.misc.pipeline._

/** REM: S. Athuraliya, V. Li, S. Low, Q. Yin, "REM: Active Queue Management", IEEE Network 2001. A price follows the queue and the load,
  * and with it the probability of a drop or mark. One arrival per clock.
  *
  * @param atHead
  *   whether ECN-capable packets are marked when they leave, as by ns-2's `rem.cc`, and not when they arrive. The packet's draw travels
  *   with it as its tag.
  */
class RemAlgorithm(val atHead: Boolean) extends Algorithm {
  val name = "rem"
  val summary = "REM (2001): a price that follows the queue and the load, and a probability that grows with it"

  val gain = Parameter(
    "gain",
    "",
    32,
    42,
    "1",
    BigDecimal("1.4419741739e-6"),
    "gamma log2 phi, the paper's step and base as one: what log2 1/(1 - m) rises by for each packet of mismatch"
  )
  val alpha = Parameter("alpha", "", 18, 18, "1", BigDecimal("0.1"), "weight of the queue against the load")
  val target = Parameter("target", "", 18, 0, "packets", 20, "b*: the queue that is wanted")
  val capacity = Parameter(
    "capacity",
    "",
    32,
    14,
    "packets",
    BigDecimal("2.5"),
    "c: typical packets that the link sends in one `interval`; who sets that one sets this one too",
    follows = Some(Fact.ratePps * BigDecimal("0.002"))
  )
  val interval = Parameter("interval", "", 32, 0, "ns", 2000000, "T: time between two updates of the price")
  val avpkt = Parameter(
    "avpkt",
    "",
    Widths.packet,
    0,
    "bytes",
    1000,
    "typical packet: in byte mode so many bytes are a packet",
    follows = Some(Fact.packetBytes)
  )
  val byteMode =
    Parameter.flag("byte_mode", "", default = false, "count bytes, and scale the probability by packet size")
  val ecn = Parameter.ecn
  val parameters = Seq(gain, alpha, target, capacity, interval, avpkt, byteMode, ecn)
  val rules = Seq(Rule.isAtLeast(interval, 1), Rule.isAtLeast(avpkt, PacketUnit.packet))

  val unforcedDrop = Reason("Unforced drop", isMark = false)
  val unforcedMark = Reason("Unforced mark", isMark = true)
  val reasons = Seq(unforcedDrop, unforcedMark)

  val price = Status("price", 32, 28, "1", "p log2 phi: how often the price halves what passes")
  val probabilityNow = Status("probability_now", 32, 31, "1", "m: probability of a drop or mark")
  val status = Seq(price, probabilityNow)

  val update = Tick("price", Some(interval))
  override val ticks = Seq(update)
  val needs =
    Needs(randomWords = 1, tagBits = if (atHead) Widths.random else 0, settled = true, departed = true, head = atHead)

  override val options = Map("marks" -> "where ECN-capable packets are marked: at the `arrival`, or at the `head`")
  override protected def withOptions(settings: Map[String, String]): Algorithm = {
    val marks = settings("marks")
    require(Set("arrival", "head")(marks), s"marks must be arrival or head, not $marks")
    new RemAlgorithm(atHead = marks == "head")
  }

  def core(): AqmCore = new RemCore(this)
}

object Rem extends RemAlgorithm(atHead = false)

/** The price moves beside the pipeline; a packet is tested by the probability that it finds at stage 1. */
class RemCore(rem: RemAlgorithm) extends AqmCore(rem) {
  import rem._
  private val testAt = 1
  private val decideAt = testAt + SizedTest.latency
  val latency = 7
  override val headLatency: Int = if (atHead) decideAt + 1 else 0
  override def tickCycles(kind: Tick): Int = RemPrice.cycles + 2

  val onParameters = new Area {
    private val raw = io.parameters
    private val typical = RegNext(PacketUnit.typical(raw(byteMode).lsb, raw(avpkt)))
    private val inverse = new PacketInverse(RegNext(io.apply, init = False), typical) // takes longer than the level
    private val level = RemPrice.level(raw(capacity), raw(alpha), raw(target), typical)
    applyWhen(inverse.isDone)

    private def first = U(PacketUnit.packet, Widths.packet bits)
    def typicalAt(stage: Int): UInt = inForce(stage, typical, first)
    val inverseNow = inForce(1, inverse.inverse, U(PacketInverse.of(PacketUnit.packet), PacketUnit.inverseBits bits))
    private val firstLevel = RemPrice.level(capacity.raw, alpha.raw, target.raw, PacketUnit.packet)
    val levelNow = inForce(1, level, U(firstLevel, RemPrice.levelBits bits))
  }

  val onPrice = new Area {
    val SIZE = Payload(UInt(Widths.packet bits))
    nodes(0)(SIZE) := PacketUnit.size(parameter(0, byteMode).lsb, io.arrival.packet.bytes)
    val counted = Flow(UInt(Widths.packet bits))
    counted.valid := nodes(1).isValid
    counted.payload := nodes(1)(SIZE)
    private val last = new LastQueue(io)
    val price = new RemPrice(
      counted,
      tick = RegNext(io.tick(update).valid, init = False),
      settles = sinceTick(update).is(tickCycles(update) + testAt - 1),
      queue = RegNext(PacketUnit.queue(parameter(0, byteMode).lsb, last.packets, last.bytes)),
      onParameters.levelNow,
      onParameters.inverseNow,
      parameter(1, alpha),
      parameter(1, gain)
    )
  }

  /** Whether the packet of a pipeline's first node is taken. */
  private def tested(pipeline: Seq[Node], draw: UInt, size: Payload[UInt]) = new Area {
    val DRAW, PROBABILITY = Payload(UInt(Widths.random bits))
    pipeline(0)(DRAW) := draw
    pipeline(testAt)(PROBABILITY) := onPrice.price.probability
    val test = new SizedTest(
      pipeline.slice(testAt, decideAt + 1),
      DRAW,
      PROBABILITY,
      size,
      typical = s => onParameters.typicalAt(testAt + s)
    )
    val IS_TAKEN = test.IS_TAKEN
  }

  val onArrival = new Area {
    val IS_ECT = Payload(Bool())
    val IF_TAKEN, VERDICT = Payload(Verdict())
    val test = tested(nodes, io.arrival.random(0), onPrice.SIZE)
    nodes(0)(IS_ECT) := io.arrival.packet.isEct
    private val before = nodes(decideAt - 1)
    private val marks = before(IS_ECT) && parameter(decideAt - 1, ecn).lsb
    before(IF_TAKEN) := Mux(marks, if (atHead) pass else verdict(unforcedMark), verdict(unforcedDrop))
    private val n = nodes(decideAt)
    n(VERDICT) := Mux(n(test.IS_TAKEN), n(IF_TAKEN), pass)
    if (atHead) io.verdict.tag := nodes(latency)(test.DRAW).asBits
  }

  val onHead = atHead generate new Area {
    val SIZE = Payload(UInt(Widths.packet bits))
    val MARKS = Payload(Bool())
    val VERDICT = Payload(Verdict())
    headNodes(0)(SIZE) := PacketUnit.size(parameter(0, byteMode).lsb, io.head.packet.bytes)
    val test = tested(headNodes, io.head.packet.tag.asUInt, SIZE)
    headNodes(0)(MARKS) := io.head.packet.isEct && parameter(0, ecn).lsb
    private val n = headNodes(decideAt)
    n(VERDICT) := Mux(n(test.IS_TAKEN) && n(MARKS), verdict(unforcedMark), pass)
    answerHead(headNodes(headLatency)(VERDICT), restart = False)
  }

  show(price, (onPrice.price.price >> (RemPrice.fraction - price.fraction)).resized, shownAt = testAt)
  show(probabilityNow, onPrice.price.probability, shownAt = testAt)
  viewAt(testAt, "price", onPrice.price.price)
  viewAt(2, "counted", onPrice.price.onCount.count)

  answer(nodes(latency)(onArrival.VERDICT))
  buildPipeline()
}
