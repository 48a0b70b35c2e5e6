// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile

import sluice.contract._
import spinal.core._

/** The colour of a packet by its DSCP, as a switch has it (SAI's DSCP_TO_COLOR): two bits for each of the 64, in four words of
  * parameters, 0 green, 1 yellow, 2 and 3 red. After a reset all are green.
  */
object DscpColours {
  val bits = 2
  val number = 3
  private val perWord = 16

  val table: Seq[Parameter] = Seq.tabulate((1 << Widths.dscp) / perWord) { word =>
    val first = perWord * word
    Parameter(
      s"dscp_colours$word",
      "",
      perWord * bits,
      0,
      "1",
      0,
      s"colours of the DSCPs from $first to ${first + perWord - 1}, two bits each, the first one lowest: 0 green, 1 yellow, 2 and 3 red"
    )
  }

  /** The colour of a packet, [[latency]] clocks after it came; by the table in force in the clock in which it came.
    *
    * @param active
    *   the parameters in force, from the clock after `applied` on
    */
  def of(dscp: UInt, active: ParameterValues, applied: Bool): UInt = {
    val inForce = table.map(p => RegNextWhen(active(p), applied) init p.raw)
    val came = RegNext(dscp)
    val (word, place) = (came >> log2Up(perWord), came(log2Up(perWord) - 1 downto 0))
    val ofWords = Vec(inForce.map(colours => RegNext(colours.subdivideIn(bits bits)(place))))
    RegNext(ofWords(RegNext(word)))
  }
  val latency = 3
}
