// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile
package account

import sluice.blocks.state._
import sluice.contract._
import sluice.tile.queue.Left
import sluice.blocks.state.occupancy.{IndexedChange, IndexedOccupancy}
import spinal.core._
import spinal.lib._

/** How much is queued of each of many queues, in block memory: whether the packet that is decided in this clock fits the limits of its
  * queue, and what an arrival sees of its queue. Exact, with one packet decided and one leaving in every clock, of one queue or not.
  *
  * As in [[Occupancy]] whether a packet fits is worked out for both decisions about the one before it; that the memory has not yet what
  * was decided shortly before is [[ForwardedMemory]]'s.
  *
  * @param coming
  *   the packet that is decided [[Admission.ahead]] clocks later
  * @param limits
  *   of its queue, [[Occupancy.ahead]] clocks before
  * @param packetsInAll
  *   of all queues
  * @param bytesInAll
  *   likewise
  * @param leaving
  *   the packet that leaves in this clock; counted no more from [[ListedOccupancy.later]] clocks later on than others are
  * @param isAccepted
  *   the packet that is decided in this clock enters
  * @param accepted
  *   that packet
  * @param departed
  *   the packet that the tile's own count subtracts in this clock
  * @param restart
  *   nothing is queued, comes in this clock, is decided or leaves, and what did is in the totals: they begin anew
  */
class ListedOccupancy(
    config: TileConfig,
    coming: Descriptor,
    limits: ListedOccupancy.Limits,
    packetsInAll: ListedOccupancy.Shared,
    bytesInAll: ListedOccupancy.Shared,
    leaving: Flow[Left],
    isAccepted: Bool,
    accepted: Descriptor,
    departed: Flow[Left],
    restart: Bool
) extends Area {
  import ListedOccupancy._

  // Totals that only rise. Both are wide enough for a limit, two amounts and a sign.
  private val packetBits = Widths.count(config.mostPackets) + 2
  private val byteBits = Widths.maxBytes + 2
  private def packetsOf(total: UInt) = total.resize(packetBits)
  private def bytesOf(total: UInt) = total >> packetBits
  private val resets = new ResetNumber(config.queueBits, writing = Admission.ahead + 1, restart)

  class Total(queue: UInt, bytes: UInt, isChanged: Bool, writeAt: Int) extends Area {
    private val index = Mux(resets.isFresh, resets.address, queue)
    val words = new ForwardedMemory(packetBits + byteBits, resets.number, index, index, writeAt)
    private val isFresh = Delay(resets.isFresh, writeAt, init = False)
    private val amount = Delay(bytes.andMask(!resets.isFresh), writeAt) // a reset's word begins with nothing
    words.isWrite := isChanged || isFresh
    words.written := (bytesOf(words.value) + amount) @@ (packetsOf(words.value) + U(!isFresh))
  }
  val entered = new Total(coming.queue, coming.bytes, isAccepted, Admission.ahead)
  private val left = leaving.stage()
  val gone = new Total(
    left.packet.queue,
    left.packet.bytes,
    Delay(left.valid, ForwardedMemory.writeAt, init = False),
    ForwardedMemory.writeAt
  )
  private val goneBefore = new ForwardedLookUp(gone.words, coming.queue).value // two clocks before the decision

  /** @param of
    *   its part of a total
    * @param amount
    *   what the packet takes that is decided [[Occupancy.ahead]] clocks later
    */
  private def fitsIfBehind(of: UInt => UInt, limit: UInt, amount: UInt): Seq[Bool] = {
    val bits = of(goneBefore).getWidth
    val amount3 = RegNext(amount)
    val room3 = RegNext(limit.resize(bits) - amount.resize(bits))
    val rooms2 = Seq(RegNext(room3), RegNext(room3 - RegNext(amount3).resize(bits)))
    rooms2.map(room => !(RegNext(room + of(goneBefore)) - of(entered.words.before(1))).msb)
  }
  private val amount = RegNext(coming.bytes)
  private val packetsFit = fitsIfBehind(packetsOf, limits.packets, U(1, 1 bits))
  private val bytesFit = fitsIfBehind(bytesOf, limits.bytes, amount)

  private val isSame3 = Delay(coming.queue === RegNext(coming.queue), 2)
  private def share(of: UInt => UInt, part: Shared, amount: UInt) = new DynamicThreshold(
    part.occupancy,
    part.limit,
    amount,
    part.freedSoon,
    limits.alpha,
    isSame3,
    DynamicThreshold.Totals(
      of(goneBefore),
      of(entered.words.before(2)),
      isBeforeLastSame = entered.words.isRewritten(2),
      of(entered.words.value)
    ),
    isAccepted
  )
  val ofPackets = share(packetsOf, packetsInAll, U(1, 1 bits))
  val ofBytes = share(bytesOf, bytesInAll, amount)

  /** The packet that is decided in this clock fits. */
  val fits: Bool = RegNext(
    Mux(entered.words.isRewritten(1), packetsFit(1) && bytesFit(1), packetsFit(0) && bytesFit(0)) &&
      ofPackets.isBelow && ofBytes.isBelow
  )

  /** Packets of the queue of the packet that was decided a clock ago, with it if it entered. */
  def grown: UInt = RegNext(packetsOf(entered.words.value) - Delay(packetsOf(goneBefore), 2)) + 1

  /** What an arrival sees: what is queued of a queue in this clock, [[ListedOccupancy.looking]] + 1 clocks later. */
  class View(width: Int, amountOf: UInt => UInt) extends Area {
    private val amountBits = amountOf(accepted.bytes).getWidth
    val occupancy = new IndexedOccupancy(1 << config.queueBits, width, amountBits, removals = 1)
    require(occupancy.latency == looking + 1)
    occupancy.io.restart := restart
    private def tell(to: Flow[IndexedChange], is: Bool, packet: Descriptor): Unit = {
      to.valid := is
      to.index := packet.queue
      to.amount := amountOf(packet.bytes)
    }
    tell(occupancy.io.added, isAccepted, accepted)
    tell(occupancy.io.removed.head, departed.valid, departed.packet)

    def of(queue: UInt): UInt = {
      occupancy.io.lookUp.head.valid := True
      occupancy.io.lookUp.head.payload := queue
      occupancy.io.occupancy.head.payload
    }
  }
  val packets = new View(Widths.count(config.mostPackets), _ => U(1, 1 bits))
  val bytes = new View(Widths.maxBytes, bytes => bytes)
}

object ListedOccupancy {

  /** What a queue may hold: most packets, most bytes, and the code of its alpha ([[DynamicThreshold]]). */
  case class Limits(packets: UInt, bytes: UInt, alpha: UInt)

  /** What is queued of all queues, its limit [[Occupancy.ahead]] clocks before a decision, and what it is given back
    * [[DynamicThreshold.ahead]] clocks later.
    */
  case class Shared(occupancy: Occupancy, limit: UInt, freedSoon: UInt)

  /** Clocks by which a core of many queues sees everything later: so long is its queue looked up. */
  val looking = 8

  /** Clocks that a packet that left counts longer than with few queues: until its total is in the memory. */
  val later = 8
}
