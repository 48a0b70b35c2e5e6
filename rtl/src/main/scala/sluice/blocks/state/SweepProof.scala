// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.state

import sluice.checks.Proof
import spinal.core._
import spinal.core.formal._

/** A sweep goes over each word in one clock, in the clocks after a reset and in no other, whenever a reset comes. By induction, for any
  * time.
  */
class SweepProof(words: Int) extends Proof {
  val block = new Sweep(words)
  private val clocks = 3
  private val isRecent = block.isRecent(clocks)

  val chosen = UInt(log2Up(words) bits)
  anyconst(chosen)
  assume(chosen < words)

  private val elapsed = Reg(UInt(log2Up(words + clocks + 2) bits)) init 0 // since the reset; stops beyond what matters
  when(elapsed < words + clocks)(elapsed := elapsed + 1)
  private val visits = Reg(UInt(2 bits)) init 0
  when(block.isOn && block.place === chosen && visits =/= 3)(visits := visits + 1)

  assert(block.isOn === elapsed < words)
  assert(block.place === Mux(block.isOn, elapsed, U(0)).resized)
  assert(visits === U(elapsed > chosen))
  assert(isRecent === elapsed < words + clocks)
  cover(!isRecent && visits === 1)
}
