// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice
package files

import sluice.blocks.cardinality.MinCountConfig
import sluice.boards.BoardConfig
import sluice.contract.AqmCore
import sluice.packet._
import sluice.shells.ShellConfig
import sluice.tile._
import sluice.checks.Claim
import spinal.core._

import java.nio.file.{Files, Path}

/** What elaboration tells of a configuration.
  *
  * @param tickCycles
  *   clocks that a tick of each kind works for
  * @param lead
  *   clocks of a datapath's latency before its tile
  */
case class Design(coreLatency: Int, headLatency: Int, latency: Int, tickCycles: Seq[Int], lead: Int)

object Design {
  def apply(core: AqmCore, latency: Int, lead: Int): Design =
    Design(core.latency, core.headLatency, latency, core.algorithm.ticks.map(core.tickCycles), lead)
}

/** Elaborates designs and writes their Verilog. */
object Emit {
  private lazy val spinal = Config.spinal(Config.scratch.toString)

  /** The two tops of a configuration. */
  def apply(config: TileConfig, folder: Path): Design = {
    val what = FileHead.of(config)
    val core: AqmCore =
      top(config.moduleName("core"), s"core of $what", folder, config.algorithm.core())
    val tile = top(config.moduleName("tile"), s"tile of $what", folder, new AqmTile(config))
    Design(core, tile.latency, lead = 0)
  }

  /** The top of a datapath. */
  def apply(config: DatapathConfig, folder: Path): Design = {
    val datapath = top(config.moduleName, FileHead.of(config), folder, new Datapath(config))
    Design(datapath.tile.core, datapath.latency, datapath.lead)
  }

  /** The top of a counter of flows: clocks from a window's end to its count. */
  def apply(config: MinCountConfig, folder: Path): Int =
    top(config.moduleName, FileHead.of(config), folder, config.counter()).latency

  /** The top of a board around its datapath. */
  def apply(config: BoardConfig, folder: Path): Design = {
    val datapath = top(config.moduleName, FileHead.of(config), folder, config.top()).datapath
    Design(datapath.tile.core, datapath.latency, datapath.latency - datapath.tile.latency)
  }

  /** A shared block alone. */
  def block(name: String, folder: Path, design: => Component): Component =
    top(s"sluice_block_$name", s"block '$name' alone", folder, design)

  /** What stands before any tile or datapath whose host or time has another clock. */
  def crossing(folder: Path): Component =
    top("sluice_clock_crossing", "'crossing' of AXI4-Lite and time from other clocks", folder, new ClockCrossing)

  /** A datapath's wrapper for a shell, and what makes it fit there. */
  def apply(config: ShellConfig, folder: Path): Unit = {
    val what = FileHead.of(config)
    val wrapper = top(config.moduleName, what, folder, config.shell.wrapper(config.datapath))
    for ((file, text) <- config.shell.adapter(wrapper))
      Generate.writeIfChanged(folder.resolve(file), FileHead(what).map(line => s"// $line\n").mkString + text)
  }

  /** One proof: a design with its assertions. */
  def proof(claim: Claim, folder: Path): Component =
    top(s"sluice_proof_${claim.name}", s"proof '${claim.name}'", folder, claim.design(), spinal.includeFormal)

  /** One design as `folder/module.sv`, which says in its head what it is. */
  private def top[T <: Component](
      module: String,
      what: String,
      folder: Path,
      design: => T,
      config: SpinalConfig = spinal
  ): T = {
    val report = config.copy(rtlHeader = FileHead(what).mkString("\n")).generate {
      val made = design.setDefinitionName(module)
      made.clockDomain.reset.setName("rst")
      made
    }
    val written = Files.readString(Config.scratch.resolve(s"$module.sv"))
    Generate.writeIfChanged(folder.resolve(s"$module.sv"), ZeroedMemories.rewritten(Processes.rewritten(written)))
    report.toplevel
  }
}
