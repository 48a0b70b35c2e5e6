// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.contract

import spinal.core._

/** One entry of the catalogue: everything about an algorithm that can be said without hardware. Registers, documentation,
  * golden-model checks, the simulator and the command line all follow from it. Each says it for itself, and in this order, so the ends of
  * two look alike where both have options.
  */
trait Algorithm {

  /** Lower-case name, as users type it. */
  def name: String

  /** One line for lists. */
  def summary: String

  /** Parameters in the order of their registers. The tile adds its own (limits, seed) before them. */
  def parameters: Seq[Parameter]

  /** What a set of parameters must obey. */
  def rules: Seq[Rule]

  /** Reasons that a verdict may carry; reason code = position + 1. */
  def reasons: Seq[Reason]

  /** Values for reading. */
  def status: Seq[Status]

  /** What the core hears and asks for. */
  def needs: Needs

  /** The queue of a packet by what the packet itself says, where the algorithm [[Needs.choosesQueue chooses]] it. It is worked out
    * before the tile's first register, in front of the count of what is queued there.
    */
  def queueOf(packet: Arrival): UInt =
    throw new IllegalArgumentException(s"$name chooses the queue of a packet and does not say which")

  /** The quantum that each of several queues has at first, in bytes, where the scheduler has quanta and the core does not
    * [[Needs.givesQuanta give]] them.
    */
  def quantumOf(queue: Int): Int = 1514

  /** The kinds of ticks that the core wants; of those that come in one cycle the first is first. */
  def ticks: Seq[Tick] = Nil

  /** Structural options that a configuration may set, and what each means. They shape the hardware; they are not registers. */
  def options: Map[String, String] = Map.empty

  /** The same algorithm with options of a configuration. */
  def configured(settings: Map[String, String]): Algorithm = {
    val unknown = settings.keySet -- options.keySet
    require(
      unknown.isEmpty,
      s"$name has no option ${unknown.mkString(", ")}; it has: ${if (options.isEmpty) "none"
        else options.keys.mkString(", ")}"
    )
    if (settings.isEmpty) this else withOptions(new Options(settings))
  }

  /** Made by an algorithm that has [[options]]. */
  protected def withOptions(chosen: Options): Algorithm =
    throw new NotImplementedError(s"$name has options and takes none")

  /** Most packets that may be queued: what the core can count, for a tile whose ring could hold more. */
  def mostPackets: Int = (1 << Widths.maxPackets) - 1

  /** The hardware. */
  def core(): AqmCore
}
