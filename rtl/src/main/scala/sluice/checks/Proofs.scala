// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice
package checks

import sluice.blocks.cardinality.MinWordProof
import sluice.blocks.state.SweepProof
import sluice.packet._
import sluice.tile.queue.{AskedRingProof, QueueRingsProof}
import sluice.tile.registers.RegisterProof
import sluice.tile.account.{AccountProof, HealedOccupancyProof, QueueAccountProof}
import sluice.tile.queue.lists.{FreeSlotsProof, ListTotalsProof, QueueListsProof, TurnRingProof}
import sluice.blocks.state.occupancy.IndexedOccupancyProof
import spinal.core._
import spinal.core.formal._

/** Designs that are never built, only proved: a block with an arbitrary environment and what must hold. */
abstract class Proof extends Component {
  assumeInitial(ClockDomain.current.isResetActive)

  /** An arbitrary value in every clock. */
  protected def free[T <: Data](kind: HardType[T]): T = {
    val value = kind()
    anyseq(value)
    value
  }
  protected val isRunning: Bool = pastValidAfterReset()
}

/** A design to prove, and what holds in it, as readers of a table are told. */
case class Claim(name: String, states: String, design: () => Component)

object Proofs {
  private val ringsState =
    "packets leave each queue once and in its order, and none is lost for lack of room; two queues of 3 packets"

  private val accountStates = "what the tile counts adds up at every moment, in packets and bytes, modulo 4"

  /** What is proved. */
  val all: Seq[Claim] = Seq(
    Claim("output", "what a datapath's output offers stays as it is until it is taken", () => new OutputProof),
    Claim(
      "free_running",
      "what goes into work that is never held back comes out once and in order, however the output waits",
      () => new FreeRunningProof
    ),
    Claim(
      "renewable",
      "what waits is worked out anew when what it is worked out from changes; it keeps its order, and none is lost or doubled",
      () => new RenewableProof
    ),
    Claim(
      "counters",
      "every frame that counts ends in exactly one fate, at every moment, modulo 16",
      () => new CounterProof
    ),
    Claim(
      "buffer",
      "the packet buffer loses, doubles, reorders and tears no frame, and gives each its own side-band; " +
        "a ring of two beats",
      () => new BufferProof
    ),
    Claim(
      "registers",
      "what is in force is legal and was committed as one set, an OKAY write is staged, a refused set changes nothing, " +
        "every request is answered once and in order",
      () => new RegisterProof
    ),
    Claim(
      "asked_ring",
      "packets leave once and in order, to asks only, whatever is judged, dropped or sent back; a ring of 4 packets",
      () => new AskedRingProof
    ),
    Claim("queue_rings_strict", s"by strict priority: $ringsState", () => new QueueRingsProof("strict")),
    Claim(
      "queue_rings_drr",
      s"by deficit round robin: $ringsState; no deficit leaves its range",
      () => new QueueRingsProof("drr")
    ),
    Claim(
      "queue_lists",
      "packets leave each queue of linked lists once and in its order, and none leaves an empty one; three queues in 4 slots",
      () => new QueueListsProof
    ),
    Claim(
      "list_totals",
      "a push to the linked lists finds its queue empty, or the slot of the packet before it, and a pop finds another one behind its own, " +
        "exactly when it is so, whenever a reset comes, if a queue's turns come no sooner than these do and for packets that it has; three queues in 4 slots",
      () => new ListTotalsProof
    ),
    Claim(
      "free_slots",
      "a slot of the linked lists' memory is in one place at every moment: free, once, or with a packet; none is lost, doubled or given " +
        "while a packet is in it; 8 slots",
      () => new FreeSlotsProof(depth = 8)
    ),
    Claim(
      "turn_ring",
      "turns of the linked lists are taken once, in their order, and whether one waits is said in the clock in which it does; 8 turns",
      () => new TurnRingProof(depth = 8)
    ),
    Claim(
      "healed_occupancy",
      "whatever an upset has made of it, the count of queued packets is right from the first time on at which nothing was " +
        "queued for a while, and no such rest takes away what is there; a ring of 2 packets",
      () => new HealedOccupancyProof
    ),
    Claim(
      "account_head",
      s"$accountStates, of a core that judges at the head",
      () => new AccountProof(Witness.tiles(0))
    ),
    Claim(
      "account_out",
      s"$accountStates, of a core that throws packets out",
      () => new AccountProof(Witness.tiles(1))
    ),
    Claim(
      "account_queues",
      "what a tile of three queues counts adds up for each at every moment, and all queues' sums are the tile's, modulo 4",
      () => new QueueAccountProof(Witness.ofQueues)
    ),
    Claim(
      "indexed_occupancy",
      "an index' occupancy is all that was added to it less all that was removed since the reset; two words",
      () => new IndexedOccupancyProof
    ),
    Claim(
      "min_word",
      "a word holds the largest of all numbers that came, each once, largest first; three numbers of 3 bits",
      () => new MinWordProof(values = 3)
    ),
    Claim(
      "sweep",
      "a sweep visits each word once after a reset, and only then; 23 words",
      () => new SweepProof(words = 23)
    )
  )
}
