// SPDX-License-Identifier: Apache-2.0
package sluice

import sluice.contract.AqmCore
import sluice.tile._
import spinal.core._

import java.nio.file.{Files, Path}

/** What elaboration tells of a configuration. */
case class Design(coreLatency: Int, latency: Int)

/** Elaborates the tops of a configuration and writes their Verilog. */
object Emit {
  def apply(config: TileConfig, folder: Path, withVerilog: Boolean): Design = {
    val scratch = Files.createTempDirectory("sluice")
    val spinal  = Config.spinal(scratch.toString)

    def top[T <: Component](kind: String, design: => T): T = {
      val report = spinal.generate {
        val made = design.setDefinitionName(config.moduleName(kind))
        made.clockDomain.reset.setName("rst")
        made
      }
      val file = s"${config.moduleName(kind)}.sv"
      if (withVerilog) Generate.writeIfChanged(folder.resolve(file), Files.readString(scratch.resolve(file)))
      report.toplevel
    }

    val core: AqmCore = top("core", config.algorithm.core(config.queues))
    val tile          = top("tile", new AqmTile(config))
    Design(core.latency, tile.latency)
  }
}
