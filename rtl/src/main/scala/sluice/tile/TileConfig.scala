// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile

import sluice.blocks.state.Taus88
import sluice.contract._
import sluice.tile.queue.Sampling
import sluice.tile.account.DynamicThreshold
import spinal.core._

/** One named configuration of a tile, complete.
  *
  * @param name
  *   as in configs.yaml; names the Verilog module
  * @param grade
  *   `supported` or `experimental`
  * @param ringPackets
  *   entries of the descriptor ring, a power of two; the limit in packets stays [[TileConfig.margin]] below it. Several queues
  *   share it equally
  * @param cookieBits
  *   width of the handle that a packet carries from its arrival to its verdict and its departure; 0: none, and no port
  * @param queues
  *   1 to [[Widths.mostQueues]], or up to [[Widths.mostLists]] in linked lists
  * @param scheduler
  *   of several queues `strict` or `drr`; of many, in linked lists, `drr`, `levels`, which is that in each of [[Widths.levels]] levels
  *   of strict priority, or `fq`, which is RFC 8290's; of one `fifo`
  * @param queueBy
  *   who says the queue of a packet: the `port`, the `core`, or a `hash` of its flow; of one queue `none`
  * @param extension
  *   of the datapath around the tile, if there is one
  */
case class TileConfig(
    name: String,
    algorithm: Algorithm,
    grade: String,
    ringPackets: Int,
    cookieBits: Int,
    queues: Int = 1,
    scheduler: String = "fifo",
    queueBy: String = "none",
    extension: Option[Extension] = None
) {
  require(
    isPow2(ringPackets) && ringPackets >= 32,
    s"$name: ring_packets must be a power of two from 32 on, not $ringPackets"
  )
  require(ringPackets < (1 << Widths.maxPackets), s"$name: ring_packets must be below ${1 << Widths.maxPackets}")
  require(cookieBits >= 0, s"$name: cookie_bits must not be below 0, and is $cookieBits")
  require(Set("supported", "experimental")(grade), s"$name: grade must be supported or experimental, not '$grade'")

  /** Verilog name of one of the configuration's tops. */
  def moduleName(top: String): String = ModuleName(top, name)

  require(queues >= 1 && queues <= Widths.mostLists, s"$name: queues must be 1 to ${Widths.mostLists}, not $queues")
  val storage: Storage = Storage.of(queues)
  require(
    storage.has(scheduler),
    s"$name: scheduler must be ${storage.words} of $queues queues, not '$scheduler'"
  )
  require(
    Set(if (queues == 1) "none" else if (algorithm.needs.choosesQueue) "core" else "port", "hash")(queueBy),
    s"$name: queue_by must be none of one queue, core where that chooses it, and else port or hash, not '$queueBy'"
  )
  require(
    queueBy != "hash" || (queues > 2 && isPow2(queues)),
    s"$name: a hash chooses among 4, 8, 16... queues, not $queues"
  )
  require(
    Set(1, queues)(algorithm.needs.queues),
    s"$name: ${algorithm.name} keeps state for ${algorithm.needs.queues} queues, and there are $queues"
  )
  require(
    (storage == Storage.Rings && scheduler == "drr") || !algorithm.needs.givesQuanta,
    s"$name: ${algorithm.name} gives quanta, which the scheduler $scheduler of $queues queues does not take"
  )
  require(
    (scheduler == "fq") == algorithm.needs.headState.isDefined,
    s"$name: the scheduler fq has packets judged at the heads of many queues, by a core whose state the tile keeps, and by no other; " +
      s"${algorithm.name} is ${if (scheduler == "fq") "none" else "one"}"
  )
  require(
    queues == 1 || scheduler == "fq" || (!algorithm.needs.isAsked && algorithm.needs.samples == 0),
    s"$name: ${algorithm.name} looks into the queue or judges at its head, of which it knows one, and there are $queues"
  )

  require(
    storage != Storage.Lists || !(algorithm.needs.settled || algorithm.needs.departed ||
      (algorithm.needs.idle && algorithm.needs.queues > 1)),
    s"$name: ${algorithm.name} hears of its packets' fates or of each queue's idle time, which a tile of linked lists cannot do yet"
  )
  require(
    storage == Storage.Lists || algorithm.needs.profiles == 0,
    s"$name: ${algorithm.name} has profiles of queues, which a host chooses in a tile of linked lists only"
  )

  /** Bits of the number of a queue. */
  val queueBits: Int = Widths.queue(queues)

  /** Packets have colours, and each of them a profile in a queue. */
  val hasColours: Boolean = algorithm.needs.profiles > 0

  /** Bits of the numbers of a queue's profiles, one for each colour. */
  val profilesBits: Int = DscpColours.number * algorithm.needs.profileBits

  /** Each of many queues has counters, where these are a host's classes and not the flows of a hash. */
  val countsLists: Boolean = storage == Storage.Lists && queueBy == "port" && scheduler != "fq"

  /** Levels of strict priority, of which each queue has one. */
  val levels: Int = if (scheduler == "levels") Widths.levels else 1

  /** Entries that a queue may take, in a ring of its own or of all. */
  val ringOfQueue: Int = if (storage == Storage.Lists) ringPackets else ringPackets >> queueBits
  require(
    ringOfQueue >= 32,
    s"$name: the ring of each of $queues queues must have 32 entries or more, not $ringOfQueue"
  )

  /** Most packets of one queue, and in all, that may be queued. */
  val mostInQueue: Int = ringOfQueue - TileConfig.margin
  val mostPackets: Int = if (storage == Storage.Lists) mostInQueue else queues * mostInQueue
  require(
    mostPackets <= algorithm.mostPackets,
    s"$name: ${algorithm.name} counts up to ${algorithm.mostPackets} packets, and a ring of $ringPackets holds $mostPackets"
  )

  /** Limits of a queue, or of every one. */
  class Limits(prefix: String, which: String) {
    private val bits = Widths.count(mostInQueue)
    val limit =
      Parameter(s"${prefix}_limit", "", bits, 0, "packets", mostInQueue, s"most packets queued in $which")
    val limitBytes = Parameter(
      s"${prefix}_limit_bytes",
      "",
      Widths.maxBytes,
      0,
      "bytes",
      (1 << Widths.maxBytes) - 1,
      s"most bytes queued in $which"
    )
    val limitInRing = Rule(
      s"${prefix}_limit_in_ring",
      s"1 <= ${limit.name} <= $mostInQueue",
      v => v(limit) >= 1 && v(limit) <= mostInQueue
    )
  }

  private def quantum(prefix: String, default: Int, doc: String) =
    Parameter(s"${prefix}_quantum", "", Widths.quantum, 0, "bytes", default, doc)

  /** Parameters of one of several queues. */
  class OfQueue(number: Int) extends Limits(s"queue$number", s"queue $number") {
    val quantum: Option[Parameter] = Option.when(scheduler == "drr" && !needs.givesQuanta)(
      TileConfig.this.quantum(
        s"queue$number",
        algorithm.quantumOf(number),
        s"what queue $number may send on its turn; at least the largest packet"
      )
    )
    val all: Seq[Parameter] = Seq(limit, limitBytes) ++ quantum
  }

  /** Parameters that hold for each of many queues.
    *
    * A queue that is a flow's is filled by who sends that, so after a reset none may hold more than is free, or one flood would leave no
    * room for others. Of a queue that is a class the host knows what it may hold.
    */
  class OfEach extends Limits("queue", "each queue") {
    val quantum: Parameter = TileConfig.this.quantum(
      "queue",
      algorithm.quantumOf(0),
      "what each queue may send in a round, unless it has a quantum of its own"
    )
    val alpha: Parameter = Parameter(
      "queue_alpha",
      "",
      DynamicThreshold.codeBits,
      0,
      "code",
      if (queueBy == "hash") DynamicThreshold.one else 0,
      s"part of what is free that each queue may hold, unless it has one of its own: 2^(queue_alpha - 9), or all with 0"
    )
    val all: Seq[Parameter] = Seq(limit, limitBytes, quantum, alpha)
    val rules: Seq[Rule] = Seq(
      limitInRing,
      Rule.isAtLeast(quantum, 1),
      Rule("queue_alpha_known", s"queue_alpha <= ${DynamicThreshold.codes}", v => v(alpha) <= DynamicThreshold.codes)
    )
  }

  /** Parameters that every tile has, before the core's. */
  object Own {
    val limit =
      Parameter("limit", "MaxSize", Widths.maxPackets, 0, "packets", mostPackets.min(1000), "most packets queued")
        .copy(follows = Some(Fact.limit))
    val limitBytes =
      Parameter("limit_bytes", "", Widths.maxBytes, 0, "bytes", (1 << Widths.maxBytes) - 1, "most bytes queued")
    val seeds: Seq[Parameter] = Taus88.components.zipWithIndex.map { case (c, i) =>
      Parameter(
        s"seed$i",
        "",
        32,
        0,
        "1",
        BigDecimal(c.defaultSeed),
        s"state word $i of the random generator; loaded when written"
      )
    }
    val ofQueues: Seq[OfQueue] = if (storage == Storage.Rings) Seq.tabulate(queues)(new OfQueue(_)) else Nil
    val ofEach: Option[OfEach] = Option.when(storage == Storage.Lists)(new OfEach)
    val hash: Option[QueueHash] = Option.when(queueBy == "hash")(new QueueHash(queueBits))
    val all: Seq[Parameter] = Seq(limit, limitBytes) ++ seeds ++ ofQueues.flatMap(_.all) ++
      ofEach.toSeq.flatMap(_.all) ++ hash.toSeq.flatMap(_.secret) ++ (if (hasColours) DscpColours.table else Nil)
    val rules: Seq[Rule] = Seq(
      Rule("limit_in_ring", s"1 <= limit <= $mostPackets", v => v(limit) >= 1 && v(limit) <= mostPackets)
    ) ++ ofQueues.map(_.limitInRing) ++ ofEach.toSeq.flatMap(_.rules) ++ hash.toSeq.flatMap(
      _.rules
    ) ++ Taus88.components.zip(seeds).map { case (c, p) =>
      Rule.isAtLeast(p, c.least)
    }
  }

  /** What the core needs, and so the tile has. */
  val needs: Needs = algorithm.needs

  /** A queued packet, as it leaves. */
  def descriptor: Descriptor = Descriptor(cookieBits, needs.tagBits, queueBits = queueBits)

  /** A queued packet, as the ring keeps it. */
  def entry: Descriptor = Descriptor(cookieBits, needs.tagBits, withTime = needs.head, queueBits)

  /** Bits of a place in the ring: one more than the ring's address has, so that an entry and the next one there differ. */
  val placeBits: Int = log2Up(ringPackets) + 1

  /** Random words that draw queued packets. */
  val drawWords: Int = needs.samples * Sampling.draws(needs)

  val parameters: Seq[Parameter] = Own.all ++ algorithm.parameters ++ extension.toSeq.flatMap(_.parameters)
  val rules: Seq[Rule] = Own.rules ++ algorithm.rules ++ extension.toSeq.flatMap(_.rules)

  /** Reason codes as verdicts carry them, the tile's own last. */
  val reasons: Seq[(Int, Reason)] =
    algorithm.reasons.zipWithIndex.map { case (r, i) =>
      (i + 1, r)
    } ++ Option.when(needs.takesVictims)(TileConfig.pushedOutCode -> TileConfig.pushedOut) :+
      (TileConfig.overlimitCode -> TileConfig.overlimit)
  require(algorithm.reasons.size < TileConfig.pushedOutCode, s"$name: more reasons than codes")
}

object TileConfig {

  /** Ring entries kept free, so that a packet drawn at an arrival is still there when it is read some clocks later. */
  val margin = 16

  /** The tile's own drop: the buffer is full. */
  val overlimit = Reason("Overlimit drop", isMark = false)
  val overlimitCode = (1 << Widths.reason) - 1

  /** What a core throws out of the queue. */
  val pushedOut = Reason("Pushed out drop", isMark = false)
  val pushedOutCode = overlimitCode - 1
}
