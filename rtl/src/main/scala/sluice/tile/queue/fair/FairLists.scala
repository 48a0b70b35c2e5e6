// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile
package queue
package fair

import sluice.blocks.state._
import sluice.contract._
import sluice.tile.queue.lists.{FreeSlots, TurnAsks}
import sluice.tile.queue.numbers.{Quanta, QueueTotal}
import spinal.core._
import spinal.lib._

/** Many queues in one block memory, each a linked list of slots in it, that share the link as RFC 8290 has it ([[FairTurns]]), with a core
  * that judges each packet at the head of its queue. The work does not depend on the number of queues.
  *
  * One packet of any queue comes in a clock, and one turn begins, if the link has asked for it. On its turn a queue
  *
  *   - whose deficit is not above zero gets its quantum and goes to the end of the old ones;
  *   - that has a packet has it judged: sent and charged, or dropped and not charged; either way it stays at the front of its list;
  *   - that has none goes from the new ones to the end of the old ones, and from the old ones out of both.
  *
  * Its next turn comes when all that is known, [[turnCycles]] clocks later, so a queue is in one turn at most and what is kept of it is
  * read at the turn's beginning and written at its end.
  *
  * Two totals by queue say how many packets it has and whether it is in a list, each with one writer: pushing adds one, and one more
  * where it puts the queue into a list; a turn that takes a packet away, or the queue out of the lists, adds one to the other. So the
  * difference is 0 out of the lists, and one more than its packets within. Which of the two a turn does need not be known when the total
  * moves. A new queue whose first packet is not known only looks for it, which moves nothing.
  *
  * A push knows of all turns that begin in its clock or before, a turn of all pushes before its clock.
  *
  * Nothing here checks for room: whoever pushes keeps fewer than `depth - TileConfig.margin` packets in all. What an upset has done to a
  * list lasts until all are empty, and then `restart` ends it.
  *
  * @param headLatency
  *   of the core
  * @param stateBits
  *   that it keeps of each queue
  */
class FairLists(config: TileConfig, headLatency: Int, stateBits: Int) extends Component {
  import FairLists._
  import ForwardedMemory.writeAt
  private val queueBits = config.queueBits
  private val depth = config.ringPackets
  private val slotBits = log2Up(depth)
  private val countBits = slotBits + 1
  private val judgedAt = presentedAt + headLatency
  require(isPow2(config.queues), s"${config.name}: queues that take turns as in RFC 8290 are a power of two")
  require(headLatency > 3, s"${config.name}: ${config.algorithm.name} judges heads too soon")
  require(FairTurns.most > judgedAt + 1 + FairTurns.latency, "a queue in a turn has a place at the front of a list")
  require(AskedRing.silence > judgedAt + 1 + FairTurns.latency, "asks are silent when no turn is under way")

  // From `quantum` on as QueueLists has them: what a tile asks of either. A bundle within would lengthen each port's name by its own.
  val io = new Bundle {
    val push = slave(Flow(config.entry)) // none in the first clock after a reset
    val ask = slave(Event)
    val head = master(Flow(FairHead(config, stateBits)))
    val verdict = in(HeadVerdict()) // on the head of so many clocks ago
    val stateAfter = in(Bits(stateBits bits))
    val left = master(Stream(Leaving(HardType(config.descriptor))))
    val quantum = in(UInt(Widths.quantum bits)) // of a queue that has none of its own
    val select = in(UInt(queueBits bits)) // a queue of which the host wants to know, or that it sets
    val setQuantum = slave(Flow(UInt(Widths.quantum bits))) // of that, in bytes; 0: it has none of its own
    val quantumNow = out(UInt(Widths.quantum bits)) // of that
    val isAsked = out(Bool()) // an ask is unmet and no turn is under way
    val isAtRest = out(Bool()) // of all queues; see [[Rest]]
    val restart = in(
      Bool()
    ) // nothing is queued, comes in this clock or is on its way: lists begin anew, as after a reset
    val isMended = out(Bool()) // what counts the turns under way was wrong and begins anew
    val isOdd = out(Bool()) // a packet was fetched with another length than it came with
  }

