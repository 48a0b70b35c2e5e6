// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice
package checks

import sluice.contract._
import sluice.packet.{DatapathConfig, SideBand}
import sluice.tile.TileConfig
import spinal.core._
import spinal.lib._
import spinal.lib.misc.pipeline._

import scala.collection.immutable.ListMap

/** Not a scheme but a witness of the contract, for tests alone: it stirs everything that it is told into one word, in the order in
  * which the contract says that things happen, and takes its verdicts from that word. A tile that tells it anything wrong, a clock
  * too early or in another order, is found out by the verdicts that follow. And if it hears of both ends of a packet's stay, it counts
  * its packets for itself.
  */
class Witness(val name: String, val needs: Needs, val tickCycles: Map[Tick, Int]) extends Algorithm {
  val summary = "stirs all that it is told; for tests"
  val parameters = tickCycles.keys.flatMap(_.period).toSeq
  val rules = parameters.map(Rule.isAtLeast(_, 1))
  override def ticks: Seq[Tick] = tickCycles.keys.toSeq
  val arrivalDrop = Reason("Arrival drop", isMark = false)
  val arrivalMark = Reason("Arrival mark", isMark = true)
  val headDrop = Reason("Head drop", isMark = false)
  val headMark = Reason("Head mark", isMark = true)
  val reasons = Seq(arrivalDrop, arrivalMark) ++ (if (needs.head) Seq(headDrop, headMark) else Nil)
  val word = Status("word", 32, 0, "1", "all that was heard")
  val disagreed = Status("disagreed", 1, 0, "flag", "its own count was not queuePackets at some arrival")
  val counts = needs.settled && needs.departed
  val status = Seq(word) ++ Option.when(counts)(disagreed)
  def core(): AqmCore = new WitnessCore(this)
}

object Witness {
  private def every(unit: String, default: Int) =
    Some(Parameter("period", "", 32, 0, unit, default, "time between two ticks"))

  private val looking =
    Needs(
      randomWords = 1,
      limit = true,
      rtt = true,
      samples = 2,
      tagBits = 5,
      idle = true,
      settled = true,
      departed = true
    )
  private val slow = ListMap(Tick("slow", every("us", 7)) -> 20)

  /** One that judges heads, one that throws packets out, one that only looks at them, and one that hears of departures alone. */
  val all: Seq[Witness] = Seq(
    new Witness(
      "head-witness",
      Needs(limit = true, tagBits = 9, idle = true, settled = true, departed = true, head = true),
      ListMap(Tick("short", every("ns", 5000)) -> 5, Tick("long") -> 300)
    ),
    new Witness("out-witness", looking.copy(takesVictims = true), slow),
    new Witness("look-witness", looking, slow),
    new Witness("left-witness", Needs(limit = true, departed = true), ListMap.empty)
  )

  /** Their tiles, with rings that are soon full. */
  val tiles: Seq[TileConfig] =
    all.map(w => TileConfig(w.name, w, "experimental", ringPackets = 64, cookieBits = 8)) :+ {
      val witness = new Witness("list-witness", Needs(randomWords = 1, limit = true, rtt = true, idle = true), slow)
      TileConfig(
        witness.name,
        witness,
        "experimental",
        ringPackets = 64,
        cookieBits = 8,
        queues = 9,
        scheduler = "drr",
        queueBy = "port"
      )
    }

  /** One with several queues. */
  val ofQueues: TileConfig = {
    val witness = new Witness("queues-witness", Needs(limit = true), ListMap.empty)
    TileConfig(
      witness.name,
      witness,
      "experimental",
      ringPackets = 128,
      cookieBits = 0,
      queues = 3,
      scheduler = "strict",
      queueBy = "port"
    )
  }

  /** Datapaths around those that judge or throw out queued packets, with room for the frames that are on their way at line rate. */
  val datapaths: Seq[DatapathConfig] =
    for (tile <- tiles if tile.needs.isAsked; bits <- Seq(64, 512))
      yield DatapathConfig(
        s"${tile.name}-$bits",
        tile.copy(ringPackets = 256),
        dataBits = bits,
        bufferBytes = 1 << 17,
        SideBand(userBits = 7, idBits = 3, destBits = 0)
      )
}

class WitnessCore(witness: Witness) extends AqmCore(witness) {
  import witness._
  val latency = 9
  override def headLatency: Int = if (needs.head) 6 else 0
  override def tickCycles(kind: Tick): Int = witness.tickCycles(kind)
  applyWhen(RegNext(io.apply, init = False))

  /** Fields, lowest first, as words that are turned and added without carry. */
  private def fold(fields: Bits*): Bits = {
    val all = Cat(fields)
    all
      .resize((all.getWidth + 31) / 32 * 32)
      .subdivideIn(32 bits)
      .zipWithIndex
      .map { case (w, i) => w.rotateLeft(i) }
      .reduce(_ ^ _)
  }
  private def stirred(word: Bits, heard: Bits): Bits = (word.rotateLeft(3).asUInt + heard.asUInt).asBits
  private def of(packet: Descriptor): Bits =
    Cat(Seq(packet.flow, packet.bytes.asBits, packet.isCe.asBits) ++ Option(packet.tag))
  private def of(settled: Settled): Bits =
    fold(
      of(settled.packet),
      settled.fate.asBits,
      settled.nowNs.asBits,
      settled.queuePackets.asBits,
      settled.queueBytes.asBits
    )

