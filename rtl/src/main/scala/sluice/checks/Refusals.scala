// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice
package checks

import sluice.contract._
import sluice.cores.flows.{Care, Choke, Fred}
import sluice.tile.{AqmTile, TileConfig}
import spinal.core._

import java.io.OutputStream

/** Cores that the contract or the tile refuses, one mistake each, and what elaboration says to them: for a test that reads it. */
object Refusals {
  private val period = Parameter("period", "", 32, 0, "ns", 1000, "time between two ticks")

  private val all: Seq[(String, () => Algorithm)] = Seq(
    "none" -> (() => new Wrong()),
    "tick without clocks" -> (() => new Wrong(ticks = Seq(Tick("beat", Some(period))))),
    "head and samples" -> (() =>
      new Wrong(needs = Needs(samples = 1, takesVictims = true, head = true), clocks = 8, headClocks = 3)
    ),
    "victims without samples" -> (() => new Wrong(needs = Needs(takesVictims = true))),
    "quanta of one queue" -> (() => new Wrong(needs = Needs(givesQuanta = true))),
    "head in no time" -> (() => new Wrong(needs = Needs(head = true))),
    "long name" -> (() => new Wrong(name = "thirteen-long")),
    "too fast" -> (() => new Wrong(clocks = 6)),
    "a word's name twice" -> (() => new Wrong(status = Seq(Status("LIMIT", 8, 0, "1", "as the tile's parameter")))),
    "fewer packets than the ring's" -> (() => new Wrong(mostPackets = 47)),
    "as many packets as the ring's" -> (() => new Wrong(mostPackets = 48)),
    "an option beyond its bounds" -> (() => Choke.configured(Map("candidates" -> "5"))),
    "an option that is no power of two" -> (() => Fred.configured(Map("buckets" -> "96"))),
    "an option's strange word" -> (() => Care.configured(Map("list" -> "tree"))),
    "an option that is none" -> (() => Care.configured(Map("size" -> "200")))
  )

  /** What is said to each, by the mistake; nothing, where a tile comes of it. */
  def messages(): ujson.Obj = {
    val said = for ((mistake, algorithm) <- all) yield {
      Console.withOut(OutputStream.nullOutputStream) { // Spinal's own report of a failure
        val message =
          try {
            val config = TileConfig("wrong", algorithm(), "experimental", ringPackets = 64, cookieBits = 0)
            Config.spinal(Config.scratch.toString).generate(new AqmTile(config))
            ""
          } catch { case e: IllegalArgumentException => e.getMessage.stripPrefix("requirement failed: ") }
        mistake -> ujson.Str(message)
      }
    }
    ujson.Obj.from(said)
  }
}

/** The least that a core is, but for a mistake. */
private class Wrong(
    val name: String = "wrong",
    val needs: Needs = Needs(),
    override val ticks: Seq[Tick] = Nil,
    val clocks: Int = 7,
    val headClocks: Int = 0,
    override val mostPackets: Int = 1 << 17,
    val status: Seq[Status] = Nil
) extends Algorithm {
  val summary = "wrong; for tests"
  val parameters = ticks.flatMap(_.period)
  val rules = Seq.empty
  val reasons = Seq.empty
  def core(): AqmCore = new WrongCore(this)
}

private class WrongCore(wrong: Wrong) extends AqmCore(wrong) {
  val latency = wrong.clocks
  override def headLatency: Int = wrong.headClocks
  applyWhen(RegNext(io.apply, init = False))
  answer(pass)
  if (wrong.needs.takesVictims) io.verdict.victim.setIdle()
  if (headLatency > 0) answerHead(pass, restart = False)
  buildPipeline()
}
