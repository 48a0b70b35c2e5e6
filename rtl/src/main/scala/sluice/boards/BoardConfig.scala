// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.boards

import sluice.contract.ModuleName
import sluice.packet.PortDatapath
import sluice.tile.TileConfig
import spinal.core.Component

/** What the generator needs to know of a board's top. */
trait BoardTop extends Component {
  def datapath: PortDatapath
}

/** A board that can have a tile.
  *
  * @param name
  *   as in configs.yaml
  */
abstract class Board(val name: String) {

  /** Its top around a tile, with a packet buffer of so many bytes. */
  def top(tile: TileConfig, bufferBytes: Int): BoardTop
}

object Board {
  val all: Seq[Board] = Seq(VersaEcp5)

  /** The board of a name, or an error that names the known ones. */
  def apply(name: String): Board = all
    .find(_.name == name)
    .getOrElse(
      throw new IllegalArgumentException(s"unknown board '$name'; known: ${all.map(_.name).mkString(", ")}")
    )
}

/** A board with one tile, by name.
  *
  * @param base
  *   the tile's configuration
  * @param bufferBytes
  *   of its packet buffer, a power of two
  */
case class BoardConfig(name: String, board: Board, base: TileConfig, bufferBytes: Int) {
  val moduleName: String = ModuleName(name)

  /** The tile with all registers. */
  val tile: TileConfig = PortDatapath.tile(base, name, bufferBytes)

  def top(): BoardTop = board.top(tile, bufferBytes)
}
