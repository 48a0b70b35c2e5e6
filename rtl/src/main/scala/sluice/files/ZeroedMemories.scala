// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice
package files

import sluice.blocks.state.DeepMemory

/** Memories that must hold zeros when the chip starts, as those of FPGAs do: here they do so in simulators too, and in every chip whose
  * configuration fills its memories. SpinalHDL would write a line for each word.
  */
object ZeroedMemories {
  private val declaration =
    raw"""(?m)^  \(\*(.*?),? *${DeepMemory.zeroed}( *,?.*?)\*\) (reg \[[^\]]+\] (\w+) \[0:(\d+)\];)$$""".r

  /** A design's text in which such a memory has its zeros behind its declaration. */
  def rewritten(text: String): String = {
    val filled = declaration.replaceAllIn(
      text,
      found => {
        val (memory, last) = (found.group(4), found.group(5))
        val attributes = s"${found.group(1)}${found.group(2)}".trim.stripPrefix(",").trim
        val kept = if (attributes.isEmpty) "" else s"(* $attributes *) "
        s"""  $kept${found.group(3)}
           |  integer ${memory}_word;
           |  initial for (${memory}_word = 0; ${memory}_word <= $last; ${memory}_word = ${memory}_word + 1) $memory[${memory}_word] = 0;""".stripMargin
      }
    )
    require(!filled.contains(DeepMemory.zeroed), "a memory is declared in a way that is not known here")
    filled
  }
}
