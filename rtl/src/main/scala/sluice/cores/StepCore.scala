// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.cores

import sluice.contract._
import spinal.core._
import spinal.lib.misc.pipeline._

/** Step: marks every packet beyond a threshold, as DCTCP wants it (RFC 8257, section 3.1): by what the packet finds queued, or when it
  * leaves by what it leaves behind and by the time that it waited. One arrival per clock, and one head; no state and no draw.
  *
  * @param atHead
  *   whether packets are judged when they leave
  */
class StepAlgorithm(val atHead: Boolean) extends Algorithm {
  val name = "step"
  val summary = "Step marking (DCTCP, RFC 8257): marks every packet beyond a threshold of packets, bytes or time"

  private def threshold(name: String, width: Int, unit: String, default: BigInt, doc: String) =
    Parameter(name, "", width, 0, unit, BigDecimal(default), s"$doc; ${off(width)}: any")
  private def off(width: Int) = (BigInt(1) << width) - 1 // no queue is beyond that

  private val queue = if (atHead) "packets that may be behind one that leaves" else "packets that one may find queued"
  val thresholdPackets = threshold("threshold_packets", Widths.maxPackets, "packets", 20, s"K: $queue")
  val thresholdBytes =
    threshold("threshold_bytes", Widths.maxBytes, "bytes", off(Widths.maxBytes), "the same in bytes")
  val thresholdNs =
    threshold("threshold_ns", 32, "ns", off(32), "time that a packet may wait")
  val dropNotEct =
    Parameter.flag("drop_not_ect", "", default = false, "drop what is beyond a threshold and cannot be marked")
  val parameters = Seq(thresholdPackets, thresholdBytes) ++ (if (atHead) Seq(thresholdNs) else Nil) :+ dropNotEct
  val rules = Seq.empty

  val forcedDrop = Reason("Forced drop", isMark = false)
  val forcedMark = Reason("Forced mark", isMark = true)
  val reasons = Seq(forcedDrop, forcedMark)

  val status = Seq.empty
  val needs = Needs(head = atHead)

  override val options = Map("at" -> "where packets are judged: at the `arrival`, or at the `head`")
  override protected def withOptions(chosen: Options): Algorithm =
    new StepAlgorithm(chosen.oneOf("at", atHead, "arrival" -> false, "head" -> true))

  def core(): AqmCore = new StepCore(this)
}

object Step extends StepAlgorithm(atHead = false)

/** Stage 0 compares what is queued and finds the time waited, stage 1 compares that, stage 2 has the verdict. */
class StepCore(step: StepAlgorithm) extends AqmCore(step) {
  import step._
  val latency = if (atHead) 8 else 7 // the least that a tile takes
  override val headLatency: Int = if (atHead) 3 else 0

  applyWhen(RegNext(io.apply, init = False))

  /** The verdict on a packet of a pipeline. */
  private class Judgment(n: Seq[Node], isEct: Bool, packets: UInt, bytes: UInt) extends Area {
    val IS_ECT, IS_LONG, IS_BEYOND = Payload(Bool())
    val VERDICT = Payload(Verdict())
    n(0)(IS_ECT) := isEct
    n(0)(IS_LONG) := packets > parameter(0, thresholdPackets) || bytes > parameter(0, thresholdBytes)
    n(1)(IS_BEYOND) := n(1)(IS_LONG) || isLate(n)
    n(2)(VERDICT) := pass
    when(n(2)(IS_BEYOND)) {
      when(n(2)(IS_ECT))(n(2)(VERDICT) := verdict(forcedMark))
        .elsewhen(parameter(2, dropNotEct).lsb)(n(2)(VERDICT) := verdict(forcedDrop))
    }
  }

  /** Whether a packet of the heads has waited for longer than it may. */
  private def isLate(n: Seq[Node]): Bool =
    if (!atHead) False
    else {
      val WAITED = Payload(UInt(Widths.timeNs bits)).setName("WAITED")
      n(0)(WAITED) := io.head.nowNs - io.head.packet.queuedNs
      viewHeadAt(1, "waited", n(1)(WAITED))
      val isAny = inForce(1, io.parameters(thresholdNs).andR, True)
      !isAny && ((n(1)(WAITED) >> 32) =/= 0 || n(1)(WAITED)(31 downto 0) > parameter(1, thresholdNs))
    }

  if (atHead) {
    val onHead =
      new Judgment(headNodes, io.head.packet.isEct, io.head.queuePackets, io.head.queueBytes)
        .setCompositeName(this, "onHead")
    answer(pass)
    answerHead(headNodes(headLatency)(onHead.VERDICT), restart = False)
  } else {
    val onArrival =
      new Judgment(nodes, io.arrival.packet.isEct, io.arrival.queuePackets, io.arrival.queueBytes)
        .setCompositeName(this, "onArrival")
    answer(nodes(latency)(onArrival.VERDICT))
  }
  buildPipeline()
}
