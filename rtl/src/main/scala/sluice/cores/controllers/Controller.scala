// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.cores.controllers

import sluice.blocks.controllers.{LastQueue, PacketInverse, PacketUnit}
import sluice.blocks.probability.SizedTest
import sluice.contract._
import spinal.core._
import spinal.lib.misc.pipeline._

/** The body of schemes in which a tick moves a probability by the queue, and each packet is dropped or marked with it; in byte mode with
  * that times bytes / avpkt.
  */
abstract class Controller extends Algorithm {
  protected def defaultInterval: BigDecimal

  val interval =
    Parameter("interval", "", 32, 0, "ns", defaultInterval, "time between two updates of the probability")
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
  val (ecn, markMost) = (Parameter.ecn, Parameter.markMost)
  protected def shared: Seq[Parameter] = Seq(interval, avpkt, byteMode, ecn, markMost)
  val rules =
    Seq(Rule.isAtLeast(interval, 1), Rule.isAtLeast(avpkt, PacketUnit.packet), Rule.isProbability(markMost))

  val unforcedDrop = Reason("Unforced drop", isMark = false)
  val unforcedMark = Reason("Unforced mark", isMark = true)
  val reasons = Seq(unforcedDrop, unforcedMark)

  val probabilityNow = Status("probability_now", 32, 31, "1", "probability of a drop or mark")

  val update = Tick("update", Some(interval))
  override val ticks = Seq(update)

  /** Whether ECN-capable packets are marked when they leave, and not when they arrive. */
  def atHead: Boolean = false
  def needs: Needs =
    Needs(randomWords = 1, tagBits = if (atHead) Widths.random else 0, settled = true, departed = true, head = atHead)
}

/** The probability moves beside the pipeline; a packet is tested by the one that it finds at stage 1. What is judged at the head brings
  * its draw along as its tag.
  */
abstract class ControllerCore(controller: Controller, workCycles: Int) extends AqmCore(controller) {
  import controller._
  protected val testAt = 1
  private val decideAt = testAt + SizedTest.latency
  val latency = 8
  override val headLatency: Int = if (atHead) decideAt + 1 else 0
  override def tickCycles(kind: Tick): Int = workCycles + 2

  /** Q1.31, which [[settles]] moves. */
  protected def probability: UInt

  protected val onParameters = new Area {
    val typical = RegNext(PacketUnit.typical(io.parameters(byteMode).lsb, io.parameters(avpkt)))
    private val unit = new PacketInverse(RegNext(io.apply, init = False), typical) // works for longer than a scheme may
    applyWhen(unit.isDone)
    def typicalAt(stage: Int): UInt = inForce(stage, typical, U(PacketUnit.packet, Widths.packet bits))
    val inverse = inForce(1, unit.inverse, U(PacketInverse.of(PacketUnit.packet), PacketUnit.inverseBits bits))
  }

  val SIZE = Payload(UInt(Widths.packet bits))
  nodes(0)(SIZE) := PacketUnit.size(parameter(0, byteMode).lsb, io.arrival.packet.bytes)

  /** High a clock after the tick, when the packet of the clock before it stands at stage 2, and what it then finds queued, in bytes. */
  protected val onTick = new Area {
    val tick = RegNext(io.tick(update).valid, init = False)
    private val last = new LastQueue(io)
    val queue = RegNext(PacketUnit.queue(parameter(0, byteMode).lsb, last.packets, last.bytes))
    val settles = sinceTick(update).is(tickCycles(update) + testAt - 1)
  }

  /** Whether the packet of a pipeline's first node is taken. */
  private class Test(pipeline: Seq[Node], draw: UInt, size: Payload[UInt]) extends Area {
    val DRAW, PROBABILITY = Payload(UInt(Widths.random bits))
    pipeline(0)(DRAW) := draw
    pipeline(testAt)(PROBABILITY) := probability
    private val test = new SizedTest(
      pipeline.slice(testAt, decideAt + 1),
      DRAW,
      PROBABILITY,
      size,
      typical = s => onParameters.typicalAt(testAt + s)
    )
    def isTaken: Bool = pipeline(decideAt)(test.IS_TAKEN)
  }

  private lazy val onArrival = new Area {
    val IS_ECT, MARKS = Payload(Bool())
    val IF_TAKEN, VERDICT = Payload(Verdict())
    val test = new Test(nodes, io.arrival.random(0), SIZE)
    nodes(0)(IS_ECT) := io.arrival.packet.isEct
    private val found = nodes(testAt + 1)
    found(MARKS) := found(IS_ECT) && parameter(testAt + 1, ecn).lsb &&
      !(found(test.PROBABILITY) > parameter(testAt + 1, markMost))
    private val before = nodes(decideAt - 1)
    before(IF_TAKEN) := Mux(before(MARKS), if (atHead) pass else verdict(unforcedMark), verdict(unforcedDrop))
    nodes(decideAt)(VERDICT) := Mux(test.isTaken, nodes(decideAt)(IF_TAKEN), pass)
    if (atHead) io.verdict.tag := nodes(latency)(test.DRAW).asBits
    answer(nodes(latency)(VERDICT))
  }.setCompositeName(this, "onArrival")

  private lazy val onHead = new Area {
    val HEAD_SIZE = Payload(UInt(Widths.packet bits))
    val MARKS = Payload(Bool())
    val VERDICT = Payload(Verdict())
    headNodes(0)(HEAD_SIZE) := PacketUnit.size(parameter(0, byteMode).lsb, io.head.packet.bytes)
    headNodes(0)(MARKS) := io.head.packet.isEct && parameter(0, ecn).lsb
    val test = new Test(headNodes, io.head.packet.tag.asUInt, HEAD_SIZE)
    headNodes(decideAt)(VERDICT) := Mux(test.isTaken && headNodes(decideAt)(MARKS), verdict(unforcedMark), pass)
    answerHead(headNodes(headLatency)(VERDICT), restart = False)
  }.setCompositeName(this, "onHead")

  /** Called at the end of the core. */
  protected def buildController(): Unit = {
    onArrival
    if (atHead) onHead
    show(probabilityNow, probability, shownAt = testAt)
    buildPipeline()
  }
}
