// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile

import sluice.blocks.state.{MonotonicTime, Taus88}
import sluice.contract._
import sluice.tile.account._
import sluice.tile.queue.{numbers, _}
import sluice.tile.registers._
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axilite._

/** A core and all that every core needs around it: descriptor ring with exact occupancy, random words, random queued packet, limit,
  * counters and registers. Descriptors in, verdicts out; for a NIC with its own packet memory, for the datapath and for simulators.
  *
  * One arrival and one departure per clock. The verdict of an arrival comes [[latency]] cycles after it on `m_verdict`; an
  * accepted packet counts from that cycle on and appears on `m_departure` four cycles later. The link takes packets from
  * `m_departure`; holding `ready` while there is nothing tells the core that the link is idle.
  *
  * Where the core judges packets at the head or throws queued ones out, the link asks for each packet on `s_ask`, and nothing is
  * fetched or judged before; it takes what it asked for from `m_departure`. An ask stays until a packet comes for it, and to the
  * core the link is idle meanwhile. Packets that were dropped in the queue come on `m_dropped` when their turn has come: from then
  * on their memory is free. `m_victim` names a packet as it is thrown out, by its place in the ring: the n-th accepted
  * packet since reset is in place n modulo twice the ring's entries.
  *
  * Time is `now_ns`: it may stand still or jump forwards by any amount, and where it steps back it stands still, or, where that
  * would be for long, begins anew ([[MonotonicTime]]). A tile whose core wants ticks shows on `ticking` that one is at work, or
  * waits for a set of parameters to take effect; a packet offered while it is low, three clocks after a time was set, is judged after
  * that time's ticks.
  *
  * A packet's cookie is its owner's and means nothing here: it goes with the packet to its verdict, and on to its departure.
  *
  * What an upset of a single bit does to the state around the core ends by itself: a memory is addressed by clocks and not by what
  * comes, what is counted begins anew when the queue is empty, and who waits does not wait for ever. [[Faults]] says what was mended.
  *
  * @param lead
  *   clocks that a datapath takes from a frame's last beat to `s_arrival`
  */
class AqmTile(config: TileConfig, lead: Int = 0) extends Component {
  private val algorithm = config.algorithm
  private val needs = config.needs
  private def departure() = Departure(config.cookieBits, withReason = needs.isAsked, config.queueBits)

  val io = new Bundle {
    val now_ns = in(UInt(Widths.timeNs bits))
    val s_arrival = slave(
      Flow(
        Arrival(
          config.cookieBits,
          needs.rtt,
          if (config.queueBy == "port") config.queueBits else 0,
          withDscp = config.hasColours
        )
      )
    )
    val m_verdict = master(Flow(Verdict(config.cookieBits, config.queueBits)))
    val m_victim = needs.takesVictims generate master(Flow(UInt(config.placeBits bits)))
    val s_ask = needs.isAsked generate slave(Event)
    val m_departure = master(Stream(departure()))
    val m_dropped = needs.isAsked generate master(Flow(departure()))
    val s_axil = slave(AxiLite4(RegisterMap.bus))
    val extension = config.extension.map(new ExtensionIo(config, _))
  }
  noIoPrefix()
  Ports.name("s_arrival", io.s_arrival.payload)
  Ports.name("m_verdict", io.m_verdict.payload)
  Ports.name("m_departure", io.m_departure.payload)
  if (needs.takesVictims) Ports.name("m_victim_place", io.m_victim.payload)
  if (needs.isAsked) Ports.name("m_dropped", io.m_dropped.payload)
  AxiLite4SpecRenamer(io.s_axil)

  val core = algorithm.core()

  // What the core sees is late by as long as it takes to look into the queue, or to look up its occupancy among many.
  private val sampling = if (needs.samples > 0) Sampling.cycles else config.storage.looking
  private def seen[T <: Data](value: T): T = Delay(value, sampling)

  /** Cycles from `s_arrival` to `m_verdict`: the input register, the sample, the core and the commit point. */
  val latency: Int = 1 + sampling + core.latency + 1

  val registers = new TileRegisters(config, new RegisterMap(config, lead + latency), latency)
  registers.io.axil << io.s_axil
  registers.io.status <> core.io.status

  // A head's memory of packets in judgment is written a clock later, with the time.
  private val described = if (needs.head) 1 else 0
  require(
    core.latency >= Admission.ahead + 2 + described,
    s"${algorithm.name} is too fast: the tile prepares its limits meanwhile"
  )
  private val offered = OfferedPacket(config, io.s_arrival, registers.io.active, core.io.applied)

