// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile
package registers

import sluice.contract._
import sluice.tile.account.DynamicThreshold
import spinal.core._
import spinal.lib._

/** Words through which a host sees one of many queues, which it selects first. */
class QueueWindow(config: TileConfig) {
  val select = Word("QUEUE_SELECT", 0x30, "rw", config.queueBits, 0, "the queue that the words beside this one are of")
  val quantum = Word(
    "SELECTED_QUANTUM",
    0x34,
    "rw",
    Widths.quantum,
    config.Own.ofEach.get.quantum.raw,
    "bytes: quantum of the selected queue, from its next turn on; write 0 for that of queue_quantum"
  )
  val alpha = Word(
    "SELECTED_ALPHA",
    0x3c,
    "rw",
    DynamicThreshold.codeBits,
    config.Own.ofEach.get.alpha.raw,
    s"part of what is free that the selected queue may hold, from one of its next arrivals on: 2^(this - 9), ${DynamicThreshold.codes + 1} for no such bound; write 0 for that of queue_alpha"
  )

  /** Where the core has profiles. */
  val profile: Option[Word] = Option.when(config.needs.profiles > 0)(
    Word(
      "SELECTED_PROFILE",
      0x38,
      "rw",
      config.profilesBits,
      0,
      s"numbers of the selected queue's profiles, from one of its next arrivals on: ${config.needs.profileBits} bits for green packets, lowest, " +
        "then for yellow ones, then for red ones"
    )
  )

  /** Where queues have levels of priority: behind the counters of the selected queue. */
  val level: Option[Word] = Option.when(config.levels > 1)(
    Word(
      "SELECTED_LEVEL",
      0x500,
      "rw",
      log2Up(config.levels),
      0,
      s"level of the selected queue, from its next turn on: while one of a higher level has packets, none of a lower one is picked"
    )
  )
  val all: Seq[Word] = Seq(select, quantum) ++ profile ++ level :+ alpha
}

/** The same between the registers and the queues, as the registers see it. */
class QueueWindowIo(config: TileConfig) extends Bundle with IMasterSlave {
  val select = UInt(config.queueBits bits)
  val quantum = Flow(UInt(Widths.quantum bits)) // is to be this
  val quantumNow = UInt(Widths.quantum bits)
  val alpha = Flow(UInt(DynamicThreshold.codeBits bits)) // likewise
  val alphaNow = UInt(DynamicThreshold.codeBits bits)
  val profile = (config.needs.profiles > 0) generate Flow(UInt(config.profilesBits bits)) // likewise
  val profileNow = (config.needs.profiles > 0) generate UInt(config.profilesBits bits)
  val level = (config.levels > 1) generate Flow(UInt(log2Up(config.levels) bits)) // likewise
  val levelNow = (config.levels > 1) generate UInt(log2Up(config.levels) bits)
  val isMissing = config.countsLists generate Bool() // its counters, in the last snapshot
  def asMaster(): Unit = {
    out(select)
    master(quantum)
    in(quantumNow)
    master(alpha)
    in(alphaNow)
    if (profile != null) {
      master(profile)
      in(profileNow)
    }
    if (level != null) {
      master(level)
      in(levelNow)
    }
    if (config.countsLists) in(isMissing)
  }
}
