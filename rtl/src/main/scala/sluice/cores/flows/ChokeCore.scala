// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.cores.flows

import sluice.cores.red.{RedAlgorithm, RedCore, Screen}
import sluice.contract._
import spinal.core._
import spinal.lib._
import spinal.lib.misc.pipeline._

/** CHOKe: R. Pan, B. Prabhakar, K. Psounis, "CHOKe: A Stateless Active Queue Management Scheme for Approximating Fair Bandwidth
  * Allocation", INFOCOM 2000. While RED's average is above `min`, an arriving packet is compared with randomly drawn queued ones.
  * If one is of the same flow, both go; otherwise RED judges, as of 1993.
  *
  * @param candidates
  *   queued packets with which an arrival is compared
  */
class ChokeAlgorithm(val candidates: Int) extends RedAlgorithm(hasHalf = false) {
  override def name = "choke"
  override def summary =
    "CHOKe (2000): a packet that meets its own flow in the queue goes, and takes the one that it met along"
  override protected def inBytes = ""

  override def parameters: Seq[Parameter] = Seq(min, max, maxProbability, weightExponent, idleRate, ecn, hardDrop)

  val matchedDrop = Reason("Matched drop", isMark = false)
  override def reasons: Seq[Reason] = super.reasons :+ matchedDrop

  override def needs: Needs = Needs(randomWords = 1, samples = candidates, takesVictims = true, idle = true)

  override def options = Map("candidates" -> "queued packets with which an arrival is compared, 1..4")
  override protected def withOptions(chosen: Options): Algorithm =
    new ChokeAlgorithm(chosen.number("candidates", candidates, 1, 4))

  override def core(): AqmCore = new ChokeCore(this)
}

object Choke extends ChokeAlgorithm(candidates = 1)

/** RED's pipeline with the comparison before its test: stages 0 and 1. */
class ChokeCore(choke: ChokeAlgorithm) extends RedCore(choke) {
  import choke._

  private lazy val onCompare = new Area {
    val MATCHES = Payload(Bits(candidates bits))
    val IS_MATCH = Payload(Bool())
    val FIRST = Payload(UInt(Widths.index(candidates) bits)) // the first that matches

    val packet = io.arrival.packet
    nodes(0)(MATCHES) := Vec(io.arrival.samples.map(sample => sample.valid && sample.flow === packet.flow)).asBits
    nodes(1)(IS_MATCH) := nodes(1)(MATCHES).orR
    val numbers = (0 until candidates).map(U(_, Widths.index(candidates) bits))
    nodes(1)(FIRST) := PriorityMux(nodes(1)(MATCHES).asBools.zip(numbers))
    io.verdict.victim.valid := nodes(latency)(IS_CAUGHT)
    io.verdict.victim.payload := nodes(latency)(FIRST)
  }.setName("onCompare")

  override protected def screen: Option[Screen] = Some(Screen(onCompare.IS_MATCH, matchedDrop))
  override protected def holdsAtMax = true
}
