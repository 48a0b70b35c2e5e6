// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.shells

import sluice.contract.ModuleName
import sluice.packet.{DatapathConfig, SideBand}
import sluice.shells.corundum.{CorundumRx, CorundumTx}
import sluice.shells.esnet.EsnetNic
import spinal.core._

/** A place in somebody's shell where a datapath may stand.
  *
  * @param name
  *   as in configs.yaml
  * @param where
  *   in words
  * @param dataBits
  *   width of the shell's streams
  * @param band
  *   what the shell sends along with each frame
  */
abstract class Shell(val name: String, val where: String, val dataBits: Int, val band: SideBand) {

  /** The wrapper, with the shell's own ports. */
  def wrapper(datapath: DatapathConfig): Component

  /** Verilog that makes the generated wrapper fit its place where ports alone do not: a file's name and its text. */
  def adapter(wrapper: Component): Option[(String, String)] = None
}

object Shell {
  val all: Seq[Shell] = Seq(OpenNicToWire, OpenNicToHost, CorundumRx, CorundumTx, NetFpgaSume, EsnetNic)

  /** The shell of a name, or an error that names the known ones. */
  def apply(name: String): Shell = all
    .find(_.name == name)
    .getOrElse(
      throw new IllegalArgumentException(s"unknown shell '$name'; known: ${all.map(_.name).mkString(", ")}")
    )
}

/** A datapath in a shell, by name. */
case class ShellConfig(name: String, shell: Shell, datapath: DatapathConfig) {
  require(
    datapath.dataBits == shell.dataBits && datapath.band == shell.band,
    s"$name: ${shell.name} has streams of ${shell.dataBits} bits with ${shell.band}, and ${datapath.name} has not"
  )

  val moduleName: String = ModuleName(name)
}
