// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile

import sluice.blocks.state.Taus88
import sluice.contract._
import sluice.tile.queue.Sampling
import spinal.core._

/** One named configuration of a tile, complete.
  *
  * @param name
  *   as in configs.yaml; names the Verilog module
  * @param grade
  *   `supported` or `experimental`
  * @param ringPackets
  *   entries of the descriptor ring, a power of two; the limit in packets stays [[TileConfig.margin]] below it
  * @param cookieBits
  *   width of the handle that a packet carries from its arrival to its verdict and its departure; 0: none, and no port
  * @param extension
  *   of the datapath around the tile, if there is one
  */
case class TileConfig(
    name: String,
    algorithm: Algorithm,
    grade: String,
    ringPackets: Int,
    cookieBits: Int,
    extension: Option[Extension] = None
) {
  require(
    isPow2(ringPackets) && ringPackets >= 32,
    s"$name: ring_packets must be a power of two from 32 on, not $ringPackets"
  )
  require(ringPackets < (1 << Widths.maxPackets), s"$name: ring_packets must be below ${1 << Widths.maxPackets}")
  require(cookieBits >= 0, s"$name: cookie_bits must not be below 0, and is $cookieBits")
  require(Set("supported", "experimental")(grade), s"$name: grade must be supported or experimental, not '$grade'")

  /** Verilog name of one of the configuration's tops. */
  def moduleName(top: String): String = s"sluice_${top}_${name.replace('-', '_')}"

  /** Most packets that may be queued. */
  val mostPackets: Int = ringPackets - TileConfig.margin
  require(
    mostPackets <= algorithm.mostPackets,
    s"$name: ${algorithm.name} counts up to ${algorithm.mostPackets} packets, and a ring of $ringPackets holds $mostPackets"
  )

  /** Parameters that every tile has, before the core's. */
  object Own {
    val limit =
      Parameter("limit", "MaxSize", Widths.maxPackets, 0, "packets", mostPackets.min(1000), "most packets queued")
        .copy(follows = Some(Fact.limit))
    val limitBytes =
      Parameter("limit_bytes", "", Widths.maxBytes, 0, "bytes", (1 << Widths.maxBytes) - 1, "most bytes queued")
    val seeds: Seq[Parameter] = Taus88.components.zipWithIndex.map { case (c, i) =>
      Parameter(
        s"seed$i",
        "",
        32,
        0,
        "1",
        BigDecimal(c.defaultSeed),
        s"state word $i of the random generator; loaded when written"
      )
    }
    val all: Seq[Parameter] = Seq(limit, limitBytes) ++ seeds
    val rules: Seq[Rule] = Seq(
      Rule("limit_in_ring", s"1 <= limit <= $mostPackets", v => v(limit) >= 1 && v(limit) <= mostPackets)
    ) ++ Taus88.components.zip(seeds).map { case (c, p) => Rule.isAtLeast(p, c.least) }
  }

  /** What the core needs, and so the tile has. */
  val needs: Needs = algorithm.needs

  /** A queued packet, as it leaves. */
  def descriptor: Descriptor = Descriptor(cookieBits, needs.tagBits)

  /** A queued packet, as the ring keeps it. */
  def entry: Descriptor = Descriptor(cookieBits, needs.tagBits, withTime = needs.head)

  /** Bits of a place in the ring: one more than the ring's address has, so that an entry and the next one there differ. */
  val placeBits: Int = log2Up(ringPackets) + 1

  /** Random words that draw queued packets. */
  val drawWords: Int = needs.samples * Sampling.draws(needs)

  val parameters: Seq[Parameter] = Own.all ++ algorithm.parameters ++ extension.toSeq.flatMap(_.parameters)
  val rules: Seq[Rule] = Own.rules ++ algorithm.rules ++ extension.toSeq.flatMap(_.rules)

  /** Reason codes as verdicts carry them, the tile's own last. */
  val reasons: Seq[(Int, Reason)] =
    algorithm.reasons.zipWithIndex.map { case (r, i) =>
      (i + 1, r)
    } ++ Option.when(needs.takesVictims)(TileConfig.pushedOutCode -> TileConfig.pushedOut) :+
      (TileConfig.overlimitCode -> TileConfig.overlimit)
  require(algorithm.reasons.size < TileConfig.pushedOutCode, s"$name: more reasons than codes")
}

object TileConfig {

  /** Ring entries kept free, so that a packet drawn at an arrival is still there when it is read some clocks later. */
  val margin = 16

  /** The tile's own drop: the buffer is full. */
  val overlimit = Reason("Overlimit drop", isMark = false)
  val overlimitCode = (1 << Widths.reason) - 1

  /** What a core throws out of the queue. */
  val pushedOut = Reason("Pushed out drop", isMark = false)
  val pushedOutCode = overlimitCode - 1
}
