// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.cores.flows

import sluice.blocks.arithmetic.IsBelow
import sluice.blocks.state.{SideTrack, Sweep, TokenBucket}
import sluice.blocks.state.occupancy.SmallOccupancy
import sluice.contract._
import spinal.core._
import spinal.lib._
import spinal.lib.misc.pipeline._

/** The pipeline. A packet waits until the memories are swept, should it be the first after a reset; is hashed for both sets; is told what
  * its bins hold; moves their probabilities, and is judged by each of them, for it is below the least of all if it is below each. Then
  * it asks for a token, if it must. Its bins travel with it as its tag.
  */
class SfbCore(sfb: SfbAlgorithm, shape: SfbShape) extends AqmCore(sfb) {
  import sfb._
  import shape._

  private val hashAt = (bins + 2 - SfbBins.moveAt).max(0)
  private val numberAt = hashAt + SfbBins.numberAt
  private val heldAt = hashAt + SfbBins.heldAt
  private val moveAt = hashAt + SfbBins.moveAt
  private val compareAt = moveAt + 1
  private val judgeAt = compareAt + 1
  private val tokenAt = judgeAt + 1
  val latency = tokenAt + 1
  private val bits = SfbBins.probabilityBits
  private val settlesAt = 8 // clocks after a tick
  override def tickCycles(kind: Tick): Int = settlesAt
  require(tokenAt == heldAt + SfbBins.lag && settlesAt > SfbBins.lag)

  applyWhen(RegNext(io.apply, init = False))

  private val DRAW = Payload(UInt(bits bits))
  nodes(0)(DRAW) := io.arrival.random(0) >> (Widths.random - bits)

