// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice

import spinal.core._
import spinal.core.internals._

import java.nio.file.{Files, Path}
import scala.reflect.io.Directory

/** The only SpinalHDL configuration of the library: synchronous active-high reset named `rst`, clock `clk`, SystemVerilog
  * without a time stamp or a commit, so that the same source always gives the same text.
  *
  * Every module inside a top bears the top's name before its own. SystemVerilog has one space of module names for a whole
  * design, and the same class becomes other hardware in another top: without the name before it an instance of one would
  * silently get the other's body.
  */
object Config {
  val clockDomain: ClockDomainConfig = ClockDomainConfig(
    clockEdge = RISING,
    resetKind = SYNC,
    resetActiveLevel = HIGH
  )

  /** Where Verilog is written before it is put in its place; gone with the process. */
  private[sluice] lazy val scratch: Path = {
    val folder = Files.createTempDirectory("sluice")
    sys.addShutdownHook(new Directory(folder.toFile).deleteRecursively())
    folder
  }

  def spinal(directory: String): SpinalConfig = SpinalConfig(
    mode = SystemVerilog,
    targetDirectory = directory,
    defaultConfigForClockDomains = clockDomain,
    oneFilePerComponent = false,
    privateNamespace = true,
    headerWithDate = false,
    headerWithRepoHash = false,
    inlineRom = true, // one file per top: no memory images beside it
    removePruned = true,
    bitVectorWidthMax = 8192 // a shell has the channels of all its memories in one port
  ).addTransformationPhase(DontCareCollisions)
}

/** Passes on to Yosys what a read declared `dontCare` says and Verilog cannot: what it gives while its word is being written
  * is not used. Otherwise Yosys compares the addresses and keeps the old word in logic.
  */
private object DontCareCollisions extends PhaseNetlist {
  override def impl(pc: PhaseContext): Unit = pc.walkDeclarations {
    case memory: Mem[_] =>
      var isDontCare = true
      memory.foreachStatements {
        case read: MemReadSync => isDontCare &= read.readUnderWrite == dontCare
        case _                 =>
      }
      if (isDontCare) memory.addAttribute("no_rw_check")
    case _ =>
  }
}