  val onStir = new Area {
    val word = Reg(Bits(32 bits)) init 0
    val own = counts generate (Reg(UInt(Widths.maxPackets bits)) init 0)
    val disagrees = counts generate RegInit(False)

    // A tick notes what is known, and stirs it in when its work is over.
    val noted = ticks.map(_ => Reg(Bits(32 bits)) init 0)
    val afterTicks = ticks.zip(noted).foldLeft(word) { case (before, (kind, note)) =>
      Mux(Delay(io.tick(kind).valid, tickCycles(kind), init = False), stirred(before, note), before)
    }
    for ((kind, note) <- ticks.zip(noted)) {
      when(io.tick(kind).valid)(note := fold(afterTicks, io.tick(kind).nowNs.asBits))
      if (kind.period.isEmpty) io.interval(kind) := (U(1) @@ note(23 downto 0).asUInt).resized
    }

    val a = io.arrival
    val samples = if (needs.samples > 0) a.samples.toSeq else Nil
    val heardArrival = fold(
      Seq(a.packet.flow, a.packet.bytes.asBits, a.packet.ecn) ++
        Option(a.packet.rttUs).map(_.asBits) ++
        Seq(a.nowNs.asBits, a.queuePackets.asBits, a.queueBytes.asBits, a.limit.asBits) ++
        samples.flatMap(s => Seq(s.valid.asBits, s.flow.andMask(s.valid))) ++
        (if (needs.randomWords > 0) a.random.map(_.asBits) else Nil): _*
    )
    val afterArrival = Mux(a.valid, stirred(afterTicks, heardArrival), afterTicks)
    if (counts) when(a.valid && a.queuePackets =/= own)(disagrees := True)

    val d = io.departed
    val heardDeparted = needs.departed generate
      fold(of(d.packet), d.isSent.asBits, d.nowNs.asBits, d.queuePackets.asBits, d.queueBytes.asBits)
    val afterDeparted =
      if (needs.departed) Mux(d.valid, stirred(afterArrival, heardDeparted), afterArrival) else afterArrival
    val afterSettled =
      if (needs.settled) Mux(io.settled.valid, stirred(afterDeparted, of(io.settled.payload)), afterDeparted)
      else afterDeparted
    val afterPushed =
      if (io.pushedOut != null) Mux(io.pushedOut.valid, stirred(afterSettled, of(io.pushedOut.payload)), afterSettled)
      else afterSettled
    val h = io.head
    // Heads within a restart come again.
    val voided = Reg(UInt(3 bits)) init 0
    when(voided =/= 0)(voided := voided - 1)
    val isHead = needs.head generate (h.valid && voided === 0)
    val afterHead = if (needs.head) {
      val heard = fold(
        of(h.packet),
        h.packet.isEct.asBits,
        h.packet.queuedNs.asBits,
        h.nowNs.asBits,
        h.queuePackets.asBits,
        h.queueBytes.asBits
      )
      val after = Mux(isHead, stirred(afterPushed, heard), afterPushed)
      when(isHead && restarts(after))(voided := headLatency)
      after
    } else afterPushed
    // Only the first of an idle time, so that the word comes to rest.
    word := afterHead
    if (needs.idle) {
      val isIdle = RegInit(False)
      val isIdleStill = isIdle && afterHead === word
      isIdle := io.idle.valid || isIdleStill
      when(io.idle.valid && !isIdleStill)(word := stirred(afterHead, fold(io.idle.nowNs.asBits)))
    }

    if (counts) {
      val isIn = io.settled.valid && io.settled.fate === Fate.ACCEPTED
      val isOut = if (needs.takesVictims) io.pushedOut.valid else False
      own := own + U(isIn) - U(d.valid) - U(isOut)
    }
  }

  private def restarts(word: Bits): Bool = word(5 downto 0) === 0

  val onJudge = new Area {
    val WORD = Payload(Bits(32 bits))
    val IS_ECT = Payload(Bool())
    val VALIDS = Payload(Bits(needs.samples.max(1) bits))
    nodes(0)(WORD) := onStir.afterArrival
    nodes(0)(IS_ECT) := io.arrival.packet.isEct
    nodes(0)(VALIDS) := (if (needs.samples > 0) Vec(io.arrival.samples.map(_.valid)).asBits else B(0))
    val n = nodes(latency)
    val kind = n(WORD)(2 downto 0)
    val judged = Mux(kind === 0, verdict(arrivalDrop), Mux(kind === 1 && n(IS_ECT), verdict(arrivalMark), pass))
    answer(judged)
    if (needs.tagBits > 0) io.verdict.tag := n(WORD)(31 downto 32 - needs.tagBits)
    if (needs.takesVictims) {
      io.verdict.victim.payload := n(WORD)(3).asUInt
      io.verdict.victim.valid := kind === 0 && n(VALIDS)(io.verdict.victim.payload)
    }
    // Alone as the arrival has left it, whatever else comes in its clock; in a tile as it is.
    show(word, (if (isAlone) nodes(1)(WORD) else onStir.word).asUInt, shownAt = 1)
    if (counts) show(disagreed, onStir.disagrees.asUInt, shownAt = 1)
  }

  val onHead = needs.head generate new Area {
    val WORD = Payload(Bits(32 bits))
    val IS_ECT = Payload(Bool())
    headNodes(0)(WORD) := onStir.afterHead
    headNodes(0)(IS_ECT) := io.head.packet.isEct
    val n = headNodes(headLatency)
    val kind = n(WORD)(2 downto 0)
    val judged = Mux(kind === 0, verdict(headDrop), Mux(kind === 1 && n(IS_ECT), verdict(headMark), pass))
    io.headVerdict.valid := n.isValid
    io.headVerdict.action := judged.action
    io.headVerdict.reason := judged.reason
    io.headVerdict.restart := restarts(n(WORD))
  }

  buildPipeline()
}
