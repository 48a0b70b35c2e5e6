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
  * offered. At most [[QueueRings.ahead]] are picked and not taken. Nothing here checks for room: whoever pushes keeps each ring at most
  * less than full.
  *
  * @param depth
  *   entries of each ring, a power of two
  * @param discipline
  *   `strict` or `drr`
  */
class QueueRings(entry: HardType[Descriptor], queues: Int, depth: Int, discipline: String) extends Component {
  val io = new Bundle {
    val push = slave(Flow(entry()))
    val pop = master(Stream(entry()))
    val quanta = (discipline == "drr") generate in(Vec.fill(queues)(UInt(Widths.quantum bits)))
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

  // What was picked a clock ago counts in `waiting` still.
  val picking = new Area {
    val owed = Reg(UInt(log2Up(QueueRings.ahead + 1) bits)) init 0
    val isPaused = RegInit(False)
    val isPicking = CombInit(waiting.orR && !isPaused && owed =/= QueueRings.ahead)
    isPicking.addAttribute("keep") // or synthesis finds a deeper tree behind it
    isPaused := isPicking
    owed := owed + U(isPicking) - U(io.pop.fire)
  }

  // Block RAM is slow at its output, so that gets a register.
  val memory = Mem(entry(), depth << queueBits)
  memory.write(io.push.queue @@ Vec(rings.map(_.tail)).read(io.push.queue), io.push.payload, enable = io.push.valid)
  private val justPicked = UInt(queueBits bits) // the queue, a clock later, if one was
  private val pickedAt = justPicked @@ Vec(rings.map(_.headBefore)).read(justPicked)
  private val fetched = Flow(entry())
  fetched.valid := Delay(picking.isPicking, 3, init = False)
  fetched.payload := RegNext(memory.readSync(pickedAt))

  val scheduler: Scheduler = discipline match {
    case "strict" => new StrictPriority(waiting)
    case "drr"    => new DeficitRoundRobin(waiting, picking.isPicking, io.quanta.toSeq, fetched.bytes)
  }
  isPicked := scheduler.next.andMask(picking.isPicking)
  justPicked := RegNext(OHToUInt(scheduler.next).resize(queueBits))

  // As many registers as may be picked ahead: what is fetched never waits for room.
  io.pop << (0 until QueueRings.ahead).foldLeft(fetched.toStream)((stream, _) => stream.m2sPipe())
}

object QueueRings {

  /** Packets that are picked before the link takes them: what one per two clocks needs. */
  val ahead = 4
}
