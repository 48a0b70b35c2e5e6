// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile
package queue

import sluice.contract._
import spinal.core._
import spinal.lib._

/** Several queues in one block memory, each a ring in its equal share, and the scheduler that picks whose packet is next. For queues
  * from which packets go only to the link.
  *
  * A packet is picked at most in every second clock, and three clocks after it was pushed at the earliest; four clocks later it is
  * offered. At most `ahead` are picked and not taken. Nothing here checks for room: whoever pushes keeps each ring at most
  * less than full.
  *
  * @param depth
  *   entries of each ring, a power of two
  * @param discipline
  *   `strict` or `drr`
  * @param ahead
  *   packets that may be picked before the link takes them
  */
class QueueRings(entry: HardType[Descriptor], queues: Int, depth: Int, discipline: String, ahead: Int)
    extends Component {
  val io = new Bundle {
    val push = slave(Flow(entry()))
    val pop = master(Stream(entry()))
    val quanta = (discipline == "drr") generate in(Vec.fill(queues)(UInt(Widths.quantum bits)))
    val isAtRest = out(
      Bits(queues bits)
    ) // of each queue, of what was accepted two clocks before or earlier; see [[Rest]]
    val isMended = out(Bool()) // what counts the packets under way, or the scheduler's turn, was wrong and begins anew
    val isOdd = out(Bool()) // a packet was fetched with another length than it came with
  }

  private val queueBits = Widths.queue(queues)
  private val placeBits = log2Up(depth)
  private val isPicked = Bits(queues bits) // one-hot

  class Ring(number: Int) extends Area {
    val tail, head = Reg(UInt(placeBits bits)) init 0
    when(io.push.valid && io.push.queue === number)(tail := tail + 1)
    when(isPicked(number))(head := head + 1)
    val isWaiting = RegNext(tail =/= head) init False // knows of what was picked two clocks ago
    val headBefore = RegNext(head) // a clock ago
  }
  val rings = Seq.tabulate(queues)(new Ring(_))
  private val waiting = Vec(rings.map(_.isWaiting)).asBits

  val picking = new PickedAhead(waiting.orR, io.pop, ahead, silentFor = 8, isLate = true)

  // Whoever waits behind a queue's last packet for this many others, or for nothing at all, knows that it has left.
  private val rests = rings.zipWithIndex.map { case (ring, number) =>
    val isThere = ring.isWaiting || (io.push.valid && io.push.queue === number)
    new Rest(isStep = io.pop.fire || picking.isSilent, isThere, isEntering = io.push.valid)
  }
  io.isAtRest := Vec(rests.map(_.isOn)).asBits

  // Block RAM is slow at its output, so that gets a register.
  val memory = Mem(CheckedDescriptor(entry), depth << queueBits)
  memory.write(
    io.push.queue @@ Vec(rings.map(_.tail)).read(io.push.queue),
    CheckedDescriptor.of(entry, io.push.payload),
    enable = io.push.valid
  )
  private val justPicked = UInt(queueBits bits) // the queue, a clock later, if one was
  private val pickedAt = justPicked @@ Vec(rings.map(_.headBefore)).read(justPicked)
  private val fetched = Flow(entry())
  fetched.valid := Delay(picking.isPicking, 3, init = False)
  private val word = RegNext(memory.readSync(pickedAt))
  fetched.payload := word.descriptor
  io.isOdd := RegNext(fetched.valid && word.isOdd, init = False)

  val scheduler: Scheduler = discipline match {
    case "strict" => new StrictPriority(waiting)
    case "drr"    => new DeficitRoundRobin(waiting, picking.isPicking, io.quanta.toSeq, fetched.bytes)
  }
  io.isMended := picking.isMended || scheduler.isMended
  isPicked := scheduler.next.andMask(picking.isPicking)
  justPicked := RegNext(OHToUInt(scheduler.next).resize(queueBits))

  // As many registers as may be picked ahead: what is fetched never waits for room.
  io.pop << (0 until ahead).foldLeft(fetched.toStream)((stream, _) => stream.m2sPipe())
}

object QueueRings {

  /** What one packet per two clocks needs. */
  val ahead = 4
}

/** When a packet is picked before the link takes it: whenever one waits and there is room behind the memory.
  *
  * @param isWaiting
  *   there is one to pick
  * @param pop
  *   where picked packets are offered to the link
  * @param most
  *   so many have room
  * @param silentFor
  *   clocks without a pick or an offer, after which none can be under way; a power of two
  * @param isLate
  *   what was picked a clock ago counts in `isWaiting` still, so one is picked in two clocks
  * @param isNothing
  *   of what was picked before one turns out to be no packet, where that may be
  */
class PickedAhead(
    isWaiting: Bool,
    pop: Stream[_ <: Data],
    most: Int,
    silentFor: Int,
    isLate: Boolean,
    isNothing: Option[Bool] = None
) extends Area {
  val owed = Reg(UInt(log2Up(most + 1) bits)) init 0
  val isPaused = isLate generate RegInit(False)
  private def mayPick = if (isLate) isWaiting && !isPaused else isWaiting
  val isPicking = CombInit(mayPick && owed =/= most)
  isPicking.addAttribute("keep") // or synthesis finds a deeper tree behind it
  if (isLate) isPaused := isPicking
  owed := isNothing.foldLeft(owed + U(isPicking) - U(pop.fire))((rest, isOne) => rest - U(isOne))

  // Nothing has been picked or offered for longer than it takes from one to the other.
  val silence = Reg(UInt(log2Up(silentFor) + 1 bits)) init 0
  val isSilent = silence.msb && !isPicking
  when(!silence.msb)(silence := silence + 1)
  when(isPicking || pop.valid)(silence := 0)
  when(isSilent)(owed := 0)

  /** The count was wrong and has begun anew. */
  val isMended = RegNext(isSilent && owed =/= 0, init = False)
}
