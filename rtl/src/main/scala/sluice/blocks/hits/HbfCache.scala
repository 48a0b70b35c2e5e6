// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.hits

import sluice.contract.Widths
import spinal.core._
import spinal.lib._
import spinal.lib.misc.pipeline._

/** Which entry of a full cache goes. */
sealed abstract class HbfReplacement(val name: String) {

  /** The least goes. */
  def key(entry: HbfEntry): UInt
}

object HbfReplacement {
  case object Fewest extends HbfReplacement("fewest") {
    def key(entry: HbfEntry): UInt = entry.total
  }
  case object Lru extends HbfReplacement("lru") {
    def key(entry: HbfEntry): UInt = entry.isCurrent.asUInt @@ entry.stamp
  }
  val all: Seq[HbfReplacement] = Seq(Lru, Fewest)
}

/** When what happens in the cache, in nodes from the arrival. */
class HbfStages(entries: Int) {
  val missAt: Int = HbfCam.latency(entries)
  val enterAt: Int = missAt + 1
  val placeAt: Int = enterAt + 2
  val hitsAt: Int = placeAt + 1
  val findingAt: Int = hitsAt + HbfHits.latency + 1
  val knownAt: Int = hitsAt + 1 + HbfHits.latency + 1
  val latency: Int = knownAt + 1
}

/** The cache of high-bandwidth flows of BLACK and Purge: flows of sampled packets, with their hits in this period and the one before.
  * In each clock one sample and one look-up, each as all arrivals before have left the cache, the sample before the look-up.
  *
  * A sample of a flow that has an entry is a hit. Any other enters, in a place that nobody has or the victim's ([[HbfVictim]]), if the
  * last flow entered [[HbfCache.rest]] samples before or earlier. So of the flows that a search does not see, because they enter
  * meanwhile, there is one at most, and the loop needs no more than to compare with that one. A sample that cannot enter looks at
  * the next place in turn instead, with the port of the memory that it does not need for a hit; what it finds counts as
  * many samples later, when it is known at any rate of samples.
  *
  * @param n
  *   nodes: `sampled`, `flow` are there at n(0), [[IS_KNOWN]], [[HITS]] and [[HAS_PREVIOUS]] at n([[HbfStages.latency]])
  * @param isSample
  *   from n([[HbfCache.sampleAt]]) on, as `period`
  */
