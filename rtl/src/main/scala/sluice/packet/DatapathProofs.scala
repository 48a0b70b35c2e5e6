// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.packet

import sluice.packet.buffer._
import sluice.packet.parser.Outcome
import sluice.checks.Proof
import spinal.core._
import spinal.core.formal._
import spinal.lib._

/** The buffer's output, which is the datapath's, obeys AXI4-Stream: what is offered stays as it is until it is taken. By
  * induction.
  */
class OutputProof extends Proof {
  private val band = SideBand(userBits = 2, idBits = 1, destBits = 1)
  val buffer = new PacketBuffer(64, 2, 2, band)
  buffer.io.input.valid := free(Bool())
  buffer.io.input.payload := free(HardType(StagedBeat(64)))
  buffer.io.record.ready := free(Bool())
  buffer.io.take.valid := free(Bool())
  buffer.io.take.payload := free(HardType(TakenFrame(band)))
  val output = buffer.io.output
  output.ready := free(Bool())
  when(isRunning && past(output.valid && !output.ready)) {
    assert(output.valid)
    assert(stable(output.payload.asBits))
  }
}

/** Numbered items that come whenever they like, for what must give them out once and in order. */
abstract class NumberedProof extends Proof {
  val sent, received = Reg(UInt(4 bits)) init 0
  val input = Stream(UInt(4 bits))
  input.valid := free(Bool()) && !sent.andR
  input.payload := sent
  when(input.fire)(sent := sent + 1)
}

/** What goes into work that cannot be held back comes out once and in order, however the output waits. Bounded, with enough
  * items for all places to be taken at once and for the ring to wrap.
  */
class FreeRunningProof extends NumberedProof {
  val output = FreeRunning(input, cycles = 2)(_.stage().stage())
  output.ready := free(Bool())
  when(isRunning && output.valid)(assert(output.payload === received && received =/= sent))
  when(output.fire)(received := received + 1)
  cover(isRunning && input.valid && !input.ready) // all places taken
  cover(isRunning && output.fire && received === 9) // one from a place that another had before
}

/** The same of work that depends on a setting, which becomes another one at any time: what leaves has been worked on under the one
  * that holds, but for the clocks that it takes to stop the output.
  */
class RenewableProof extends NumberedProof {
  val setting = RegInit(False)
  private val isNew = free(Bool())
  when(isNew)(setting := !setting)
  private val stopping = 3
  val output = Renewable(input, cycles = 1, RegNext(isNew, init = False))((_: Bits).asUInt.dropHigh(1).asUInt) {
    _.map(setting ## _).stage()
  }
  output.ready := free(Bool())
  private val isOld = History(isNew, 0 to stopping, init = False).orR
  when(isRunning && output.valid) {
    assert(output.payload.dropHigh(1).asUInt === received && received =/= sent)
    assert(output.payload.msb === setting || isOld)
  }
  when(output.fire)(received := received + 1)
  private val isChanged = RegInit(False) setWhen (isNew && sent === 2 && received === 0)
  cover(isChanged && output.fire && received === 2 && !isOld) // goes on behind a change with two that waited
}

/** Every frame that comes in and counts ends in exactly one fate, at any moment. By induction, modulo 2^bits: additions are the
  * same at every place of a number, and solvers take long over wide sums.
  */
class CounterProof extends Proof {
  private val bits = 4

  private def event(): Counted = Counted(free(Bool()), free(HardType(UInt(bits bits))))
  val input = event()
  val dropped, gone = event() // on arrival, in the queue
  val output = event()
  val refused = Seq.fill(InputFate.names.size)(free(Bool()) && input.event)
  assume(CountOne(refused) <= 1)

  val accountant =
    new DatapathAccountant(input, refused, dropped, output, Some(gone), None, (False, Outcome.WHOLE()), Nil)
  private val counters = DatapathAccountant.names.zip(accountant.counters).toMap
  private def counter(name: String): UInt = counters(name)

  val droppedFrames, droppedBytes = Reg(UInt(48 bits)) init 0
  private def ifIt(c: Counted, amount: UInt): UInt = Mux(c.event, amount, U(0)).resize(48)
  val drops = Seq(dropped, gone).map(c => Counted(Delay(c.event, 2, init = False), Delay(c.bytes, 2)))
  droppedFrames := droppedFrames + drops.map(ifIt(_, U(1))).reduce(_ + _)
  droppedBytes := droppedBytes + drops.map(c => ifIt(c, c.bytes)).reduce(_ + _)
  // What is under way in the accountant's registers, so that few steps of induction are enough.
  private def unless(no: Bool, amount: UInt): UInt = Mux(no, U(0), amount.resize(bits))
  private val stays = accountant.came.event && !accountant.refusals.reduce(_ || _)
  for (
    (net, weight) <- Seq(accountant.frameChange, accountant.byteChange).zip(
      Seq((_: Counted) => U(1), (c: Counted) => c.bytes)
    )
  ) {
    assert(
      net.asUInt.resize(bits) === unless(!stays, weight(accountant.came)) -
        (drops :+ accountant.left).map(c => unless(!c.event, weight(c))).reduce(_ + _)
    )
  }
  assert(accountant.came.event || !accountant.refusals.reduce(_ || _))
  assert(CountOne(accountant.refusals) <= 1)

