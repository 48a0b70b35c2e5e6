// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.contract

import spinal.core._
import spinal.lib._
import spinal.lib.misc.pipeline._

import scala.collection.mutable

/** The ports of every core. All inputs are sampled in the cycle in which they are presented; the core registers nothing
  * before stage 0.
  */
class CoreIo(val algorithm: Algorithm, queues: Int) extends Bundle {
  val arrival = slave(Flow(CoreArrival(queues, algorithm.randomWords, algorithm.withSample)))
  val verdict = master(Flow(Verdict()))
  val departure = in(Departure(queues))
  val tick = in(Bool())
  val parameters = in(new ParameterValues(algorithm.parameters))
  val apply = in(Bool())
  val applied = out(Bool())
  val status = out(new StatusValues(algorithm.status))
}

/** A decision pipeline. The contract, which the conformance suite holds every core to:
  *
  *   1. One verdict for each arrival, in order, exactly [[latency]] cycles after it. Nothing stalls.
  *   1. An arrival is judged in the state that all arrivals before it have left, also with one arrival in every cycle and all
  *      of them of one flow.
  *   1. A set of parameters takes effect between two packets: arrivals up to and including the cycle in which `applied` is
  *      high are judged by the old set, later ones by the new one. `apply` may rise only after the previous `applied`;
  *      `parameters` must be stable from `apply` to `applied` + [[latency]] cycles. From one to the other it takes a fixed number
  *      of cycles, and longer only for a tick. After reset the defaults are in force.
  *   1. `departure.foundEmpty` is only high when no arrival is in judgment or presented in that cycle.
  *   1. Time is `nowNs`, which never runs backwards; no core counts clock cycles to measure time.
  *   1. `tick` is high for one cycle each time the declared period has passed. It sees the state that all arrivals before its
  *      cycle have left, and what it changes holds for arrivals from exactly [[tickCycles]] cycles later on. The next one
  *      comes at least [[tickSpacing]] cycles after it. A new set of parameters enters at least [[tickCycles]] + [[latency]]
  *      cycles after a tick and not together with one.
  *   1. The core keeps no statistics and never checks the buffer's limit: both are the tile's.
  */
abstract class AqmCore(val algorithm: Algorithm, val queues: Int) extends Component with Views {
  val io = new CoreIo(algorithm, queues)
  noIoPrefix()
  Ports.name("arrival", io.arrival.payload)
  Ports.name("verdict", io.verdict.payload)
  Ports.name("departure", io.departure)

  /** Cycles from arrival to verdict, at least 7: the tile prepares its limits for the packet meanwhile. */
  def latency: Int

  /** Cycles from a tick to the first arrival that is judged by what it changed. */
  def tickCycles: Int = 0

  /** Least number of cycles from one tick to the next: a set of parameters finds a gap. */
  final def tickSpacing: Int = tickCycles + latency + 2

  /** Cycles since the last tick, for a core that declares a period. Stands still when the tick has reached every stage. */
  protected lazy val sinceTick = new Area {
    private val last = tickCycles + latency
    val cycles = Reg(UInt(log2Up(last + 1) bits)) init last setCompositeName (AqmCore.this, "since_tick")
    private val isOver = RegInit(True) // cycles === last
    when(io.tick)(cycles := 1) elsewhen (!isOver)(cycles := cycles + 1)

    /** Whether nothing of a tick is under way in the next cycle. */
    val willBeOver = !io.tick && (isOver || cycles === last - 1)
    isOver := willBeOver

    /** High in the n-th cycle after a tick, from the second on. */
    def is(n: Int): Bool = RegNext(cycles === n - 1 && !io.tick, init = False)
  }

  /** Set by [[applyWhen]]; the cycle in which a new set of parameters enters the pipeline. */
  private val enters = Bool()
  io.applied := enters

  /** Called once by each core: `derived`, from a register, is high for one cycle when everything that the core computes from
    * the parameters is ready. A core that derives nothing passes `io.apply` a cycle later.
    */
  protected def applyWhen(derived: Bool): Unit = enters := algorithm.tickPeriod.fold(derived) { _ =>
    val isWaiting = RegInit(False)
    isWaiting := (isWaiting || derived) && !enters
    // Of what forbids to enter, all but a tick is known the cycle before.
    val isReady = RegNext((isWaiting || derived) && !enters && sinceTick.willBeOver, init = False)
    isReady && !io.tick
  }

  /** The stages of the decision: node 0 is the arrival, node [[latency]] the verdict. */
  protected lazy val nodes: Seq[Node] = {
    val made = Seq.tabulate(latency + 1)(i => new Node().setName(s"stage$i"))
    made.head.arbitrateFrom(io.arrival)
    made
  }

  /** Joins the stages by registers. Called at the end of the core. */
  protected def buildPipeline(): Unit = {
    algorithm.tickPeriod match {
      case Some(period) =>
        require(
          tickCycles > 0,
          s"${algorithm.name} declares the period of a tick, ${period.name}, but no tickCycles: clocks that a tick works for"
        )
      case None =>
        require(tickCycles == 0, s"${algorithm.name} works $tickCycles clocks for a tick, but declares no tickPeriod")
    }
    Builder(nodes.zip(nodes.tail).map { case (up, down) => StageLink(up, down) })
  }

  /** Drives a status value.
    *
    * @param shownAt
    *   the stage at which a packet finds `value` as the packet itself has left it: a core alone shows it with the packet's verdict
    */
  protected def show(s: Status, value: UInt, shownAt: Int): Unit =
    io.status(s) := (if (isAlone) Delay(value, latency - shownAt) else value)

  /** What a packet is judged by, for the bench to compare with the model's `view`: a value as it stands at a stage, which a core
    * alone shows with the packet's verdict.
    */
  protected def viewAt(stage: Int, name: String, value: => UInt): Unit = view(name, value, latency - stage)

  // Which rules the values on the parameters' ports obey, in the order of declaration.
  if (isAlone && algorithm.rules.nonEmpty) {
    val legal = out(Bits(algorithm.rules.size bits)).setName("legal")
    legal := Vec(algorithm.rules.map(_.isLegal(io.parameters))).asBits
  }

  private lazy val travelling: Vec[Bool] = History(enters, 0 to latency, init = False)

  /** High in the cycle in which one stage still has the old set and its registers take the new one. */
  protected def isEntering(stage: Int): Bool = travelling(stage)

  /** A value that belongs to the set of parameters, as it stands at one stage: it changes between the last packet judged by
    * the old set and the first judged by the new one.
    */
  protected def inForce[T <: Data](stage: Int, staged: T, reset: => T): T =
    RegNextWhen(staged, travelling(stage)) init reset

  /** The verdict of a reason, and of none. */
  protected def verdict(reason: Reason): Verdict = {
    val v = Verdict()
    v.action := (if (reason.isMark) Action.MARK else Action.DROP)
    v.reason := algorithm.reasons.indexOf(reason) + 1
    v
  }
  protected def pass: Verdict = {
    val v = Verdict()
    v.action := Action.PASS
    v.reason := 0
    v
  }

  private val copies = mutable.Map.empty[(Int, Parameter), UInt]

  /** One declared parameter at one stage. */
  protected def parameter(stage: Int, p: Parameter): UInt = copies.getOrElseUpdate(
    (stage, p),
    inForce(stage, io.parameters(p), U(p.raw, p.width bits)).setName(s"${p.name}_at$stage")
  )
}
