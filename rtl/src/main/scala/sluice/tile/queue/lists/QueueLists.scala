// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile
package queue
package lists

import sluice.blocks.state.{ForwardedLookUp, ForwardedMemory, ResetNumber}
import sluice.contract._
import sluice.tile.queue.numbers.{Quanta, QueueNumbers, QueueTotal}
import spinal.core._
import spinal.lib._

/** Many queues in one block memory, each a linked list of slots in it, and those that have packets in turn by deficit round robin
  * ([[Credit]]): a queue on its turn sends one packet and goes behind all others of its round if it may send another one, and into the next
  * round if not. The work does not depend on the number of queues. For queues from which packets go only to the link. With several levels
  * ([[Levels]]) that holds among the queues of one, and the highest that had a turn to take a clock before goes first.
  *
  * One packet of any queue comes and one leaves in a clock, with levels in every other one at most. A queue's next turn is
  * [[QueueLists.turn]] clocks after one at the earliest, so fewer queues than that leave clocks free, and so does the end of a round. A
  * reset empties all of it at once. Nothing here checks for room: whoever pushes keeps fewer than `depth - TileConfig.margin` packets in
  * all, in whatever queues.
  *
  * A queue that has packets is in exactly one place, a turn to come or one under way, and that knows the slot of its first packet; so
  * there is no memory of heads. Two totals by queue, of packets pushed and popped, each with one writer, say whether a list is empty. A
  * push and a pop that are under way at once look at each other's total: the push knows of all pops of its clock and before, the pop of
  * all pushes before its clock. What the memories do not show yet is counted by comparison of the queues.
  *
  * What an upset has done to a list lasts until all are empty, and then `restart` ends it. Meanwhile a queue of which more was popped
  * than pushed is taken for empty, so that a turn too many ends after one packet.
  *
  * @param entry
  *   a packet, with its queue
  * @param depth
  *   slots, a power of two
  * @param levels
  *   of strict priority, a power of two
  */
class QueueLists(entry: HardType[Descriptor], queues: Int, depth: Int, levels: Int = 1) extends Component {
  import ForwardedMemory.writeAt
  import QueueLists._
  require(queues > 2, s"rings are for $queues queues")
  private val queueBits = Widths.queue(queues)
  private val slotBits = log2Up(depth)
  private val countBits = slotBits + 1 // of a total, and of a difference of two with its sign

  val io = new Bundle {
    val push = slave(Flow(entry())) // none in the first clock after a reset
    val pop = master(Stream(entry()))
    val quantum = in(UInt(Widths.quantum bits)) // of a queue that has none of its own
    val select = in(UInt(queueBits bits)) // a queue of which the host wants to know, or that it sets
    val setQuantum = slave(Flow(UInt(Widths.quantum bits))) // of that, in bytes; 0: it has none of its own
    val quantumNow = out(UInt(Widths.quantum bits)) // of that
    val setLevel = (levels > 1) generate slave(Flow(UInt(log2Up(levels) bits))) // of that
    val levelNow = (levels > 1) generate out(UInt(log2Up(levels) bits)) // of that
    val isAtRest = out(Bool()) // of all queues; see [[Rest]]
    val restart = in(
      Bool()
    ) // nothing is queued, comes in this clock or is on its way: all begins anew, as after a reset
    val isMended = out(Bool()) // what counts the packets under way was wrong and begins anew
    val isOdd = out(Bool()) // a packet was fetched with another length than it came with
  }

  val turns: TurnOrder = {
    val (of, depth, back) = (HardType(Turn(queueBits, slotBits)), 1 << queueBits, TurnRing.latency + Credit.decidedAt)
    if (levels == 1) new Rounds(of, depth, back) else new Levels(of, depth, back, levels)
  }
  private val turn = turns.io.taken
  private val isNothing = turn.valid && !turn.sends
  private val most = ahead(levels)
  val picked =
    new PickedAhead(turns.io.isWaiting, io.pop, most, silentFor = 16, isLate = levels > 1, Some(isNothing))
  turns.io.take := picked.isPicking

  /** The turn in which a packet leaves. */
  val popping = turn.takeWhen(turn.sends)
  val quanta = new Quanta(io.select, io.setQuantum, io.quantum)
  io.quantumNow := quanta.of(io.select)

  val resets = new ResetNumber(queueBits, writing = writeAt + 1, io.restart)

  /** Packets that came to each queue, and the slot of the last one. */
  val pushed = QueueTotal(countBits + slotBits, resets, io.push.valid, io.push.queue)

  /** Packets that were popped of each. */
  val popped = QueueTotal(countBits, resets, popping.valid, popping.queue)
  private def count(word: UInt): UInt = word.resize(countBits)
  private def isChanging(is: Flow[_ <: Data]): UInt = U(Delay(is.valid, writeAt, init = False))
  popped.written := popped.value + isChanging(popping)

  /** Whether one of some clocks' changes is of this queue, so many clocks after the queue is given. */
  private def isAmong(queue: UInt, changes: Flow[_ <: Data], its: UInt, ages: Range): Bool = {
    val isOne = ages.map(age => Delay(changes.valid, age, init = False) && Delay(its, age) === queue).orR
    Delay(isOne, ForwardedLookUp.latency, init = False)
  }

  val slots = new FreeSlots(depth)
  slots.io.take := io.push.valid
  slots.io.back << popping.translateWith(popping.slot).stage() // its packet is being read
  slots.io.restart := io.restart