  val onArrival = new Area {
    val packet = offered.stage()
    val time = new MonotonicTime(io.now_ns)
    val nowNs = time.latest
    val queuePackets = Reg(UInt(Widths.maxPackets bits))
    val queueBytes = Reg(UInt(Widths.maxBytes bits))

    core.io.arrival.valid := Delay(packet.valid, sampling, init = False)
    core.io.arrival.packet.assignSomeByName(seen(packet.payload))
    core.io.arrival.nowNs := seen(nowNs)
    if (config.storage != Storage.Lists) {
      core.io.arrival.queuePackets := seen(queuePackets)
      core.io.arrival.queueBytes := seen(queueBytes)
    }
    if (needs.limit) {
      val limit = config.Own.limit
      core.io.arrival.limit := RegNextWhen(registers.io.active(limit), core.io.applied) init limit.raw
    }
  }

  val onDraw = (needs.randomWords + config.drawWords > 0) generate new Area {
    // The last words draw the queued packets, where the core wants some.
    val generator = new Taus88(needs.randomWords + config.drawWords)
    when(onArrival.packet.valid)(generator.advance())
    when(core.io.applied && registers.io.isSeeded) {
      generator.seed(config.Own.seeds.map(registers.io.active(_)))
    }
    for (i <- 0 until needs.randomWords) core.io.arrival.random(i) := seen(generator.random(i))
  }

  // What is known of the packets in judgment: the pipeline's length is fixed, so it is found as many clocks behind as that takes.
  val onVerdict = new Area {
    val entries = 1 << log2Up(latency + 1)
    val inFlight = Mem(config.entry, entries)
    inFlight.addAttribute("syn_ramstyle", "block_ram") // Lattice's word: 32 entries of ECP5's LUT memory are 200 LUTs
    val incoming = if (needs.head) onArrival.packet else offered
    val entry = config.entry
    entry.assignSomeByName(incoming.payload)
    entry.isCe := False
    if (needs.tagBits > 0) entry.tag := 0 // comes with the verdict
    if (needs.head) {
      entry.isEct := incoming.isEct
      entry.queuedNs := onArrival.nowNs
    }
    // A long pipeline's memory is block memory, slow at its output: it is read early, and so written as early as can be. Both places
    // are of one count of clocks, whatever comes: nothing can be upset that would give each packet its neighbour's description.
    val clocks = CounterFreeRun(entries)
    val sinceWritten = (if (needs.head) 0 else 1) + sampling + core.latency - Admission.ahead - 2
    require(
      sinceWritten >= 1 && sinceWritten < entries,
      "a packet is read after it is written and before another is there"
    )
    inFlight.write(clocks.value, entry, enable = incoming.valid)
    val coming = RegNext(inFlight.readSync(clocks.value - sinceWritten))

    // The tile's own parameters change with the first packet that is judged by the new set.
    private val isEntering = Delay(core.io.applied, core.latency - Occupancy.ahead, init = False)
    private def inForce(p: Parameter): UInt = RegNextWhen(registers.io.active(p), isEntering) init p.raw

    // Of each queue: nothing that was accepted before this clock counts any more.
    val isAtRest = Bits((if (config.storage == Storage.Lists) 1 else config.queues) bits)
    val restart = (config.storage == Storage.Lists) generate Bool() // of what counts many queues
    val leaving = Flow(new Left(config))
    val thrown = Option.when(needs.takesVictims)(Flow(config.entry))
    val admission = new Admission(
      config,
      core.io.verdict,
      coming,
      leaving,
      thrown,
      limit = inForce(config.Own.limit),
      limitBytes = inForce(config.Own.limitBytes),
      limitsOfQueues = config.Own.ofQueues.map(q => (inForce(q.limit), inForce(q.limitBytes))),
      limitsOfEach = config.Own.ofEach.map { each =>
        val alphas = new numbers.Alphas(registers.io.window, registers.io.active(each.alpha))
        val later = sampling + core.latency - Occupancy.ahead - numbers.QueueNumbers.latency
        val alpha = alphas.of(onArrival.packet.queue, inForce(each.alpha), later)
        ListedOccupancy.Limits(inForce(each.limit), inForce(each.limitBytes), alpha)
      },
      isAtRest = isAtRest.andR,
      isQueueAtRest = isAtRest.asBools.toSeq,
      restart = restart,
      cellsBack =
        io.extension.filter(_.cellsFreed != null).map(e => Admission.CellsBack(e.cellsFreed, e.areCellsAtRest))
    )
    onArrival.queuePackets := admission.packetsOf(offered.queue)
    onArrival.queueBytes := admission.bytesOf(offered.queue)
    val profiles = config.hasColours generate
      new numbers.Profiles(registers.io.window, offered.payload, registers.io.active, core.io.applied)
    if (config.hasColours)
      core.io.arrival.profile := Delay(profiles.number, 1 + sampling - numbers.QueueNumbers.latency)
    for (listed <- admission.listed) {
      core.io.arrival.queuePackets := listed.packets.of(offered.queue).resized
      core.io.arrival.queueBytes := listed.bytes.of(offered.queue)
    }
    io.m_verdict << admission.verdict
      .map { verdict =>
        val judged = Verdict(config.cookieBits, config.queueBits)
        judged.assignSomeByName(verdict)
        judged.assignSomeByName(admission.packet) // its cookie and queue
        judged
      }
      .stage()

    val accepted = Flow(config.entry)
    accepted.valid := admission.isAccepted
    accepted.payload := admission.entering

    val accountant = new Accountant(config, admission, registers.io.snapshot, Option(registers.io.window))
    val added = io.extension.toSeq.flatMap(_.counters.map(RegNextWhen(_, registers.io.snapshot) init 0))
    registers.io.counters := Vec(accountant.captured ++ added)
    io.extension.foreach { e =>
      e.nowNs := onArrival.nowNs
      e.parameters := registers.io.active
      if (e.secret != null) {
        e.secret := registers.io.secret
        e.isSecretNew := registers.io.isSecretNew
        registers.io.isSecretInForce := e.isSecretInForce
      }
      if (e.written != null) {
        e.written := registers.io.written
        e.writtenData := registers.io.writtenData
      }
      e.isDropped := accountant.isDropped
      e.bytes := accountant.droppedBytes
      if (needs.isAsked) {
        e.isGone := accountant.isGone
        e.goneBytes := accountant.goneBytes
      }
    }
  }

