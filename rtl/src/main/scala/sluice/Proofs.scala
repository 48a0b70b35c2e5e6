// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice

import sluice.blocks.cardinality.MinWordProof
import sluice.blocks.state.{IndexedOccupancyProof, SweepProof}
import sluice.packet._
import sluice.tile.{AccountProof, QueueAccountProof}
import sluice.tile.queue.{AskedRingProof, QueueRingsProof}
import sluice.tile.registers.RegisterProof
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

object Proofs {

  /** What is proved, by name. */
  val all: Seq[(String, () => Component)] = Seq(
    "output" -> (() => new OutputProof),
    "free_running" -> (() => new FreeRunningProof),
    "renewable" -> (() => new RenewableProof),
    "counters" -> (() => new CounterProof),
    "buffer" -> (() => new BufferProof),
    "registers" -> (() => new RegisterProof),
    "asked_ring" -> (() => new AskedRingProof),
    "queue_rings_strict" -> (() => new QueueRingsProof("strict")),
    "queue_rings_drr" -> (() => new QueueRingsProof("drr")),
    "account_head" -> (() => new AccountProof(Witness.tiles(0))),
    "account_out" -> (() => new AccountProof(Witness.tiles(1))),
    "account_queues" -> (() => new QueueAccountProof(Witness.ofQueues)),
    "indexed_occupancy" -> (() => new IndexedOccupancyProof),
    "min_word" -> (() => new MinWordProof(values = 3)),
    "sweep" -> (() => new SweepProof(words = 23))
  )
}