  // Block RAM is slow at its output, so that gets a register.
  private val stored = Descriptor(entry().cookieBits, entry().tagBits, entry().withTime) // its queue is known
  val packets = Mem(CheckedDescriptor(HardType(stored)), depth)
  val links = Mem(Link(slotBits), depth)

  val onPush = new Area {
    private def isHere(clocks: Int) = Delay(io.push.valid, clocks, init = False)
    private val described = cloneOf(stored)
    described.assignSomeByName(Delay(io.push.payload, FreeSlots.latency))
    packets.write(slots.io.slot, CheckedDescriptor.of(HardType(stored), described), enable = isHere(FreeSlots.latency))
    pushed.written := slots.io.slot @@ (count(pushed.value) + isChanging(io.push))

    val gone = new ForwardedLookUp(popped, io.push.queue)
    private val isGoing = isAmong(io.push.queue, popping, popping.queue, 0 to ForwardedLookUp.behind)
    val wasEmpty = RegNext(!(gone.value + U(isGoing) - count(pushed.value)).msb)
    val last = RegNext(pushed.value >> countBits) // the slot of the packet before it, if there is one
    private val slot = RegNext(slots.io.slot)
    private val isDecided = isHere(writeAt + 1)
    private val bytes = Delay(io.push.bytes, Quanta.latency)
    private val first = turns.io.added(1)
    require(Quanta.latency == writeAt + 1)
    first.valid := isDecided && wasEmpty
    first.queue := Delay(io.push.queue, writeAt + 1)
    first.slot := slot
    first.sends := quanta.isEnough(io.push.queue, Delay(io.push.bytes, Quanta.latency - 1))
    first.isFirst := True
    links.write(last, Link.of(slot, bytes), enable = isDecided && !wasEmpty)
  }

  val onPop = new Area {
    val came = new ForwardedLookUp(pushed, popping.queue)
    private val isComing = isAmong(popping.queue, io.push, io.push.queue, 1 to ForwardedLookUp.behind)
    val hasMore = RegNext(isComing || (popped.written - count(came.value)).msb)
    private val word = RegNext(packets.readSync(turn.slot))
    val fetched = Flow(entry())
    fetched.valid := Delay(popping.valid, 2, init = False)
    fetched.payload.assignSomeByName(word.descriptor)
    fetched.queue.allowOverride() := Delay(popping.queue, 2)

    // By then the links of all pushes that it knows of are written.
    private val link = RegNext(links.readSync(Delay(popping.slot, linked)))
    require(linked + 2 == Credit.nextAt)
    val credit = new Credit(turn, quanta.of(turn.queue), word.descriptor.bytes, link.bytes)
    private val isKept = Delay(isNothing, Credit.decidedAt, init = False)
    private val comes = Delay(popping.valid, Credit.decidedAt, init = False) &&
      Delay(hasMore, Credit.decidedAt - writeAt - 1)
    private val next = cloneOf(turn.payload)
    next.queue := Delay(turn.queue, Credit.decidedAt)
    next.slot := Mux(isKept, Delay(turn.slot, Credit.decidedAt), RegNext(link.slot))
    next.sends := credit.isEnough || credit.willBeEnough
    next.isFirst := False
    for ((flow, isIts) <- Seq(turns.io.again -> credit.isEnough, turns.io.added(0) -> !credit.isEnough)) {
      flow.valid := (comes || isKept) && isIts
      flow.payload := next
    }
    io.isOdd := RegNext(fetched.valid && word.isOdd, init = False)
  }

  // Room for all that is picked, so what is fetched never waits for it; and what is offered comes from a register.
  private val waiting = onPop.fetched.toStream.queue(most)
  io.pop << waiting.m2sPipe()
  io.isMended := picked.isMended

  val ofLevels: Option[Area] = Some(turns).collect { case order: Levels =>
    new Area {
      val own = new QueueNumbers(io.select, io.setLevel)
      io.levelNow := own.of(io.select)
      private def its(queue: UInt, clocks: Int) = Delay(own.of(queue), clocks - QueueNumbers.latency)
      val ofTurn = its(turn.queue, Credit.decidedAt)
      val ofPush = its(io.push.queue, writeAt + 1)
      order.levelOf.again := ofTurn
      order.levelOf.added(0) := ofTurn
      order.levelOf.added(1) := ofPush
    }
  }

  private val rest = new Rest(
    isStep = True,
    isThere = turns.io.isAny || picked.owed =/= 0,
    isEntering = io.push.valid,
    most = 32 // and until what left counts no more
  )
  io.isAtRest := rest.isOn
}

object QueueLists {

  /** Packets that are picked before the link takes them: so many that one in a clock leaves, or with levels, where who comes to a higher
    * one waits for them, four in ten.
    */
  def ahead(levels: Int): Int = if (levels == 1) 16 else 4

  /** Clocks from a turn's packet being read to its link. */
  private val linked = writeAt + 1

  private def writeAt = ForwardedMemory.writeAt

  /** Clocks from a queue's turn to its next one of the same round; into the next one it is a clock more. With levels both are two more. */
  val turn: Int = TurnRing.latency + Credit.decidedAt + 1
}

/** From a packet to the one behind it in its queue: where that is, and how long. */
case class Link(slotBits: Int) extends Bundle {
  val slot = UInt(slotBits bits)
  val bytes = UInt(Widths.packet bits)
}

object Link {
  def of(slot: UInt, bytes: UInt): Link = {
    val link = Link(slot.getWidth)
    link.slot := slot
    link.bytes := bytes
    link
  }
}
