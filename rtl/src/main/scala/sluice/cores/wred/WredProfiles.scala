// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.cores.wred

import spinal.core._

/** The profiles of many queues, in distributed memory: a set of parameters replaces the one whose number it carries, and each arrival
  * reads its own. After a reset all are as the parameters are then; nothing needs to be emptied.
  *
  * @param number
  *   the one that an arrival wants
  * @param isNew
  *   a set enters in this clock: the arrival of this clock reads what was there, that of the next one the new set
  * @param to
  *   the profile that it is
  * @param word
  *   its word
  */
class WredProfiles(format: ProfileWord, number: UInt, isNew: Bool, to: UInt, word: Bits) extends Area {
  private val memory = Mem(Bits(format.width bits), 1 << number.getWidth)
  memory.addAttribute("syn_ramstyle", "distributed") // Lattice's word
  memory.write(to, word, isNew)
  private val isSet = Reg(Bits(1 << number.getWidth bits)) init 0
  when(isNew)(isSet(to) := True)

  /** A clock after the number: its word. */
  val found: Bits = Mux(RegNext(isSet(number)), RegNext(memory.readAsync(number)), B(format.atReset, format.width bits))
}
