// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.cores.wred

import sluice.contract._

/** Weighted RED as switches have it (the attributes of SAI's saiwred.h): a packet that may be marked is marked with a probability that
  * rises between two thresholds in bytes, any other is dropped by thresholds of its own. Beyond the upper one all are hit. Each packet is
  * judged on its own: RED's spacing is not there, nor its decay over idle time.
  *
  * Of many queues each has an average of its own and one of sixteen profiles. A set of parameters is then the profile whose number it
  * carries, and a COMMIT leaves the other ones as they are.
  *
  * @param queues
  *   of which the core keeps an average: 1, or as many as a tile of linked lists has
  * @param atHead
  *   whether packets are judged when they leave, by profiles too; the tile keeps the average of each queue then
  */
class WredAlgorithm(val queues: Int, val atHead: Boolean) extends Algorithm {
  require(queues == 1 || !atHead, s"wred keeps averages of $queues queues only where it judges arrivals")
  val name = "wred"
  val summary = "Weighted RED by profile, as switches have it: a ramp of drops and one of marks, in bytes"

  private def threshold(name: String, doc: String, share: BigDecimal) =
    Parameter(name, "", Widths.maxBytes, 0, "bytes", 0, s"$doc; 0: the highest", Some(Fact.limitBytes * share))
  val profile =
    Parameter("profile", "", Widths.index(WredAlgorithm.profiles), 0, "1", 0, "the profile that this set is")
  val enable = Parameter.flag("enable", "", default = true, "drop packets that are not marked")
  val min = threshold("min_threshold", "queue up to which no packet is dropped", 0.25)
  val max = threshold("max_threshold", "queue from which on every packet is dropped", 0.75)
  val probability = Parameter.probability("drop_probability", "", 1, "share that is dropped just below `max_threshold`")
  val ecn =
    Parameter.ecn.copy(doc = "mark ECN-capable packets by the thresholds `ecn_`, and never drop them by the others")
  val ecnMin = threshold("ecn_min_threshold", "queue up to which no packet is marked", 0.25)
  val ecnMax = threshold("ecn_max_threshold", "queue from which on every packet is marked", 0.75)
  val ecnProbability =
    Parameter.probability("ecn_mark_probability", "", 1, "share that is marked just below `ecn_max_threshold`")
  val weight = Parameter(
    "weight",
    "",
    Widths.index(WredAlgorithm.mostWeight + 1),
    0,
    "1",
    0,
    "weight of what a packet finds in the average: 2^-n; 0: the queue itself"
  )

  /** What makes up a profile. */
  val fields: Seq[Parameter] = Seq(enable, min, max, probability, ecn, ecnMin, ecnMax, ecnProbability, weight)
  val parameters: Seq[Parameter] = (if (needs.profiles > 0) Seq(profile) else Nil) ++ fields

  private def isOrdered(low: Parameter, high: Parameter) = Rule(
    s"${low.name}_within_max",
    s"${low.name} <= ${high.name}, 0 being the highest",
    v => ProfileWord.isOrdered(v(low), v(high))
  )
  val rules: Seq[Rule] = Seq(
    isOrdered(min, max),
    Rule.isProbability(probability),
    isOrdered(ecnMin, ecnMax),
    Rule.isProbability(ecnProbability)
  )

  val drop = Reason("WRED drop", isMark = false)
  val mark = Reason("WRED mark", isMark = true)
  val reasons: Seq[Reason] = Seq(drop, mark)

  private val last = if (atHead) "head" else "arrival"
  val average = Status("average_bytes", 32, 6, "bytes", s"average of the last $last's queue, that $last included")
  val status: Seq[Status] = Seq(average)

  def needs: Needs =
    if (atHead)
      Needs(
        randomWords = 1,
        tagBits = Widths.random + Widths.index(WredAlgorithm.profiles),
        head = true,
        headState = Some(WredAlgorithm.averageBits),
        profiles = WredAlgorithm.profiles
      )
    else Needs(randomWords = 1, queues = queues, profiles = if (queues > 1) WredAlgorithm.profiles else 0)

  override def options: Map[String, String] = Map(
    "queues" -> "queues of which the core keeps an average: 1, or as many as the configuration's lists",
    "at" -> "where packets are judged: at the `arrival`, or at the `head` of many queues, whose averages the lists keep"
  )
  override protected def withOptions(chosen: Options): Algorithm = new WredAlgorithm(
    chosen.number("queues", queues, 1, Widths.mostLists),
    chosen.oneOf("at", atHead, "arrival" -> false, "head" -> true)
  )

  def core(): AqmCore = new WredCore(this)
}

object WredAlgorithm {
  val profiles = 16
  val mostWeight = 15

  /** Of an average, behind the point. */
  val fraction = 10
  val averageBits: Int = Widths.maxBytes + fraction
}

object Wred extends WredAlgorithm(queues = 1, atHead = false)