class HbfCache(
    entries: Int,
    replacement: HbfReplacement,
    n: Seq[Node],
    sampled: Payload[Bits],
    isSample: Payload[Bool],
    flow: Payload[Bits],
    period: Payload[HbfPeriod],
    hitBits: Int
) extends Area {
  import HbfCache._
  require(entries >= 50 && entries <= 400, s"a cache of high-bandwidth flows has 50..400 entries, not $entries")
  private val placeBits = Widths.index(entries)

  private val entered = Flow(FlowEntry(entries))
  val cam = new HbfCam(entries, n, Seq(sampled, flow), entered)
  private val stages = new HbfStages(entries)
  import stages._
  require(enterAt + HbfCam.entering < rest && findingAt + 2 - enterAt < rest, "what enters is not seen in time")

  /** A finding of as many samples ago. */
  val FINDING = Payload(HbfFinding(entries, hitBits + 1))

  val onEnter = new Area {
    private val (m, e) = (n(missAt), n(enterAt))

    /** The flow that entered last, and its place. */
    val last = Reg(FlowEntry(entries))
    val isAny = RegInit(False)

    // Who comes right behind a flow that enters does not enter itself, so that this may be late by a clock.
    private val IS_LAST, IS_MISS = Payload(Bool())
    private val (foundPlace, isFound) = cam.found.head
    n(missAt - 1)(IS_LAST) := isAny && last.flow === n(missAt - 1)(sampled)
    m(IS_MISS) := m(isSample) && !m(IS_LAST) && !(m(isFound) && m(foundPlace) =/= last.place)

    val level = Reg(UInt(placeBits bits)) init 0
    val isFull = RegInit(False)
    val waiting = Reg(UInt(log2Up(rest) bits)) init 0
    private val found = Flow(HbfFinding(entries, hitBits + 1))
    private val isTaken = Bool()
    val victim = new HbfVictim(found, isTaken)
    private val enters = e.isValid && e(IS_MISS) && waiting === 0 && (!isFull || victim.isThere)
    isTaken := enters && isFull
    found.valid := e.isValid && e(isSample) && isFull
    found.payload := e(FINDING)

    val IS_FULL, IS_BEGUN = Payload(Bool())
    e(IS_FULL) := isFull
    e(IS_BEGUN) := enters
    when(e.isValid && e(isSample) && waiting =/= 0)(waiting := waiting - 1)
    when(enters) {
      waiting := rest - 1
      last.flow := e(sampled)
      last.place := Mux(isFull, victim.place, level)
      isAny := True
      when(!isFull) {
        level := level + 1
        isFull := level === entries - 1
      }
    }
    entered.valid := RegNext(enters, init = False)
    entered.payload := last
  }

  /** The place of each of the two flows, when what enters with this arrival is known. */
  val onPlace = new Area {
    private val (before, at) = (n(placeAt - 1), n(placeAt))
    private val LAST_PLACE = Payload(UInt(placeBits bits))
    before(LAST_PLACE) := onEnter.last.place
    private def of(flow: Payload[Bits], found: (Payload[UInt], Payload[Bool])): (UInt, Bool) = {
      val (foundPlace, isFound) = found
      val IS_LAST, IS_STILL = Payload(Bool())
      before(IS_LAST) := onEnter.isAny && onEnter.last.flow === before(flow)
      before(IS_STILL) := before(isFound) && before(foundPlace) =/= onEnter.last.place
      (Mux(at(IS_LAST), at(LAST_PLACE), at(foundPlace)), at(IS_LAST) || at(IS_STILL))
    }
    private val (place, isHeld) = of(sampled, cam.found(0))
    private val (ownPlace, isOwn) = of(flow, cam.found(1))
    val IS_OWN, IS_HIT, IS_LOOK, IS_LAST_LOOK = Payload(Bool())
    val PLACE, OWN_PLACE = Payload(UInt(placeBits bits))
    at(IS_OWN) := isOwn
    at(OWN_PLACE) := ownPlace

    /** Where the next look goes. */
    val hand = Reg(UInt(placeBits bits)) init 0
    private val isLast = hand === entries - 1
    at(IS_HIT) := at(isSample) && isHeld
    at(IS_LOOK) := at(isSample) && !isHeld && at(onEnter.IS_FULL)
    at(IS_LAST_LOOK) := isLast
    at(PLACE) := Mux(isHeld, place, hand)
    when(at.isValid && at(IS_LOOK))(hand := isLast ? U(0) | hand + 1)
  }

  val hits =
    new HbfHits(n.drop(hitsAt), onPlace.PLACE, onPlace.IS_HIT, onEnter.IS_BEGUN, period, onPlace.OWN_PLACE, hitBits)

  /** Findings in a small memory, by the number of their sample. */
  val onLook = new Area {
    private val number = Reg(UInt(log2Up(rest) bits)) init 0
    private val NUMBER = Payload(cloneOf(number))
    private val numbered = n(missAt - 1)
    numbered(NUMBER) := number
    when(numbered.isValid && numbered(isSample))(number := number + 1)

    private val ENTRY = Payload(HbfEntry(hitBits))
    private val FOUND = Payload(HbfFinding(entries, hitBits + 1))
    n(findingAt - 1)(ENTRY) := hits.onHit.entry
    private val (f, w) = (n(findingAt), n(findingAt + 1))
    f(FOUND).isLook := f(onPlace.IS_LOOK)
    f(FOUND).isFree := !f(ENTRY).isThere
    f(FOUND).isLast := f(onPlace.IS_LAST_LOOK)
    f(FOUND).place := f(onPlace.PLACE)
    f(FOUND).key := replacement.key(f(ENTRY))
    private val findings = Mem(HbfFinding(entries, hitBits + 1), rest)
    findings.write(w(NUMBER), w(FOUND), enable = w.isValid && w(isSample))
    n(missAt)(FINDING) := findings.readAsync(n(missAt)(NUMBER))
  }

  /** The arriving flow has an entry: with so many hits, of which some are of the period before. */
  val IS_KNOWN, HAS_PREVIOUS = Payload(Bool())
  val HITS = Payload(UInt(hitBits + 1 bits))
  private val OWN = Payload(HbfEntry(hitBits))
  n(knownAt - 1)(OWN) := hits.onSecond.entry
  private val own = n(knownAt)(OWN)
  n(knownAt)(IS_KNOWN) := n(knownAt)(onPlace.IS_OWN) && own.isThere
  n(knownAt)(HAS_PREVIOUS) := own.isKept || own.previous =/= 0
  n(knownAt)(HITS) := own.total
}

object HbfCache {

  /** Samples from one flow that enters to the next, and from a look to what comes of it. */
  val rest = 16
  val sampleAt = 2
}
