// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile

import sluice.blocks.state.{MonotonicTime, Taus88}
import sluice.contract._
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axilite._

/** A core and all that every core needs around it: descriptor ring with exact occupancy, random words, random queued packet,
  * limit, counters and registers. Descriptors in, verdicts out; for a NIC with its own packet memory, for the datapath and for
  * simulators.
  *
  * One arrival and one departure per clock. The verdict of an arrival comes [[latency]] cycles after it on `m_verdict`; an
  * accepted packet counts from that cycle on and appears on `m_departure` four cycles later. The link takes packets from
  * `m_departure`; holding `ready` while there is nothing tells the core that the link is idle.
  *
  * Time is `now_ns`: it may stand still or jump forwards by any amount, and where it steps back it stands still
  * ([[MonotonicTime]]). A tile whose core wants ticks shows on `ticking` that one is at work; a packet offered while it is low,
  * three clocks after a time was set, is judged after that time's tick.
  *
  * A packet's cookie is its owner's and means nothing here: it goes with the packet to its verdict, and on to its departure.
  *
  * @param lead
  *   clocks that a datapath takes from a frame's last beat to `s_arrival`
  */
class AqmTile(config: TileConfig, lead: Int = 0) extends Component {
  private val algorithm = config.algorithm
  private def descriptor() = Descriptor(config.queues, config.cookieBits)

  val io = new Bundle {
    val now_ns = in(UInt(Widths.timeNs bits))
    val s_arrival = slave(Flow(Arrival(config.queues, config.cookieBits)))
    val m_verdict = master(Flow(Verdict(config.cookieBits)))
    val m_departure = master(Stream(descriptor()))
    val s_axil = slave(AxiLite4(RegisterMap.bus))
    val extension = config.extension.map(new ExtensionIo(config, _))
  }
  noIoPrefix()
  Ports.name("s_arrival", io.s_arrival.payload)
  Ports.name("m_verdict", io.m_verdict.payload)
  Ports.name("m_departure", io.m_departure.payload)
  AxiLite4SpecRenamer(io.s_axil)

  val core = algorithm.core(config.queues)
  val ring = new DescriptorRing(descriptor(), config.ringPackets, algorithm.withSample)

  private val sampleCycles = if (algorithm.withSample) 1 + DescriptorRing.sampleLatency else 0

  /** Cycles from `s_arrival` to `m_verdict`: the input register, the sample, the core and the commit point. */
  val latency: Int = 1 + sampleCycles + core.latency + 1

  val registers = new TileRegisters(config, new RegisterMap(config, lead + latency), latency)
  registers.io.axil << io.s_axil
  registers.io.status <> core.io.status

  require(core.latency >= Admission.ahead + 2, s"${algorithm.name} is too fast: the tile prepares its limits meanwhile")

  val onArrival = new Area {
    val offered = io.s_arrival.map { arrival =>
      val packet = cloneOf(arrival)
      packet := arrival
      packet.queue.allowOverride() := 0 // the only queue, whatever the port says
      packet
    }
    val packet = offered.stage()
    val nowNs = MonotonicTime(io.now_ns)
    val queuePackets = Reg(UInt(Widths.maxPackets bits))
    val queueBytes = Reg(UInt(Widths.maxBytes bits))

    core.io.arrival.valid := Delay(packet.valid, sampleCycles, init = False)
    core.io.arrival.packet.assignSomeByName(Delay(packet.payload, sampleCycles))
    core.io.arrival.nowNs := Delay(nowNs, sampleCycles)
    core.io.arrival.queuePackets := Delay(queuePackets, sampleCycles)
    core.io.arrival.queueBytes := Delay(queueBytes, sampleCycles)
  }

  val onDraw = (algorithm.randomWords > 0 || algorithm.withSample) generate new Area {
    // The last word draws the queued packet, where the core wants one.
    val generator = new Taus88(algorithm.randomWords + (if (algorithm.withSample) 1 else 0))
    when(core.io.arrival.valid)(generator.advance())
    when(core.io.applied && registers.io.isSeeded) {
      generator.seed(config.Own.seeds.map(registers.io.active(_)))
    }
    for (i <- 0 until algorithm.randomWords) core.io.arrival.random(i) := generator.random(i)
  }

