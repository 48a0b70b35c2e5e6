// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.cores.flows

import sluice.blocks.averages.Ewma
import sluice.blocks.estimators.{InverseFrequency, ZombieList}
import sluice.blocks.probability.{FlowScaling, HitTest, Sampler}
import sluice.contract._
import spinal.core._
import spinal.lib.misc.pipeline._

/** A form of SRED: by which of the paper's two factors the probability is multiplied.
  *
  * @param scalesByFlows
  *   min(1, (1/(256 P))^2): few flows are dropped less
  * @param weighsHits
  *   1 + Hit/P: who meets its own flow in the list is dropped more
  */
sealed abstract class SredForm(val name: String, val scalesByFlows: Boolean, val weighsHits: Boolean)

object SredForm {

  /** The paper's first. */
  case object Simple extends SredForm("simple", scalesByFlows = true, weighsHits = false)

  /** The paper's second. */
  case object Full extends SredForm("full", scalesByFlows = true, weighsHits = true)

  /** Not the paper's, but with it CARE's published numbers come out. */
  case object Plain extends SredForm("plain", scalesByFlows = false, weighsHits = true)

  val all: Seq[SredForm] = Seq(Plain, Full, Simple)
}

/** SRED: T. Ott, T. Lakshman, L. Wong, "SRED: Stabilized RED", INFOCOM 1999. Every arrival is compared with one of the flows lately
  * seen; how often they are the same, P, tells how many flows there are, and who is the same now probably sends much.
  *
  * @param zombies
  *   M: flows that the list holds
  */
class SredAlgorithm(val form: SredForm, val zombies: Int) extends Algorithm {
  val name = "sred"
  val summary = "Stabilized RED (1999): tells the number of flows, and who sends much, by meeting flows lately seen"

  val buffer = Parameter(
    "buffer",
    "",
    Widths.maxBytes,
    0,
    "bytes",
    1000000,
    "B: from a third of it queued on p_sred is `max_probability`, from a sixth on a quarter of that, below 0",
    follows = Some(Fact.limitBytes)
  )
  val maxProbability = Parameter.probability("max_probability", "", 0.15, "p_max: largest p_sred")
  val overwriteProbability = Parameter.probability(
    "overwrite_probability",
    "",
    0.25,
    "p: chance that a packet overwrites the zombie that it did not meet"
  )
  private val zombieBits = math.round(math.log(zombies.toDouble) / math.log(2)).toInt
  val alphaExponent = Parameter(
    "alpha_exponent",
    "",
    4,
    0,
    "1",
    zombieBits.max(Ewma.exponents.head).min(Ewma.exponents.last),
    "weight of a hit or a miss in P: alpha = 2^-n"
  )
  val ecn = Parameter.ecn
  val markMost = Parameter.markMost(
    "with `ecn`: mark while the probability, but for a hit's weight, is at most this, and drop beyond it; 1: always mark",
    default = 0.1
  )
  val parameters = Seq(buffer, maxProbability, overwriteProbability, alphaExponent, ecn, markMost)
  val rules = Seq(
    Rule.isProbability(maxProbability),
    Rule.isProbability(overwriteProbability),
    Rule.isOneOf(alphaExponent, Ewma.exponents),
    Rule.isProbability(markMost)
  )

  val unforcedDrop = Reason("Unforced drop", isMark = false)
  val unforcedMark = Reason("Unforced mark", isMark = true)
  val reasons = Seq(unforcedDrop, unforcedMark)

  /** P after reset: 1/M, as if each zombie will be met once. */
  val firstFrequency: BigInt = ((BigInt(1) << 32) / zombies + 1) >> 1

  val hitFrequency = Status("hit_frequency", 32, 31, "1", "P: how often a packet meets its own flow", firstFrequency)
  val flows = Status(
    "flows",
    InverseFrequency.bits,
    InverseFrequency.fraction,
    "flows",
    "1/P: estimated number of flows",
    InverseFrequency.of(firstFrequency)
  )
  val status = Seq(hitFrequency, flows)

  val needs = Needs(randomWords = 3)

  override val options = Map(
    "form" -> "plain: p_sred (1 + Hit/P); full: times min(1, (1/(256 P))^2), as in the paper; simple: that without the hit",
    "zombies" -> "flows that the list holds, 16..4096"
  )
  override protected def withOptions(chosen: Options): Algorithm =
    new SredAlgorithm(
      chosen.oneOf("form", form, SredForm.all.map(f => f.name -> f): _*),
      chosen.number("zombies", zombies, 16, 4096)
    )

  def core(): AqmCore = new SredCore(this)
}

object Sred extends SredAlgorithm(SredForm.Plain, zombies = 1000)

/** The pipeline: a zombie is met, P moves, the probability is multiplied as the form wants it, and the packet judged. The list's
  * loop closes in its memory, P's in one clock.
  */
class SredCore(sred: SredAlgorithm) extends AqmCore(sred) {
  import sred._
  private val listAt = 1
  private val hitAt = listAt + ZombieList.latency
  private val averageAt = hitAt + 1
  private val frequencyAt = averageAt + 1
  private val flowsAt = frequencyAt + InverseFrequency.latency
  private val judgeAt = if (form.scalesByFlows) flowsAt + FlowScaling.latency else frequencyAt
  private val decideAt = judgeAt + (if (form.weighsHits) HitTest.latency else 0)
  val latency: Int = (decideAt + 1).max(flowsAt)

