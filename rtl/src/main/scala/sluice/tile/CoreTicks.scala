// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile

import sluice.contract._
import spinal.core._

/** The ticks of a core, each kind by a ticker of its own. None begins while a set of parameters waits to take effect, so that a set
  * comes to its turn however short the periods are.
  *
  * @param nowNs
  *   the time
  * @param seenNs
  *   the time as the core sees it
  * @param active
  *   the set that is applied
  * @param apply
  *   high for one cycle when a set is to take effect
  */
class CoreTicks(core: AqmCore, nowNs: UInt, seenNs: UInt, active: ParameterValues, apply: Bool) extends Area {
  private val applied = core.io.applied
  val isHeld = RegInit(False)
  isHeld := (isHeld || apply) && !applied

  private def ticker(kind: Tick): Ticker = {
    val spacing = core.tickSpacing(kind)
    val made = kind.period match {
      case Some(period) =>
        val inForce = RegNextWhen(active(period), applied) init period.raw
        val isOther = RegNext(active(period) =/= inForce, init = False)
        new Ticker(nowNs, kind.inNs(inForce), isNew = applied && isOther, isHeld, spacing)
      case None => new Ticker(nowNs, core.io.interval(kind), isNew = False, isHeld, spacing)
    }
    core.io.tick(kind).valid := made.tick
    core.io.tick(kind).nowNs := seenNs
    made.setCompositeName(this, s"ticker_${kind.name}")
  }

  val tickers: Seq[Ticker] = core.algorithm.ticks.map(ticker)
  val ticking = out(Bool()).setName("ticking")
  ticking := isHeld || tickers.map(_.isBusy).reduce(_ || _)
}
