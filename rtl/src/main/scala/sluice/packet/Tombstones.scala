// SPDX-License-Identifier: Apache-2.0
package sluice.packet

import spinal.core._
import spinal.lib._

/** Which of the queued frames are dead: dropped while they wait in the middle of the queue, because a scheme like CHOKe chose
  * them as victims. A dead frame keeps its place and its bytes until it is the oldest; it is then dropped at the head, as
  * [[HeadOrder]] has it, and never leaves.
  *
  * A frame is named by its place, which counts the frames that entered, modulo `frames`. It can be killed from the clock after
  * it entered until only [[Tombstones.guard]] frames are before it; `killed` says two clocks later whether it was. Killing a
  * dead frame again says no. One frame may enter, one be killed and one be taken in every clock.
  *
  * Two memories, each written from one side, differ where a frame is dead: killing makes them differ, taking makes them equal.
  * After reset they are cleared, and no frame may enter before `isReady`.
  */
class Tombstones(frames: Int) extends Component {
  require(isPow2(frames) && frames >= 2 * Tombstones.guard, s"a ring of $frames frames is too small")
  private val placeBits = log2Up(frames)

  val io = new Bundle {
    val isReady = out(Bool())
    val enter = in(Bool()) // a frame enters at the tail
    val take = in(Bool()) // the oldest frame is taken, dead or alive; there must be one
    val isDead = out(Bool()) // the oldest frame is dead
    val kill = slave(Flow(UInt(placeBits bits)))
    val killed = out(Bool()) // the frame whose killing was asked for two clocks ago is dead now, and was not before
  }

  private val killedAt, takenAt = Mem(Bool(), frames)

  val onReset = new Area {
    val left = Reg(UInt(placeBits + 1 bits)) init frames // places to clear
    val isClear = left === 0
    val place = left.resize(placeBits)
    when(!isClear)(left := left - 1)
    io.isReady := isClear
  }

  val onQueue = new Area {
    val oldest = Reg(UInt(placeBits bits)) init 0
    val count = Reg(UInt(placeBits + 1 bits)) init 0
    count := count + U(io.enter) - U(io.take)
    val next = oldest + U(io.take)
    oldest := next
  }

  val onTake = new Area {
    // The oldest frame's marks are read while the one before it is taken; its grave was dug long before.
    val killed = killedAt.readSync(onQueue.next)
    val taken = takenAt.readSync(onQueue.next)
    io.isDead := killed =/= taken
    takenAt.write(
      Mux(onReset.isClear, onQueue.oldest, onReset.place),
      killed && onReset.isClear,
      enable = io.take || !onReset.isClear
    )
  }

  val onKill = new Area {
    val ahead = io.kill.payload - onQueue.oldest // frames before it
    val isThere = RegNext(io.kill.valid && ahead >= Tombstones.guard && ahead < onQueue.count) init False
    val place = RegNext(io.kill.payload)
    val killed = killedAt.readSync(io.kill.payload)
    val taken = takenAt.readSync(io.kill.payload)
    val isNew = Bool()
    val isBeingKilled = RegNext(io.kill.payload === place && isNew) init False // by the request before
    isNew := isThere && killed === taken && !isBeingKilled
    killedAt.write(
      Mux(onReset.isClear, place, onReset.place),
      !taken && onReset.isClear,
      enable = isNew || !onReset.isClear
    )
    io.killed := RegNext(isNew) init False
  }
}

object Tombstones {

  /** Frames at the head of the queue that are too close to leaving to be killed. */
  val guard = 4
}
