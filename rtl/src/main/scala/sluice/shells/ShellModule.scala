// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.shells

import spinal.core._

/** A shell's own module around a generated wrapper, where the shell sets parameters.
  *
  * The wrapper has one width for each port. So the elaboration ends where a parameter on which a port hangs, or that says who the
  * module is, differs: at an instance of a module that does not exist, as Verilog of 2001 has no errors of its own. It is of 2001
  * because Vivado packages no other language as the top of an IP.
  */
object ShellModule {

  /** File and text of `module`, with the ports of `wrapper`.
    *
    * @param fixed
    *   parameters and the only value that each may have
    * @param free
    *   parameters that change nothing here
    */
  def apply(
      module: String,
      wrapper: Component,
      fixed: Seq[(String, Int)],
      free: Seq[String] = Nil
  ): (String, String) = {
    val ports = wrapper.getOrdredNodeIo.toSeq
    val parameters =
      fixed.map { case (name, value) => s"  parameter $name = $value" } ++ free.map(name => s"  parameter $name = 0")
    val declarations = ports.map { port =>
      val way = if (port.isInput) "input " else "output"
      val range = if (port.getBitsWidth > 1) s" [${port.getBitsWidth - 1}:0]" else ""
      s"  $way wire$range ${port.getName()}"
    }
    val checks = fixed.map { case (name, value) => s"    if ($name != $value) ${name}_must_be_$value refused();" }
    val connections = ports.map(port => s"    .${port.getName()}(${port.getName()})")
    val text =
      s"""`timescale 1ns/1ps
         |
         |module $module #(
         |${parameters.mkString(",\n")}
         |) (
         |${declarations.mkString(",\n")}
         |);
         |  generate
         |${checks.mkString("\n")}
         |  endgenerate
         |
         |  ${wrapper.definitionName} wrapped (
         |${connections.mkString(",\n")}
         |  );
         |endmodule
         |""".stripMargin
    s"$module.v" -> text
  }
}