  val turns = new FairTurns(HardType(FairTurn(queueBits, slotBits)), 1 << queueBits)
  private val turn = turns.io.taken
  private def later[T <: Data](value: T, clocks: Int): T = Delay(value, clocks)
  private def isLater(is: Bool, clocks: Int): Bool = Delay(is, clocks, init = False)

  val quanta = new Quanta(io.select, io.setQuantum, io.quantum)
  io.quantumNow := quanta.of(io.select)

  val resets = new ResetNumber(queueBits, writing = writeAt + 1, io.restart)

  /** What came to each queue: bytes, the slot of the last packet, and the count. */
  private val pushedAt = 1
  private val came = io.push.stage()
  val pushed = QueueTotal(Widths.maxBytes + slotBits + countBits, resets, came.valid, came.queue)
  private def count(word: UInt): UInt = word.resize(countBits)
  private def slotOf(word: UInt): UInt = (word >> countBits).resize(slotBits)
  private def bytesOf(word: UInt): UInt = word >> (countBits + slotBits)

  /** How many packets were taken from each queue, and how often it went out of the lists. */
  private val isTakingAway = turn.valid && turn.maySend && (turn.hasSlot || !turn.isNew)
  val popped = QueueTotal(countBits, resets, isTakingAway, turn.queue)
  popped.written := popped.value + U(isLater(isTakingAway, writeAt))

  val slots = new FreeSlots(depth)
  slots.io.take := io.push.valid
  slots.io.restart := io.restart

  // Block RAM is slow at its output, so that gets a register.
  private val stored = { // its queue is known
    val entry = config.entry
    Descriptor(entry.cookieBits, entry.tagBits, entry.withTime)
  }
  private def checked = CheckedDescriptor(HardType(stored))
  val packets = new DeepMemory(widthOf(checked), depth)
  val links = Mem(UInt(slotBits bits), depth)

  // The first packet of a queue in a list that had none, by whether the count of those taken from it is odd: until that moves it stays.
  val firsts = Mem(UInt(slotBits bits), 2 << queueBits)

  val onPush = new Area {
    private def isHere(clocks: Int) = isLater(io.push.valid, clocks)
    private val described = cloneOf(stored)
    described.assignSomeByName(later(io.push.payload, FreeSlots.latency))
    packets.write(
      slots.io.slot,
      CheckedDescriptor.of(HardType(stored), described).asBits,
      enable = isHere(FreeSlots.latency)
    )

    val gone = new ForwardedLookUp(popped, io.push.queue)
    private val isGoing = (0 to ForwardedLookUp.behind)
      .map(age => isLater(isTakingAway, age) && later(turn.queue, age) === io.push.queue)
      .orR
    private val taken = gone.value + U(isLater(isGoing, ForwardedLookUp.latency))
    private val taken4 = RegNext(taken)
    private val slot4 = RegNext(slots.io.slot)
    require(pushedAt + writeAt == ForwardedLookUp.latency + 1 && FreeSlots.latency == ForwardedLookUp.latency)

    val isOut = count(pushed.value) === taken4 // the queue is in no list
    val isEmpty = count(pushed.value) === RegNext(taken + 1) // it is in one, without a packet
    private val isThere = isHere(pushedAt + writeAt)
    private val added = (isThere && isOut) ## (isThere && !isOut) // two or one
    private val bytes = later(io.push.bytes, pushedAt + writeAt).andMask(isThere)
    pushed.written :=
      (bytesOf(pushed.value) + bytes) @@ Mux(isThere, slot4, U(0)) @@ (count(pushed.value) + added.asUInt)

    private val decidedAt = pushedAt + writeAt + 1
    private val isDecided = isHere(decidedAt)
    private val wasOut = RegNext(isOut)
    private val wasEmpty = RegNext(isEmpty)
    private val queue = later(io.push.queue, decidedAt)
    private val slot = RegNext(slot4)
    turns.io.activated.valid := isDecided && wasOut
    private val first = turns.io.activated.payload
    first.queue := queue
    first.slot := slot
    first.hasSlot := True
    first.isNew := True
    first.isFirst := True
    first.maySend := True
    firsts.write(queue @@ RegNext(taken4.lsb.asUInt), slot, enable = isDecided && wasEmpty)
    links.write(RegNext(slotOf(pushed.value)), slot, enable = isDecided && !wasOut && !wasEmpty)
  }

