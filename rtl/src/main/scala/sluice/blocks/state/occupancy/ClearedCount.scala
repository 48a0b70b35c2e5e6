// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.state
package occupancy

import spinal.core._
import spinal.lib._

/** A small count for each flow, class or bin, in block memory, that some of those who look it up raise and that other events clear. In
  * one clock it is looked up and perhaps raised for one index and cleared for one, the same or not; what is looked up is what all
  * earlier clocks have left, and a clock's clearing comes after its raising.
  *
  * No memory needs two writers: clearing an index begins a new round of it, in a memory of rounds, and each look-up rewrites the count
  * together with the round that it belongs to; one of another round counts as 0. Rounds repeat after 2^roundBits, so there must be
  * fewer clearings of an index between two of its look-ups: not more than packets can be in judgment.
  *
  * A reset clears all counts at once ([[ResetNumber]]). Rounds are only compared, so they go on.
  *
  * @param most
  *   where the count stops
  */
class ClearedCount(depth: Int, most: Int, roundBits: Int) extends Component {
  import ForwardedMemory.writeAt
  private val indexBits = log2Up(depth)
  private val countBits = log2Up(most + 1)

  val io = new Bundle {
    val lookUp = slave(Flow(UInt(indexBits bits)))

    /** [[latency]] clocks after the look-up: the count, and whether this look-up raises it, if there is one. */
    val count = out(UInt(countBits bits))
    val isRaised = in(Bool())
    val cleared = slave(Flow(UInt(indexBits bits)))
  }

  val rounds = new Area {
    private val clearing = io.cleared.stage()
    val words = new ForwardedMemory(roundBits, tag = U(0, 0 bits), clearing.payload, clearing.payload)
    words.isWrite := Delay(clearing.valid, writeAt, init = False)
    words.written := words.value + 1

    private val lookUpAt = ForwardedLookUp.behind + 1
    val look = new ForwardedLookUp(words, Delay(io.lookUp.payload, lookUpAt))
    val latency: Int = lookUpAt + ForwardedLookUp.latency
  }

  /** From the look-up to its count, in clocks. */
  val latency: Int = rounds.latency
  private val round = rounds.look.value

  private val readAt = latency - writeAt
  private val resets = new ResetNumber(indexBits, writing = writeAt + 1)
  private val index = Mux(resets.isFresh, resets.address, Delay(io.lookUp.payload, readAt))
  private val words = new ForwardedMemory(roundBits + countBits, resets.number, index, index)

  private val isOfRound = (words.value >> countBits) === round
  io.count := Mux(isOfRound, words.value.resize(countBits), U(0))
  private val isDue = Delay(io.lookUp.valid, latency, init = False)
  words.isWrite := isDue || Delay(resets.isFresh, writeAt, init = False)
  words.written := round @@ Mux(isDue && io.isRaised && io.count =/= most, io.count + 1, io.count)
}
