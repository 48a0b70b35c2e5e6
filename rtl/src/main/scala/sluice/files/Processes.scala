// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice
package files

import scala.collection.mutable
import scala.util.matching.Regex
import scala.util.matching.Regex.quoteReplacement

/** Combinational processes that every simulator runs from its first instant on, and that come to rest in each.
  *
  * SpinalHDL writes `always @(*)`, which runs when something that it reads changes. What is 0 by its declaration and stays so
  * does not change, so in a simulator that keeps to the language such a process does not run: what it drives is X, and registers take
  * that in. `always_comb` runs once at time 0 by definition (IEEE 1800-2017, 9.2.2.2.2). It needs two things besides:
  *
  *   - A process that gives its variable a default and then its value wakes those that read it, whether or not the value is new. Two
  *     that lead to each other by different members of a bundle, which is no loop in hardware, would wake each other for ever. Here
  *     each way through a process assigns once ([[Ways]]).
  *   - Icarus Verilog takes a constant select in such a process for all of its vector. Here each select stands before the process, as
  *     a net of its own.
  */
object Processes {

  /** A design's text with its processes rewritten, module by module. */
  def rewritten(text: String): String = {
    val modules = module.replaceAllIn(text, found => quoteReplacement(rewrittenModule(found.matched)))
    require(!modules.contains("always @(*)"), "a combinational process is written in a way that is not known here")
    modules
  }

  private val module = """(?ms)^module .*?^endmodule""".r
  private val process = """(?ms)^  always @\(\*\) begin\n(.*?)^  end\n""".r
  private val assignment = """(?m)^( *(?:.* : )?[\w.\[\] :]*? = )(.*);$""".r
  private val select = """\b(?<!['.])([A-Za-z_]\w*)\[(\d+)(?: ?: ?(\d+))?\]""".r

  private def rewrittenModule(text: String): String = {
    val nets = mutable.Set[String]()
    lazy val names = """\w+""".r.findAllIn(text).toSet
    process.replaceAllIn(
      text,
      found => {
        val before = new StringBuilder
        def net(part: Regex.Match): String = {
          val (vector, high, low) = (part.group(1), part.group(2).toInt, Option(part.group(3)).map(_.toInt))
          val name = s"${vector}_$high" + low.fold("")(l => s"_$l")
          if (nets.add(name)) {
            require(!names(name), s"$name is a name already")
            before ++= s"  wire ${low.fold("")(l => s"[${high - l}:0] ")}$name = ${part.matched};\n"
          }
          name
        }
        val body = assignment.replaceAllIn(
          Ways.once(found.group(1)),
          line => quoteReplacement(line.group(1) + select.replaceAllIn(line.group(2), net(_)) + ";")
        )
        quoteReplacement(s"$before  always_comb begin\n$body  end\n")
      }
    )
  }
}
