// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.cores.red

import sluice.blocks.probability.{MaxProbabilityStep, StepRule}
import sluice.contract._
import spinal.core._

/** The body of the adaptive schemes: gentle RED whose max_p follows the average queue (S. Floyd, R. Gummadi, S. Shenker,
  * "Adaptive RED", 2001). Once in each `interval`, if the average is above a target band and max_p not above `top`, max_p
  * rises; if it is below the band and max_p not below `bottom`, max_p falls. The test comes before the step and nothing is
  * clamped afterwards, so max_p may pass its bounds by one step. A scheme says where its band lies and how far a step goes.
  *
  * @param name
  *   of the scheme
  * @param margin
  *   distance of the band from `min` and from `max`, as a part of max - min
  */
abstract class AdaptiveRed(override val name: String, override val summary: String, val margin: BigDecimal)
    extends RedAlgorithm(hasHalf = true) {

  /** The step up from an average above the band: the first case that holds. No case, no step. */
  def above(trend: Trend): Seq[(Bool, StepRule)]

  /** The step down from an average below the band. */
  def below(trend: Trend): Seq[(Bool, StepRule)]

  override protected def defaultMaxProbability: BigDecimal = 0.1

  val interval =
    Parameter("interval", "Interval", 32, 0, "ns", 500000000, "time between two steps of max_p")
  val top = Parameter.probability("top", "", 0.5, "max_p rises only while it is at most this")
  val bottom = Parameter.probability("bottom", "", 0.01, "max_p falls only while it is at least this")
  val maxProbabilityNow =
    Status("max_probability_now", 32, 31, "1", "max_p after the last step", reset = maxProbability.raw)

  override def parameters: Seq[Parameter] = super.parameters ++ Seq(interval, top, bottom)
  override def rules: Seq[Rule] =
    super.rules ++ Seq(Rule.isAtLeast(interval, 1), Rule.isProbability(top), Rule.isProbability(bottom))
  override def status: Seq[Status] = super.status :+ maxProbabilityNow
  override def options: Map[String, String] = Map.empty
  val adaptation = Tick("adaptation", Some(interval))
  override def ticks: Seq[Tick] = Seq(adaptation)
  override def core(): AqmCore = new AdaptiveRedCore(this)
}

/** Where the average goes from one tick to the next; it begins at 0. Costs nothing in a scheme that does not ask. */
class Trend(average: UInt, isOver: Bool) {
  private lazy val previous = RegNextWhen(average, isOver) init 0 setName "previous_average"
  lazy val isRising: Bool = RegNext(previous < average)
  lazy val isFalling: Bool = RegNext(average < previous)
}

/** RED with a max_p that a tick moves. `probability` is loaded when it changes. */
class AdaptiveRedCore(scheme: AdaptiveRed) extends RedCore(scheme) {
  import AdaptiveRedCore._
  import scheme._

  override def tickCycles(kind: Tick): Int = MaxProbabilityStep.doneAt - scalingAt

  private lazy val onTick = new Area {
    val since = sinceTick(adaptation)
    private def inForce(p: Parameter): UInt = parameter(judgingAt, p)

    val value = Reg(UInt(32 bits)) init maxProbability.raw
    // The average as all packets before the tick have left it. One that ends an idle time in the tick's own cycle does not
    // change it yet: what is shown comes with a packet, and none is close before an idle time, since nothing may be
    // in judgment then.
    val level = RegNextWhen(onAverage.shown, since.is(averagedAt))
    val isOver = since.is(MaxProbabilityStep.doneAt - 1)
    val trend = new Trend(level, isOver)
    val step = new MaxProbabilityStep(
      since.is,
      level,
      value,
      inForce(min),
      inForce(max),
      margin,
      above(trend),
      below(trend)
    )
    val mayRise = RegNext(!(inForce(top) < value))
    val mayFall = RegNext(!(value < inForce(bottom)))
    when(isOver && ((step.isUp && mayRise) || (step.isDown && mayFall)))(value := step.next)

    val isNew = RegNext(io.parameters(maxProbability) =/= parameter(scalingAt, maxProbability))
    when(isEntering(scalingAt) && isNew)(value := io.parameters(maxProbability))
    show(maxProbabilityNow, value, shownAt = scalingAt)
  }.setCompositeName(this, "adaptation")

  override protected def maxProbabilityAt(stage: Int): UInt = {
    require(stage == scalingAt, s"max_p is moved for stage $scalingAt, not for stage $stage")
    onTick.value
  }
}

object AdaptiveRedCore {
  private val scalingAt = 7 // stage that multiplies by max_p
  private val averagedAt = 12 // cycles until the average of the packet before the tick is shown
  private val judgingAt = 12 // stage whose parameters the step takes
}
