// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile
package queue
package lists

import sluice.contract.Widths
import spinal.core._
import spinal.lib._

/** What each queue may still send in the round that its next turn is in, in block memory (M. Shreedhar and G. Varghese, "Efficient Fair
  * Queuing using Deficit Round Robin", 1996): its quantum in each round, and what was left in the last one if it still had packets. A
  * queue sends while that is enough for its next packet; it goes into the next round with its quantum added.
  *
  * Only a turn of a queue changes what it may send, and its next one reads that later.
  *
  * @param turn
  *   in clock 0, [[TurnRing]]'s
  * @param quantum
  *   of its queue, in clock [[Quanta.latency]]
  * @param bytes
  *   of the queue's first packet, in clock 2
  * @param nextBytes
  *   of the packet behind it, in clock [[Credit.nextAt]]
  */
class Credit(turn: Flow[Turn], quantum: UInt, bytes: UInt, nextBytes: UInt) extends Area {
  import Credit._
  private val sends = Delay(turn.sends, nextAt)
  private val size4 = Delay(bytes, 2)
  private val memory = Mem(UInt(bits bits), 1 << turn.queue.getWidth)
  memory.addAttribute("syn_ramstyle", "block_ram")
  private val read = Delay(RegNext(memory.readSync(turn.queue)), 2)
  private val credit4 = Mux(Delay(turn.isFirst, 4), quantum.resize(bits), read)

  // Below zero only where the quantum has become less since it was enough.
  private val rest5 = RegNext(credit4.resize(bits + 1) - size4.andMask(Delay(turn.sends, 4)).resize(bits + 1))
  private val left5 = rest5.resize(bits).andMask(!rest5.msb)
  private val left6 = RegNext(left5)
  private val granted6 = RegNext(left5 + RegNext(quantum))
  private val next6 = Mux(sends, nextBytes, Delay(size4, nextAt - 4))

  /** In clock [[decidedAt]]: it is enough for the queue's next packet in this round; or with the next one's quantum. */
  val isEnough: Bool = RegNext(next6 <= left6)
  val willBeEnough: Bool = RegNext(next6 <= granted6)

  memory.write(
    Delay(turn.queue, decidedAt),
    Mux(isEnough, RegNext(left6), RegNext(granted6)),
    enable = Delay(turn.valid, decidedAt, init = False)
  )
}

object Credit {
  val nextAt = 6
  val decidedAt = 7

  /** Of a credit: less than a packet was left, and a quantum is added; or a quantum at the first turn. */
  private val bits = Widths.quantum + 1
}
