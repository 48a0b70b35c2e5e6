// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.boards

import sluice.packet.PortDatapath
import sluice.tile.TileConfig
import spinal.core.Component

/** What the generator needs to know of a board's top. */
trait BoardTop extends Component {
  def datapath: PortDatapath
}

/** One board with one tile.
  *
  * @param name
  *   what it is called with this configuration
  * @param config
  *   its tile's configuration
  * @param bufferBytes
  *   its packet buffer, a power of two
  */
case class Board(name: String, config: String, bufferBytes: Int, top: (TileConfig, Int) => BoardTop) {
  val moduleName: String = s"sluice_${name.replace('-', '_')}"

  /** Its tile, with all registers. */
  def tile(tiles: Seq[TileConfig]): TileConfig =
    PortDatapath.tile(tiles.find(_.name == config).get, name, bufferBytes)
}

/** The one list of boards. */
object Boards {
  val all: Seq[Board] = Seq(
    Board("lattice-versa-ecp5", "red", 131072, new VersaEcp5(_, _)),
    Board("lattice-versa-ecp5-care", "care", 131072, new VersaEcp5(_, _))
  )
}