  // What was not refused stands between, as a solver finds two short sums sooner than a long one.
  for (
    (unit, lost, amount) <- Seq(
      ("frames", droppedFrames, U(1)),
      ("bytes", droppedBytes, accountant.came.bytes)
    )
  ) {
    def sum(parts: Seq[UInt]): UInt = parts.map(_.resize(bits)).reduce(_ + _)
    def counted(names: Seq[String]): Seq[UInt] = names.map(name => counter(s"${name}_$unit"))
    val input = counter(s"input_$unit").resize(bits)
    val stayed = Reg(UInt(bits bits)) init 0
    stayed := stayed + unless(!stays, amount)
    assert(sum(counted(InputFate.names) :+ stayed) === input)
    assert(sum(counted(Seq("held", "output")) :+ lost) === stayed)
    assert(sum(counted(InputFate.names ++ Seq("held", "output")) :+ lost) === input)
  }
}

/** The packet buffer neither loses nor doubles, reorders nor tears a frame, whatever lengths come, however the output waits, and
  * with any frames dropped at the head. Bounded, and so small that the ring wraps within the bound. Each beat carries its frame's
  * number and its own place, and the frame's number is its side-band too.
  */
class BufferProof extends Proof {
  private val dataBits = 8
  private val beats = 2
  private val mostFrames = 6
  private val band = SideBand(userBits = 2, idBits = 0, destBits = 0)
  val buffer = new PacketBuffer(dataBits, beats, beats, band)

  val onInput = new Area {
    val frame = Reg(UInt(4 bits)) init 0
    val index = Reg(UInt(1 bits)) init 0
    val isPair = Reg(Bool()) init False // this frame has two beats
    val isLast = index === U(isPair)
    val inside = Reg(UInt(5 bits)) init 0 // beats written and not yet read
    buffer.io.input.valid := free(Bool()) && inside < beats && frame < mostFrames
    buffer.io.input.last := isLast
    buffer.io.input.data := (isLast ## index ## frame).resized
    buffer.io.input.record.lastByte := U(isPair).resized
    buffer.io.input.record.mark.assignFromBits(B(0, widthOf(buffer.io.input.record.mark) bits))
    when(buffer.io.input.valid) {
      index := Mux(isLast, U(0), index + 1)
      when(isLast) {
        frame := frame + 1
        isPair := free(Bool())
      }
    }
  }

  val onTake = new Area {
    val start = buffer.io.record
      .haltWhen(free(Bool()))
      .map { record =>
        val taken = TakenFrame(band)
        taken.record := record
        taken.side.assignDontCare()
        taken.order.isDrop := free(Bool())
        taken.order.isMarked := False
        taken
      }
      .m2sPipe()
    val frame = Reg(UInt(4 bits)) init 0
    buffer.io.take << start
    buffer.io.take.side.user.allowOverride() := frame.asBits.resize(band.userBits)
    val isDropped = Vec.fill(mostFrames)(RegInit(False))
    when(start.fire) {
      isDropped(frame.resized) := start.order.isDrop
      frame := frame + 1
    }
    val isRead = buffer.onTake.fetch.valid.pull() && buffer.onTake.fetch.ready.pull()
    val read =
      Mux(start.fire && start.order.isDrop, (start.record.lastBeat(dataBits) + 1).resize(5), isRead.asUInt.resize(5))
    onInput.inside := onInput.inside + U(buffer.io.input.valid) - read
  }

  val onOutput = new Area {
    val output = buffer.io.output
    output.ready := free(Bool())
    val frame = output.data(3 downto 0).asUInt
    val index = output.data(4 downto 4).asUInt
    val expected = Reg(UInt(4 bits)) init 0 // the next frame, dropped or not
    val at = Reg(UInt(1 bits)) init 0
    val count = Reg(UInt(4 bits)) init 0 // beats that have left
    when(isRunning && output.valid) {
      assert(index === at)
      assert(output.side.user === frame.asBits.resize(band.userBits))
      assert(output.last === output.data(5))
      assert(frame >= expected)
      assert(at === 0 || frame === expected)
      assert(frame < mostFrames && !onTake.isDropped(frame.resized))
      for (i <- 0 until mostFrames) assert(!(U(i) >= expected && U(i) < frame) || onTake.isDropped(i))
    }
    cover(isRunning && output.fire && count === beats) // one from a place of the ring that another had before
    when(output.fire) {
      count := count + 1
      expected := Mux(output.last, frame + 1, frame)
      at := Mux(output.last, U(0), at + 1)
    }
  }
}
