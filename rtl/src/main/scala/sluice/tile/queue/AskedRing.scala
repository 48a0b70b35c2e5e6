// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile
package queue

import sluice.contract._
import spinal.core._
import spinal.lib._

/** An entry on its way out of an [[AskedRing]].
  *
  * @param placeBits
  *   see [[TileConfig.placeBits]]
  */
case class Fetched(entry: HardType[Descriptor], placeBits: Int) extends Bundle {
  val descriptor = entry()
  val place = UInt(placeBits bits)
}

/** A packet that leaves: to the link, or dropped and why. */
case class Leaving(packet: HardType[Descriptor]) extends Bundle {
  val descriptor = packet()
  val isDropped = Bool()
  val reason = UInt(Widths.reason bits) // of a drop, or of a mark made at the head; 0: none
}

/** The queue of descriptors from which packets may also be dropped. An entry stays in block RAM until the link asks for a packet;
  * then it is fetched, and whoever stands behind says what becomes of it. One ask is met by one entry that is not dropped.
  *
  * Entries are fetched one per clock while asks are unmet, and come on `fetched` [[AskedRing.fetchCycles]] clocks later; each must
  * be resolved in order, a fixed number of clocks later. `restart` voids all that were fetched after the entry that is resolved in
  * that clock: they are fetched again. Resolved entries leave in order on `left`, the dropped ones between the others; an entry is
  * fetched only if there is room for it behind, so nothing is lost while the link holds a packet up.
  *
  * What is under way is counted, and what counts it begins anew once nothing can be: an upset of it lasts until then.
  *
  * A pushed entry can be fetched from the next clock on. The ring never checks for room: whoever pushes keeps the number of entries
  * at most `depth - TileConfig.margin`.
  *
  * @param entry
  *   what is kept of a packet in the ring
  * @param packet
  *   what leaves of it
  * @param mostAsked
  *   asks that may be unmet at a time
  * @param places
  *   entries that may be under way or wait for the link, a power of two
  */
class AskedRing(
    entry: HardType[Descriptor],
    packet: HardType[Descriptor],
    depth: Int,
    mostAsked: Int = AskedRing.mostAsked,
    places: Int = AskedRing.places
) extends Component {
  import AskedRing.fetchCycles
  private val placeBits = log2Up(depth) + 1

  val io = new Bundle {
    val push = slave(Flow(entry()))
    val ask = slave(Event)
    val fetched = master(Flow(Fetched(entry, placeBits)))
    val resolved = slave(Flow(Leaving(packet)))
    val restart = slave(Flow(UInt(placeBits bits))) // where to fetch next
    val left = master(Stream(Leaving(packet)))
    val tail = out(UInt(placeBits bits)) // where the next push goes
    val next = out(UInt(placeBits bits)) // the oldest entry that is not fetched
    val isAsked = out(Bool()) // an ask is unmet and nothing is under way
    val isEmpty = out(Bool()) // a clock ago nothing was pushed, waited or was under way
    val isMended = out(Bool()) // what counts the packets under way was wrong and begins anew
    val isOdd = out(Bool()) // a packet was fetched with another length than it came with
  }

  val memory = Mem(CheckedDescriptor(entry), depth)
  private def address(place: UInt): UInt = place.resize(log2Up(depth))

  val onPush = new Area {
    val tail = Reg(UInt(placeBits bits)) init 0
    memory.write(address(tail), CheckedDescriptor.of(entry, io.push.payload), enable = io.push.valid)
    when(io.push.valid)(tail := tail + 1)
    io.tail := tail
  }

  val onAsk = new Area {
    // Asks that no entry has met: `owed` counts those too for which one is under way.
    val owed, unmet = Reg(UInt(Widths.count(mostAsked) bits)) init 0
    // Places taken behind: by entries under way, and by those that are resolved and have not left.
    val taken, resolved = Reg(UInt(Widths.count(places) bits)) init 0
    val next = Reg(UInt(placeBits bits)) init 0
    val isAny = RegInit(False) // an entry is not fetched, next =/= tail: known a clock before it is asked
    val isPassed = io.resolved.valid && !io.resolved.isDropped

    val isFetching = unmet =/= 0 && taken =/= places && isAny
    io.ask.ready := owed =/= mostAsked
    owed := owed + U(io.ask.fire) - U(isPassed)
    unmet := unmet + U(io.ask.fire) + U(io.resolved.valid && io.resolved.isDropped) - U(isFetching)
    resolved := resolved + U(io.resolved.valid) - U(io.left.fire)
    taken := taken + U(isFetching) - U(io.left.fire)
    when(isFetching)(next := next + 1)
    private val behind = onPush.tail - next
    private val isLeft = (behind >> 1) =/= 0 || (behind.lsb && !isFetching)
    isAny := io.push.valid || Mux(io.restart.valid, onPush.tail =/= io.restart.payload, isLeft)
    when(io.restart.valid) {
      next := io.restart.payload
      unmet := owed + U(io.ask.fire) - U(isPassed)
      taken := resolved + 1 - U(io.left.fire)
    }

    // Nothing has been fetched, resolved or offered for longer than it takes from one to the next.
    val silence = Reg(UInt(log2Up(AskedRing.silence) + 1 bits)) init 0
    val isSilent = silence.msb && !isFetching
    when(!silence.msb)(silence := silence + 1)
    when(isFetching || io.resolved.valid || io.left.valid)(silence := 0)
    val isWrong = taken =/= 0 || resolved =/= 0 || unmet =/= owed
    when(isSilent && !io.ask.fire) {
      taken := 0
      resolved := 0
      unmet := owed
    }
    io.isMended := RegNext(isSilent && isWrong, init = False)
    io.isEmpty := RegNext(silence.msb && !isAny && !io.push.valid, init = True)
    io.next := next
    io.isAsked := owed =/= 0 && unmet === owed
  }

  val onFetch = new Area {
    // Block RAM is slow at its output: a register before it and one behind.
    val valids = Vec.fill(fetchCycles)(RegInit(False))
    for ((valid, previous) <- valids.zip(onAsk.isFetching +: valids)) valid := previous && !io.restart.valid
    val place = Delay(onAsk.next, fetchCycles)
    private val word = RegNext(memory.readSync(address(RegNext(onAsk.next))))
    io.fetched.descriptor := word.descriptor
    io.isOdd := RegNext(valids.last && word.isOdd, init = False)
    io.fetched.place := place
    io.fetched.valid := valids.last
  }

  // Whether the next one is dropped decides in the same clock whether it leaves, so it comes from a register.
  io.left << io.resolved.toStream.queue(places).m2sPipe()
}

object AskedRing {

  /** Clocks from the choice of an entry to its presence. */
  val fetchCycles = 3

  /** Enough for a link that takes a packet in every clock, whatever a core's judgment takes. */
  val mostAsked = 31
  val places = 32

  /** As many places as are enough where a judgment takes so many clocks: an entry holds one from when it is chosen, through the way to
    * the core, its judgment and the way to the link, to when that is counted. A LUT memory has no fewer than 16.
    */
  def placesFor(judgment: Int): Int = (1 << log2Up(fetchCycles + 1 + judgment + 4)).max(16).min(places)

  /** Clocks without anything under way after which nothing is: more than any core's judgment takes, and the ways there and back. */
  val silence = 64
}