  /** Which set is in force, with which salts, and whether the other one is warmed up. The last tick of a salt ends the warming up at
    * once, so that what moves the other set has done so when it comes into force. The new salt is made of the draws of the last four
    * arrivals; the first ones are digits of the golden ratio.
    */
  val onTick = new Area {
    private val since = sinceTick(warmupIsOver)
    private val warmAt = 4
    val draws = Reg(Bits(64 bits)) init 0
    when(nodes(1).isValid)(draws := draws.resize(48) ## nodes(1)(DRAW))
    val newSalt = RegNextWhen(draws, RegNext(io.tick(warmupIsOver).valid, init = False))

    val isSecond = RegInit(False) // the set in force, at node 0
    val age = Reg(UInt(rehash.width bits)) init 0
    private val every = parameter(0, rehash)
    private val older = RegNext(age + U(!age.andR))
    private val isReached = RegNext(older >= every && every =/= 0)
    val isOver = RegNextWhen(isReached, since.is(warmAt - 1)) // this salt's time
    val wasSecond = RegNextWhen(isSecond, since.is(warmAt - 1))
    when(since.is(settlesAt - 1)) {
      age := older.andMask(!isOver)
      isSecond := isSecond ^ isOver
    }
    val salts = Seq("9E3779B97F4A7C15", "F39CC0605CEDC834").map(digits => Reg(Bits(64 bits)) init BigInt(digits, 16))
    for ((salt, number) <- salts.zipWithIndex)
      when(since.is(settlesAt - 1 + hashAt) && isOver && wasSecond === Bool(number == 1))(salt := newSalt)

    val WARMS = Payload(Bool())
    private val n = nodes(warmAt)
    val isWarming = RegNext(n(WARMS)) init False
    n(WARMS) := Mux(since.is(settlesAt + warmAt), isReached, isWarming && !(since.is(warmAt) && isOver))

    show(sfb.age, age, shownAt = 0)
    show(warming, RegNextWhen(n(WARMS), n.isValid, init = False).asUInt, shownAt = warmAt + 1)
  }

  val onBins = new Area {
    private val sweep = new Sweep(bins)
    private val emptying = new SmallOccupancy.Emptying(sweep, io.rest)
    private def counted(packet: Descriptor, valid: Bool): Seq[Flow[Bits]] = {
      val cycles = 1 + hashAt - SfbBins.countedAt // an arrival of the next clock is to see it
      val tag = new SideTrack(packet.tag, cycles).output
      tag.subdivideIn(numberBits bits).toSeq.map { number =>
        val change = Flow(Bits(numberBits bits))
        change.valid := Delay(valid, cycles, init = False)
        change.payload := number
        change
      }
    }
    private val added = counted(io.settled.packet, io.settled.valid && io.settled.fate === Fate.ACCEPTED)
    private val removed = counted(io.departed.packet, io.departed.valid)

    private val beyond = parameter(heldAt - 1, binSize) +^ (if (isLinux) 0 else 1)
    private val most = if (isLinux) parameter(heldAt - 1, binMax) else beyond
    val MOVES_OTHER = Payload(Bool()) // the set that is not in force, too
    val sets = Seq.tabulate(2) { number =>
      val isInForce = secondAt(heldAt) === Bool(number == 1)
      // Roles never change while a set of parameters is on its way.
      val isEnteringHere = Mux(isInForce, isEntering(heldAt), isEntering(tokenAt))
      def step(p: Parameter) = RegNextWhen(io.parameters(p), isEnteringHere) init p.raw
      new SfbBins(
        shape,
        // Where no packet is, its bins are known all the same: they are written back as they were.
        Delay(io.arrival.packet.flow.andMask(io.arrival.valid), hashAt),
        onTick.salts(number),
        added(number),
        removed(number),
        least = beyond,
        most = most,
        isInForce,
        moves = Mux(isInForce, nodes(heldAt).isValid, nodes(tokenAt).isValid && nodes(tokenAt)(MOVES_OTHER)),
        increment = step(increment),
        decrement = step(decrement),
        sweep,
        emptying
      ).setCompositeName(this, s"set$number")
    }
    private def secondAt(stage: Int): Bool = Delay(onTick.isSecond, stage, init = False)

    /** Of the set in force, and of the other one. */
    private def inForce[T <: Data](stage: Int)(value: SfbBins => T): T =
      Mux(secondAt(stage), value(sets(1)), value(sets(0)))
    private def notInForce[T <: Data](stage: Int)(value: SfbBins => T): T =
      Mux(secondAt(stage), value(sets(0)), value(sets(1)))

    val NUMBERS = Payload(Vec.fill(2)(Bits(numberBits bits)))
    val IS_FULL = Payload(Bool())
    val PROBABILITIES = Payload(Vec.fill(levels)(UInt(SfbBins.probabilityBits bits)))
    nodes(numberAt)(NUMBERS) := Vec(sets.map(_.numberFound))
    nodes(heldAt)(IS_FULL) := inForce(heldAt) { set =>
      val open = Vec(set.banks.map(_.isOpen)).asBits
      if (isLinux) !open.orR else !open.andR
    }
    nodes(compareAt)(PROBABILITIES) := Vec(
      Seq.tabulate(levels)(level => inForce(compareAt)(_.banks(level).probability))
    )
    val TAG = Payload(Bits(2 * numberBits bits))
    private val n = nodes(tokenAt)
    n(TAG) := Cat(n(NUMBERS).zipWithIndex.map { case (number, i) =>
      Mux(n(MOVES_OTHER) || secondAt(tokenAt) === Bool(i == 1), number, B(0, numberBits bits))
    })
    io.verdict.tag := nodes(latency)(TAG)

    private def indices(set: SfbBins): UInt = Cat(set.banks.map(_.index)).asUInt
    viewAt(heldAt, "open", inForce(heldAt)(set => Vec(set.banks.map(_.isOpen)).asBits.asUInt))
    viewAt(moveAt, "places", inForce(moveAt)(indices))
    viewAt(moveAt + SfbBins.lag, "other_places", notInForce(moveAt + SfbBins.lag)(indices))
    for (level <- 0 until levels) {
      viewAt(compareAt, s"probability_$level", nodes(compareAt)(PROBABILITIES)(level))
      viewAt(
        moveAt + SfbBins.lag,
        s"other_probability_$level",
        notInForce(moveAt + SfbBins.lag)(_.banks(level).moved)
      )
    }
  }

  // One draw: below the least probability it takes the packet, below twice what that has beyond one half it takes a mark away.
  val onJudge = new Area {
    private val (c, j) = (nodes(compareAt), nodes(judgeAt))
    val FAR = Payload(UInt(bits + 1 bits)) // the draw and twice one half
    val IS_ECT = Payload(Bool())
    val ARE_BELOW, ARE_FAR_BELOW, ARE_CERTAIN = Payload(Bits(levels bits))
    val IS_CERTAIN = Payload(Bool())
    val VERDICT = Payload(Verdict())
    nodes(0)(IS_ECT) := io.arrival.packet.isEct
    nodes(moveAt)(FAR) := nodes(moveAt)(DRAW) +^ ((1 << bits) - 2)
    private def ofEach(test: UInt => Bool): Bits = Vec(c(onBins.PROBABILITIES).map(test)).asBits
    c(ARE_BELOW) := ofEach(IsBelow(c(DRAW), _))
    c(ARE_FAR_BELOW) := ofEach(p => IsBelow(c(FAR), p << 1))
    c(ARE_CERTAIN) := ofEach(_.andR)
    viewAt(compareAt, "below", c(ARE_BELOW).asUInt)
    if (isLinux) viewAt(compareAt, "far_below", c(ARE_FAR_BELOW).asUInt)

    private val isOpen = !j(onBins.IS_FULL)
    private val mayMark = parameter(judgeAt, ecn).lsb && j(IS_ECT)
    private val marks = mayMark && (if (isLinux) !j(ARE_FAR_BELOW).andR else True)
    j(IS_CERTAIN) := j(ARE_CERTAIN).andR && isOpen
    j(onBins.MOVES_OTHER) := j(ARE_CERTAIN).andR && j(onTick.WARMS) && (if (isLinux) isOpen else True)
    j(VERDICT) := pass
    when(j(ARE_BELOW).andR)(j(VERDICT) := Mux(marks, verdict(unforcedMark), verdict(unforcedDrop)))
    when(!isOpen)(j(VERDICT) := verdict(bucketDrop))
  }

  val onToken = new Area {
    private val n = nodes(tokenAt)
    private val room = TokenBucket.roomOf(parameter(tokenAt - 5, penaltyBurst))
    val bucket = new TokenBucket(nodes, tokenAt, io.arrival.nowNs, parameter(TokenBucket.rateAt, penaltyRate), room)
    private val isAsked = n.isValid && n(onJudge.IS_CERTAIN)
    bucket.onLevel.isAsked := isAsked && RegNext(parameter(judgeAt, penaltyBurst) =/= 0)
    val VERDICT = Payload(Verdict())
    n(VERDICT) := n(onJudge.VERDICT)
    when(isAsked)(n(VERDICT) := Mux(bucket.onLevel.isTaken, pass, verdict(penaltyDrop)))
    viewAt(TokenBucket.gainAt, "gain", nodes(TokenBucket.gainAt)(bucket.onGain.GAIN))
    viewAt(tokenAt, "bucket", bucket.onLevel.lacks)
  }

  answer(nodes(latency)(onToken.VERDICT))
  buildPipeline()
}