  // What is known of the packets in judgment, in their order: the pipeline's length is fixed, so a memory and two pointers do.
  val onVerdict = new Area {
    val entries = 1 << log2Up(latency + 1)
    val inFlight = Mem(descriptor(), entries)
    inFlight.addAttribute("syn_ramstyle", "block_ram") // Lattice's word: 32 entries of ECP5's LUT memory are 200 LUTs
    val described = descriptor()
    described.assignSomeByName(onArrival.offered.payload)
    described.isCe := False
    // A long pipeline's memory is block memory, slow at its output: it is read early, and so written as early as can be.
    inFlight.write(Counter(entries, io.s_arrival.valid), described, enable = io.s_arrival.valid)
    val isComing = Delay(onArrival.packet.valid, sampleCycles + core.latency - Admission.ahead - 2, init = False)
    val coming = RegNext(inFlight.readSync(Counter(entries, isComing), enable = isComing))

    // The tile's own parameters change with the first packet that is judged by the new set.
    private val isEntering = Delay(core.io.applied, core.latency - Occupancy.ahead, init = False)
    private def inForce(p: Parameter): UInt = RegNextWhen(registers.io.active(p), isEntering) init p.raw

    val leaving = io.m_departure.toFlowFire
    val admission = new Admission(
      core.io.verdict,
      coming,
      leaving,
      limit = inForce(config.Own.limit),
      limitBytes = inForce(config.Own.limitBytes),
      config.extension
    )
    onArrival.queuePackets := admission.packets
    onArrival.queueBytes := admission.bytes
    io.m_verdict << admission.verdict
      .map { verdict =>
        val judged = Verdict(config.cookieBits)
        judged.assignSomeByName(verdict)
        judged.assignSomeByName(admission.packet) // its cookie
        judged
      }
      .stage()

    val accepted = descriptor()
    accepted := admission.packet
    accepted.isCe.allowOverride() := core.io.verdict.action === Action.MARK
    val push = Flow(descriptor())
    push.valid := admission.isAccepted
    push.payload := accepted
    ring.io.push << push.stage()
    io.m_departure << ring.io.pop

    val accountant = new Accountant(config, admission, registers.io.snapshot)
    val added =
      io.extension.toSeq.flatMap(_.counters.map(RegNextWhen(_, registers.io.snapshot) init 0))
    registers.io.counters := Vec(accountant.captured ++ added)
    io.extension.foreach { e =>
      e.nowNs := onArrival.nowNs
      e.parameters := registers.io.active
      e.secret := registers.io.secret
      e.isSecretNew := registers.io.isSecretNew
      registers.io.isSecretInForce := e.isSecretInForce
      e.isDropped := accountant.isDropped
      e.bytes := accountant.droppedBytes
    }
  }

  val onDeparture = new Area {
    val inJudgment = Reg(UInt(log2Up(latency + 2) bits)) init 0
    inJudgment := inJudgment + U(io.s_arrival.valid) - U(core.io.verdict.valid)
    val isIdle = io.m_departure.ready && onVerdict.admission.packets === 0 && inJudgment === 0 && !io.s_arrival.valid

    // The core hears of all this a cycle later, when an arrival of this cycle is at its door.
    core.io.departure.departed := RegNext(onVerdict.leaving.valid, init = False)
    core.io.departure.foundEmpty := RegNext(isIdle, init = False)
    core.io.departure.packet.assignSomeByName(RegNext(onVerdict.leaving.payload))
    core.io.departure.packets := onVerdict.admission.packets
    core.io.departure.bytes := onVerdict.admission.bytes
    core.io.departure.nowNs := onArrival.nowNs
  }

  val onTime = algorithm.tickPeriod.map(period =>
    new Area {
      val inForce = RegNextWhen(registers.io.active(period), core.io.applied) init period.raw
      val isOther = RegNext(registers.io.active(period) =/= inForce, init = False)
      val ticker = new Ticker(onArrival.nowNs, inForce, core.io.applied && isOther, core.tickSpacing)
      val ticking = out(Bool()).setName("ticking")
      ticking := ticker.isBusy
    }
  )
  core.io.tick := onTime.fold(False)(_.ticker.tick)
  core.io.parameters.assignSomeByName(registers.io.active)
  core.io.apply := registers.io.apply
  registers.io.applied := core.io.applied
}