  val onAccount = new FairAccount(turn, quanta, resets)

  val onLook = new Area {
    // As late as it knows of all pushes before the turn's clock.
    private val looksAt = pushedAt + ForwardedLookUp.behind
    private val seenAt = looksAt + ForwardedLookUp.latency
    require(seenAt == 8)
    val seen = new ForwardedLookUp(pushed, later(turn.queue, looksAt))
    private val before = later(popped.value, seenAt - writeAt)
    private val difference = RegNext(count(seen.value) - before)

    /** In clock 9: it has a packet; packets but for the first. */
    val has: Bool = !difference.msb && (difference >> 1) =/= 0
    val behind: UInt = difference - 2
    val bytes: UInt = RegNext(bytesOf(seen.value) - later(onAccount.taken, seenAt - 4)) // with the first

    private val firstAt = 6
    private val first =
      RegNext(firsts.readSync(later(turn.queue, firstAt) @@ later(popped.value.lsb, firstAt - writeAt).asUInt))
    val slot: UInt = RegNext(Mux(later(turn.hasSlot, seenAt), later(turn.slot, seenAt), first))

    private val is = later(turn.payload, 9)
    val isPopping: Bool = isLater(turn.valid, 9) && is.maySend && has && (is.hasSlot || !is.isNew)
    val hasMore: Bool = (difference >> 2) =/= 0 || difference(1 downto 0) === 3

    /** Where it comes next, but for what is not known yet. */
    val toEnd: Bool = !is.maySend || (is.isNew && !has)
    val toFront: Bool = is.maySend && has
    val next = cloneOf(turn.payload)
    next.queue := is.queue
    next.slot := slot
    next.hasSlot := Mux(isPopping, hasMore, Mux(is.maySend, has, is.hasSlot))
    next.isNew := is.isNew && !toEnd
    next.isFirst := False
    next.maySend := FairAccount.isAboveZero(later(onAccount.deficit, 9 - 6)) // if no packet is sent
    slots.io.back.valid := isLater(isPopping, 1)
    slots.io.back.payload := RegNext(slot)
  }

  val onFetch = new Area {
    private val word = RegNext(packets.readSync(onLook.slot)).as(checked) // in clock 11
    private val link = RegNext(links.readSync(onLook.slot))
    private val isPopping = isLater(onLook.isPopping, 2)
    io.isOdd := RegNext(isPopping && word.isOdd, init = False)

    // The core's state of the queue, of this reset.
    val resets = new ResetNumber(queueBits, writing = 1)
    val states = new DeepMemory(resets.number.getWidth + stateBits, 1 << queueBits).beginningWithZeros()
    private val state = RegNext(states.readSync(later(turn.queue, 9)))
    private val isCurrent = (state >> stateBits).asUInt === resets.number

    io.head.valid := RegNext(isPopping, init = False)
    io.head.descriptor.assignSomeByName(RegNext(word.descriptor))
    io.head.descriptor.queue := later(turn.queue, presentedAt)
    io.head.packets := later(onLook.behind, presentedAt - 9).resized
    io.head.bytes := RegNext(later(onLook.bytes, 2) - word.descriptor.bytes)
    io.head.state := RegNext(state.resize(stateBits)).andMask(RegNext(isCurrent))

    /** In clock [[presentedAt]]: what is known of the turn until the packet is judged. */
    val known = FairVisit(config, queueBits, slotBits)
    known.isPopping := isLater(onLook.isPopping, presentedAt - 9)
    known.toEnd := later(onLook.toEnd, presentedAt - 9)
    known.toFront := later(onLook.toFront, presentedAt - 9)
    known.next := later(onLook.next, presentedAt - 9)
    when(known.isPopping)(known.next.slot := RegNext(link))
    known.mayStillSend := FairAccount.isAboveZero(known.charged)
    known.packet.assignSomeByName(io.head.descriptor)
    known.taken := RegNext(later(onAccount.taken, 7) + word.descriptor.bytes.andMask(isPopping))
    known.kept := later(onAccount.deficit, presentedAt - 6)
    known.charged := RegNext(later(onAccount.deficit, 5) - word.descriptor.bytes.resize(FairAccount.deficitBits).asSInt)
  }

