// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.contract

import spinal.core._

/** A run-time parameter of a core: one 32-bit register word holding `value = raw / 2^fraction`.
  *
  * A declaration says all that there is to know of one parameter, so several of them look alike and say different things. One that two
  * schemes share stands once: see [[Parameter.ecn]], [[Parameter.markMost]], and `copy` where only the words or the default differ.
  *
  * @param name
  *   register name, as in `tc` where that has one
  * @param ns3
  *   the name of the same attribute in ns-3's queue disciplines, or "" where ns-3 has none
  * @param width
  *   bits that exist in hardware, 1..32
  * @param fraction
  *   fraction bits of the fixed-point format
  * @param unit
  *   unit of the value: packets, bytes, ns, 1 (a ratio), flag
  * @param default
  *   value after reset, in the unit
  * @param follows
  *   the fact about the link that a host sets it to unless it is told otherwise, in the unit
  */
case class Parameter(
    name: String,
    ns3: String,
    width: Int,
    fraction: Int,
    unit: String,
    default: BigDecimal,
    doc: String,
    follows: Option[Fact] = None
) {
  require(width >= 1 && width <= 32, s"parameter $name: width $width is not 1..32")
  require(raw >= 0 && raw < (BigInt(1) << width), s"parameter $name: default $default does not fit $width bits")

  /** The default as the register holds it, rounded to nearest. */
  def raw: BigInt = (default * BigDecimal(BigInt(1) << fraction)).setScale(0, BigDecimal.RoundingMode.HALF_UP).toBigInt
}

object Parameter {

  /** The switch that every scheme has which can mark. */
  val ecn: Parameter = flag("ecn", "UseEcn", default = false, "mark ECN-capable packets instead of dropping them")
    .copy(follows = Some(Fact.ecn))

  /** Up to which probability ECN-capable packets are marked: beyond it they are dropped as others are, since marks do not help (RFC 3168,
    * section 7; RFC 7567, section 4.2). 1/4 is RFC 9332's p_Cmax, from where on its classic queue drops.
    *
    * @param fraction
    *   bits behind the point; there is one before it
    */
  def markMost(doc: String, default: BigDecimal = 0.25, fraction: Int = 31): Parameter =
    Parameter("mark_most", "", fraction + 1, fraction, "1", default, doc)

  /** The same of a scheme that takes packets with one probability. */
  val markMost: Parameter =
    markMost("with `ecn`: mark while the probability is at most this, and drop beyond it; 1: always mark")

  /** A one-bit switch. */
  def flag(name: String, ns3: String, default: Boolean, doc: String): Parameter =
    Parameter(name, ns3, 1, 0, "flag", if (default) 1 else 0, doc)

  /** A probability as Q1.31, so that 1.0 has a code of its own and anything above it can be refused. */
  def probability(name: String, ns3: String, default: BigDecimal, doc: String): Parameter =
    Parameter(name, ns3, 32, 31, "1", default, doc)
}

/** What a host knows of a link before a packet comes, times a factor. A scenario gives every fact by its name. */
case class Fact private (name: String, factor: BigDecimal) {
  def *(more: BigDecimal): Fact = copy(factor = factor * more)
}

object Fact {
  private def apply(name: String): Fact = new Fact(name, 1)

  /** Packets that the buffer holds. */
  val limit = Fact("limit")

  /** Bytes of as many full packets. */
  val limitBytes = Fact("limit_bytes")

  /** Bytes of a full packet. */
  val packetBytes = Fact("packet_bytes")

  /** Rate of the link, full packets per second. */
  val ratePps = Fact("rate_pps")

  /** Rate of the link, bits per second. */
  val rateBps = Fact("rate_bps")

  /** 1 where senders heed marks. */
  val ecn = Fact("ecn")
}

/** A rule that a whole set of parameters must obey. A set that breaks one is refused and leaves the rule's bit in REFUSED.
  * `isLegal` builds the check in hardware over the staged values.
  */
case class Rule(name: String, doc: String, isLegal: ParameterValues => Bool)

object Rule {

  /** The parameter is a probability: at most 1. */
  def isProbability(p: Parameter): Rule =
    Rule(s"${p.name}_at_most_1", s"${p.name} <= 1", values => values(p) <= (BigInt(1) << p.fraction))

  /** The parameter is at least `least` (raw). */
  def isAtLeast(p: Parameter, least: Int): Rule =
    Rule(s"${p.name}_at_least_$least", s"${p.name} >= $least", values => values(p) >= least)

  /** The parameter is one of the choices (raw). */
  def isOneOf(p: Parameter, choices: Seq[Int]): Rule =
    Rule(
      s"${p.name}_offered",
      s"${p.name} is one of ${choices.mkString(", ")}",
      v => choices.map(v(p) === _).reduce(_ || _)
    )
}

/** Why a core marks or drops a packet. The words are ns-3's where ns-3 has the reason, so that hardware and simulator
  * counters compare one to one.
  *
  * @param isMark
  *   true: the packet stays and carries CE; false: it is dropped
  */
case class Reason(name: String, isMark: Boolean)

/** A value that the core shows for reading, at most 32 bits; `value = raw / 2^fraction`.
  *
  * @param reset
  *   the raw value after a reset
  */
case class Status(name: String, width: Int, fraction: Int, unit: String, doc: String, reset: BigInt = 0) {
  require(width >= 1 && width <= 32, s"status $name: width $width is not 1..32")
}
