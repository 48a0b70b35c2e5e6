// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile
package queue
package lists

import sluice.blocks.state.DeepMemory
import sluice.contract._
import sluice.checks.Proof
import spinal.core._
import spinal.core.formal._
import spinal.lib._

/** What the totals of [[QueueLists]] say of any one queue: a push finds its list empty when all packets pushed before it were popped,
  * in its own clock at the latest, and only then; a pop finds another packet behind its own when one was pushed in a clock before it, and
  * only then; and a push that finds a list has the slot of the packet pushed before it, into which its link goes. By induction, for any
  * time, whenever a reset comes; nothing restarts. Turns and slots may be anything, but that nothing is pushed or popped in the first clock
  * after a reset, that the queue has fewer than `depth` packets, that a turn pops only what was pushed eight clocks ago or more, and that the
  * next one comes [[QueueLists.turn]] clocks later: which is what the whole of the lists is checked for, not proved.
  *
  * The induction rests on what stands in the memories: of the chosen queue the total of some clocks ago, and in no word a number
  * that is still to come.
  */
class ListTotalsProof extends Proof {
  private val (queues, depth) = (3, 4)
  private val (queueBits, slotBits) = (Widths.queue(queues), log2Up(depth))
  private val countBits = slotBits + 1
  private def descriptor() = Descriptor(queueBits = queueBits)

  val lists = new QueueLists(HardType(descriptor()), queues, depth)
  private val (push, turn) = (lists.io.push, lists.turns.io.taken)
  lists.turns.rework {
    for (signal <- Seq(turn.valid, turn.queue, turn.sends)) {
      signal.removeAssignments()
      anyseq(signal)
    }
  }
  lists.slots.rework {
    lists.slots.io.slot.removeAssignments()
    anyseq(lists.slots.io.slot)
  }
  push.valid := free(Bool())
  push.payload := free(HardType(descriptor()))
  lists.io.pop.ready := free(Bool())
  lists.io.quantum := 0
  lists.io.select := 0
  lists.io.setQuantum.setIdle()
  lists.io.restart := False

  val chosen = UInt(queueBits bits)
  anyconst(chosen)
  private val popping = lists.popping.pull()
  private val isPush = push.valid && push.payload.queue === chosen
  private val isPop = popping.valid && popping.queue === chosen
  val pushed, popped = Reg(UInt(countBits bits)) init 0
  pushed := pushed + U(isPush)
  popped := popped + U(isPop)
  private def before(count: UInt, clocks: Int) = Delay(count, clocks, init = U(0, countBits bits))

  private val isFirst = RegNext(False) init True
  assume(!isFirst || !(push.valid || popping.valid))
  assume(!isPush || pushed - popped < depth - 1)
  private val isRecent = History(isPop, 1 until QueueLists.turn, init = False).asBits.orR
  private val untilTurn = 7 // from a push, beside the count's own register
  assume(!isPop || (before(pushed, untilTurn) =/= popped && !isRecent))

  /** The slot of the packet that came last, from the clock on after it is known. */
  private val isSlot = Delay(isPush, FreeSlots.latency, init = False)
  val last = RegNextWhen(lists.slots.io.slot.pull(), isSlot)
  val isAny = RegInit(False) setWhen isSlot

  private val decidedAt = 4
  private val wasEmpty = Delay(pushed === popped + U(isPop), decidedAt)
  private val hasMore = Delay(pushed =/= popped + 1, decidedAt)
  when(isRunning) {
    assert(pushed - popped < depth)
    assert(isAny || (before(pushed, FreeSlots.latency) === 0 && popped === 0))
    when(Delay(isPush, decidedAt, init = False)) {
      assert(lists.onPush.wasEmpty.pull() === wasEmpty)
      assert(lists.onPush.wasEmpty.pull() || lists.onPush.last.pull() === RegNext(last))
    }
    when(Delay(isPop, decidedAt, init = False))(assert(lists.onPop.hasMore.pull() === hasMore))
    cover(Delay(isPush && isPop, decidedAt, init = False) && wasEmpty)
    cover(Delay(isPop, decidedAt, init = False) && hasMore)
  }

  private def stored(memory: DeepMemory) =
    lists.rework(out(Vec((0 to queues).map(word => memory.columns.head.readAsync(U(word, queueBits bits))))))
  private val ofPushed = Seq(lists.pushed.words, lists.onPop.came.copy).map(stored)
  private val ofPopped = Seq(lists.popped.words, lists.onPush.gone.copy).map(stored)
  // The memories begin with zeros, and nothing is being written.
  assumeInitial((ofPushed ++ ofPopped).map(_.asBits === 0).reduce(_ && _))
  for (writing <- Seq(lists.resets.isFreshWritten, lists.pushed.isWriting, lists.popped.isWriting))
    assumeInitial(!writing.pull())

  // What holds in a reset too.
  private val number = lists.resets.generation.number.pull()
  private val isUsed = lists.resets.generation.isUsed.pull()
  private val delays = 4 // from a push or a pop to the memories, beside the sum's own register
  private val isBegun = History(lists.resets.isFresh.pull(), 0 to delays, init = False).asBits.orR
  private val (pushedThere, poppedThere) = (before(pushed, delays), before(popped, delays))
  private val (lastThere, isAnyThere) = (RegNext(last), RegNext(isAny) init False)
  val always = new ClockingArea(ClockDomain(clockDomain.clock, config = ClockDomainConfig(resetKind = BOOT))) {
    val isPast = Reg(Bool()) init False
    isPast := True
    private def tag(word: Bits): UInt = word.asUInt >> (word.getWidth - queueBits - 1)
    private def total(words: Vec[Bits]): UInt = {
      val word = words(chosen)
      word.asUInt.resize(word.getWidth - queueBits - 1).andMask(tag(word) === number)
    }
    when(isPast) {
      assert(isUsed || isBegun)
      for (words <- ofPushed) {
        assert(total(words).resize(countBits) === pushedThere)
        assert(!isAnyThere || (total(words) >> countBits) === lastThere)
      }
      for (words <- ofPopped) assert(total(words) === poppedThere)
    }
    for (words <- ofPushed ++ ofPopped; (word, address) <- words.zipWithIndex) {
      val age = number - tag(word)
      val sinceRewritten = (number - U(!isUsed) - address).resize(queueBits) +^ U(!isUsed)
      assert(age <= sinceRewritten && (isUsed || age =/= 0))
    }
  }
}
