// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.cores.controllers

import sluice.blocks.controllers.{PacketUnit, RemPrice}
import sluice.contract._
import spinal.core._
import spinal.lib._

/** REM: S. Athuraliya, V. Li, S. Low, Q. Yin, "REM: Active Queue Management", IEEE Network 2001. A price follows the queue and the load,
  * and with it the probability of a drop or mark. One arrival per clock.
  *
  * @param atHead
  *   whether ECN-capable packets are marked when they leave, as by ns-2's `rem.cc`
  */
class RemAlgorithm(override val atHead: Boolean) extends Controller {
  val name = "rem"
  val summary = "REM (2001): a price that follows the queue and the load, and a probability that grows with it"
  override protected def defaultInterval: BigDecimal = 2000000

  val gain = Parameter(
    "gain",
    "",
    32,
    42,
    "1",
    BigDecimal("1.4419741739e-6"),
    "gamma log2 phi, the paper's step and base as one: what log2 1/(1 - m) rises by for each packet of mismatch"
  )
  val alpha = Parameter("alpha", "", 18, 18, "1", BigDecimal("0.1"), "weight of the queue against the load")
  val target = Parameter("target", "", Widths.maxPackets, 0, "packets", 20, "b*: the queue that is wanted")
  val capacity = Parameter(
    "capacity",
    "",
    32,
    14,
    "packets",
    BigDecimal("2.5"),
    "c: typical packets that the link sends in one `interval`; who sets that one sets this one too",
    follows = Some(Fact.ratePps * BigDecimal("0.002"))
  )
  val parameters = Seq(gain, alpha, target, capacity) ++ shared

  val price = Status("price", 32, 28, "1", "p log2 phi: how often the price halves what passes")
  val status = Seq(price, probabilityNow)

  override val options = Map("marks" -> "where ECN-capable packets are marked: at the `arrival`, or at the `head`")
  override protected def withOptions(chosen: Options): Algorithm =
    new RemAlgorithm(chosen.oneOf("marks", atHead, "arrival" -> false, "head" -> true))

  def core(): AqmCore = new RemCore(this)
}

object Rem extends RemAlgorithm(atHead = false)

class RemCore(rem: RemAlgorithm) extends ControllerCore(rem, RemPrice.cycles) {
  import rem._

  private val sought = RemPrice.level(
    io.parameters(capacity),
    io.parameters(alpha),
    io.parameters(target),
    onParameters.typical
  )
  private val firstLevel = RemPrice.level(capacity.raw, alpha.raw, target.raw, PacketUnit.packet)

  private val counted = Flow(UInt(Widths.packet bits))
  counted.valid := nodes(1).isValid
  counted.payload := nodes(1)(SIZE)

  val state = new RemPrice(
    counted,
    onTick.tick,
    onTick.settles,
    onTick.queue,
    inForce(1, sought, U(firstLevel, RemPrice.levelBits bits)),
    onParameters.inverse,
    parameter(1, alpha),
    parameter(1, gain)
  )
  protected def probability: UInt = state.probability

  show(price, (state.price >> (RemPrice.fraction - price.fraction)).resized, shownAt = testAt)
  viewAt(testAt, "price", state.price)
  viewAt(2, "counted", state.onCount.count)
  buildController()
}
