// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.cores

import sluice.contract._
import spinal.core._

/** DropTail: every packet passes; only the buffer's limit, which is the tile's, drops. Read this file first to see what a core
  * must bring.
  *
  * Latency 7, the least that a tile takes; no state. Source: the FIFO that every other scheme is compared with.
  */
object DropTail extends Algorithm {
  val name = "droptail"
  val summary = "First in, first out; drops only when the buffer is full"
  val parameters = Seq.empty
  val rules = Seq.empty
  val reasons = Seq.empty
  val status = Seq.empty
  val needs = Needs()

  def core(): AqmCore = new DropTailCore
}

class DropTailCore extends AqmCore(DropTail) {
  val latency = 7

  applyWhen(RegNext(io.apply, init = False))

  answer(pass)

  buildPipeline()
}
