// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice
package files

import sluice.blocks.cardinality.MinCountConfig
import sluice.boards.BoardConfig
import sluice.packet.DatapathConfig
import sluice.shells.ShellConfig
import sluice.tile.TileConfig
import sluice.tile.registers.RegisterMap

/** What every generated file says of itself in its head: licence, version of the project and what it is. Neither a commit nor a
  * date, so that it changes only when the hardware or the version does.
  */
object FileHead {

  /** Terms of everything generated, as an SPDX expression: simulators under the GPL must be able to take it in. */
  val licence = "Apache-2.0 OR GPL-2.0-only"

  /** The lines, without marks of a comment. */
  def apply(what: String): Seq[String] =
    Seq(s"SPDX-License-Identifier: $licence", s"Sluice ${RegisterMap.versionText}: $what")

  /** A configuration in words. */
  def of(config: TileConfig): String =
    s"configuration '${config.name}', algorithm ${config.algorithm.name}, ring of ${config.ringPackets} packets"

  /** A datapath in words. */
  def of(config: DatapathConfig): String =
    s"datapath '${config.name}', ${config.dataBits} bits wide, buffer of ${config.bufferBytes} bytes, around the tile of ${of(config.base)}"

  /** A wrapper in words. */
  def of(config: ShellConfig): String = s"'${config.name}' for ${config.shell.where}, around the ${of(config.datapath)}"

  /** A board in words. */
  def of(config: BoardConfig): String =
    s"board '${config.name}', buffer of ${config.bufferBytes} bytes, around the tile of ${of(config.tile)}"

  /** A counter of flows in words. */
  def of(config: MinCountConfig): String =
    s"counter of flows '${config.name}', ${config.buckets} buckets of ${config.values}, estimate by ${config.estimate}"
}