  val onEnd = new Area {
    private val known = cloneOf(onFetch.known)
    known.assignFromBits(new SideTrack(onFetch.known.asBits, headLatency).output)
    private val isHere = isLater(turn.valid, judgedAt)
    private val isDropped = io.verdict.action === Action.DROP
    private val isPopping = isHere && known.isPopping
    private val isCharged = known.isPopping && !isDropped
    private val deficit = Mux(isCharged, known.charged, known.kept)
    private val next = CombInit(known.next)
    when(isCharged)(next.maySend := known.mayStillSend)
    private val isEnding = isLater(isHere, 1)

    private def line(flow: Flow[FairTurn], is: Bool): Unit = {
      flow.valid := isEnding && RegNext(is)
      flow.payload := RegNext(next)
    }
    line(turns.io.toEnd, known.toEnd)
    line(turns.io.toFront, known.toFront)

    private def kept(memory: DeepMemory, resets: ResetNumber, is: Bool, value: Bits): Unit =
      memory.write(
        RegNext(Mux(resets.isFresh, resets.address, known.packet.queue)),
        RegNext(resets.number ## value.andMask(!resets.isFresh)),
        RegNext(is || resets.isFresh, init = False)
      )
    // Not of a queue that leaves the lists, which may be back and read it by now; it is as it was.
    kept(onAccount.memory, resets, isHere && (known.toEnd || known.toFront), known.taken ## deficit)
    kept(onFetch.states, onFetch.resets, isPopping, io.stateAfter)

    private val packet = CombInit(known.packet)
    when(io.verdict.action === Action.MARK)(packet.isCe := True)
    val resolved = Flow(Leaving(HardType(config.descriptor)))
    resolved.valid := isLater(isPopping, 1)
    resolved.descriptor := RegNext(packet)
    resolved.isDropped := RegNext(isDropped)
    resolved.reason := RegNext(io.verdict.reason)
    // Whether the next one is dropped decides in the same clock whether it leaves, so it comes from a register.
    io.left << resolved.toStream.queue(AskedRing.places).m2sPipe()

    private val isMet = resolved.valid && !resolved.isDropped
    val asks = new TurnAsks(
      io.ask,
      turns.io.isWaiting,
      isMet,
      isUnmet = isEnding && !isMet,
      isNothing = isEnding && !resolved.valid,
      io.left
    )
    turns.io.take := asks.isTaking
    io.isAsked := asks.isAsked
    io.isMended := asks.isMended
  }

  private val rest = new Rest(
    isStep = True,
    isThere = turns.io.isWaiting || !onEnd.asks.isNone,
    isEntering = io.push.valid,
    most = 32 // and until what left counts no more
  )
  io.isAtRest := rest.isOn
}

object FairLists {

  /** Clocks from a turn's beginning to its packet being with the core. */
  private val presentedAt = 12

  /** Clocks from a queue's turn to its next one, if no other waits. */
  def turnCycles(headLatency: Int): Int = presentedAt + headLatency + 1 + 1 + FairTurns.latency
}