  applyWhen(RegNext(io.apply, init = False))

  val FLOW = Payload(Bits(Widths.flow bits))
  val PLACE_DRAW, OVERWRITE_DRAW, DRAW = Payload(UInt(Widths.random bits))
  nodes(0)(FLOW) := io.arrival.packet.flow
  for ((draw, word) <- Seq(PLACE_DRAW, OVERWRITE_DRAW, DRAW).zip(io.arrival.random)) nodes(0)(draw) := word

  val list = new ZombieList(
    zombies,
    nodes.drop(listAt),
    FLOW,
    PLACE_DRAW,
    OVERWRITE_DRAW,
    overwriteProbability = s => parameter(listAt + s, sred.overwriteProbability)
  )

  val onPressure = new Area {
    val QUEUE = Payload(UInt(Widths.maxBytes bits))
    val TRIPLE = Payload(UInt(Widths.maxBytes + 2 bits))
    val IS_THIRD, IS_SIXTH = Payload(Bool())
    val P_SRED = Payload(UInt(32 bits))
    nodes(0)(QUEUE) := io.arrival.queueBytes
    nodes(1)(TRIPLE) := (nodes(1)(QUEUE) << 1) +^ nodes(1)(QUEUE)
    nodes(2)(IS_THIRD) := !(nodes(2)(TRIPLE) < parameter(2, buffer))
    nodes(2)(IS_SIXTH) := !((nodes(2)(TRIPLE) << 1) < parameter(2, buffer))
    private val most = parameter(3, maxProbability)
    nodes(3)(P_SRED) := Mux(nodes(3)(IS_THIRD), most, Mux(nodes(3)(IS_SIXTH), most |>> 2, U(0, 32 bits)))
  }

  val onAverage = new Area {
    val INCREMENT, FREQUENCY = Payload(UInt(32 bits))
    val ewma = new Ewma(integerBits = 1, fraction = 31, reset = firstFrequency)
    private val reset = U(alphaExponent.raw, alphaExponent.width bits)
    private def weight(exponent: UInt): UInt = Ewma.weight(exponent, None)
    private val hit = nodes(hitAt)
    hit(INCREMENT) := ewma.increment(
      hit(list.IS_HIT).asUInt,
      inForce(hitAt, weight(io.parameters(alphaExponent)), weight(reset))
    )
    private val n = nodes(averageAt)
    val next = ewma.next(
      n(INCREMENT),
      inForce(averageAt, Ewma.select(io.parameters(alphaExponent)), Ewma.select(reset)),
      half = None,
      isWhole = False
    )
    when(n.isValid && n(list.IS_FULL))(ewma.average := next)
    nodes(frequencyAt)(FREQUENCY) := ewma.average // as the packet there has left it
  }

  val onFlows = new Area {
    val inverse = new InverseFrequency(nodes.drop(frequencyAt), onAverage.FREQUENCY)
    val shown = RegNextWhen(nodes(flowsAt - 1)(inverse.FLOWS), nodes(flowsAt - 1).isValid) init flows.reset
  }

  val onScale = form.scalesByFlows generate
    new FlowScaling(nodes.drop(flowsAt), onPressure.P_SRED, onFlows.inverse.FLOWS)

  /** The probability but for a hit's weight, from `judgeAt` on. */
  private val base = if (form.scalesByFlows) onScale.SCALED else onPressure.P_SRED

  val onHit = form.weighsHits generate
    new HitTest(nodes.drop(judgeAt), base, onAverage.FREQUENCY, list.IS_HIT, DRAW)

  val onDecide = new Area {
    val IS_ECT, MARKS = Payload(Bool())
    val VERDICT = Payload(Verdict())
    nodes(0)(IS_ECT) := io.arrival.packet.isEct
    private val n = nodes(decideAt)
    private val isTaken = if (form.weighsHits) n(onHit.IS_TAKEN) else Sampler.isTaken(n(DRAW), n(base))
    private val found = nodes(judgeAt)
    found(MARKS) := found(IS_ECT) && parameter(judgeAt, ecn).lsb && !(found(base) > parameter(judgeAt, markMost))
    n(VERDICT) := pass
    when(n(list.IS_FULL) && isTaken) {
      n(VERDICT) := Mux(n(MARKS), verdict(unforcedMark), verdict(unforcedDrop))
    }
  }

  show(hitFrequency, onAverage.ewma.average, shownAt = frequencyAt)
  show(flows, onFlows.shown, shownAt = flowsAt)
  viewAt(hitAt, "hit", nodes(hitAt)(list.IS_HIT).asUInt)
  viewAt(judgeAt, "base", nodes(judgeAt)(base))
  if (form.weighsHits) viewAt(judgeAt + HitTest.weighedAt, "weighed", nodes(judgeAt + HitTest.weighedAt)(onHit.WEIGHED))

  answer(nodes(latency)(onDecide.VERDICT))
  buildPipeline()
}