  val onQueue = new TileQueue(
    config,
    core,
    registers,
    onVerdict.accepted,
    onArrival.nowNs,
    seen(onArrival.nowNs),
    onDraw.generator.random.drop(needs.randomWords),
    TileQueue.Told(onVerdict.restart, onVerdict.isAtRest, onVerdict.leaving, onVerdict.thrown),
    TileQueue.Link(io.s_ask, io.m_departure, io.m_dropped, io.m_victim, io.extension.map(_.mayDrop))
  )

  val moments = new CoreMoments(config, core, onVerdict.admission, seen(onArrival.nowNs), sampling)

  registers.io.faults.occupancy := onVerdict.admission.isMended
  registers.io.faults.queue := onQueue.isMended
  registers.io.faults.length := onQueue.isOdd
  registers.io.faults.time := onArrival.time.isSetBack

  /** Clocks in which what was offered last is still in judgment: they end by themselves, whatever becomes of its verdict. */
  class InJudgment(isOffered: Bool) extends Area {
    val clocks = Reg(UInt(log2Up(latency) bits)) init 0
    when(clocks =/= 0)(clocks := clocks - 1)
    when(isOffered)(clocks := latency - 1)
    val isNone = clocks === 0 && !isOffered
  }

  /** The link wants a packet, and of these nothing is queued or in judgment. */
  class Idleness(packets: UInt, isOffered: Bool) extends Area {
    val inJudgment = new InJudgment(isOffered)
    val isIdle = onQueue.isWanted && packets === 0 && inJudgment.isNone
    // The core hears of it a cycle later, when an arrival of this cycle is at its door.
    def isHeard: Bool = Delay(isIdle, sampling + 1, init = False)
  }

  val onIdle = (needs.idle && needs.queues == 1) generate new Idleness(
    onVerdict.admission.packets,
    io.s_arrival.valid
  ) {
    core.io.idle.valid := isHeard
    core.io.idle.nowNs := seen(onArrival.nowNs)
  }

  val onIdleQueues = (needs.idle && needs.queues > 1) generate new Area {
    val each = onVerdict.admission.ofQueues.zipWithIndex.map { case (occupancy, queue) =>
      new Idleness(
        occupancy.ofPackets.taken,
        offered.valid && offered.queue === queue
      )
    }
    core.io.idle.queues := Vec(each.map(_.isHeard)).asBits
    core.io.idle.valid := core.io.idle.queues.orR
    core.io.idle.nowNs := seen(onArrival.nowNs)
  }

  /** Nothing has come, been judged, been queued or gone for so long that all of it was told. */
  val onRest = (needs.rest || config.storage == Storage.Lists) generate new Area {
    require(core.latency + sampling < AqmTile.calm, s"${algorithm.name} judges for longer than a tile is calm")
    val clocks = Reg(UInt(log2Up(AqmTile.calm) + 1 bits)) init 0
    val inJudgment = new InJudgment(io.s_arrival.valid)
    when(!clocks.msb)(clocks := clocks + 1)
    when(!onVerdict.isAtRest.andR || !inJudgment.isNone)(clocks := 0)
    private def isOn = clocks.msb && !io.s_arrival.valid
    if (needs.rest) core.io.rest := seen(isOn)
    if (config.storage == Storage.Lists) onVerdict.restart := isOn
  }

  val onTime = algorithm.ticks.nonEmpty generate new CoreTicks(
    core,
    onArrival.nowNs,
    seen(onArrival.nowNs),
    registers.io.active,
    registers.io.apply
  )
  core.io.parameters.assignSomeByName(registers.io.active)
  core.io.apply := registers.io.apply
  registers.io.applied := core.io.applied
}

object AqmTile {

  /** Clocks of rest before a core hears of it: by then all that it was told before is in its memories. */
  val calm = 64
}
