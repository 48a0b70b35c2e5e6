// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.contract

import spinal.core._
import spinal.lib._
import spinal.lib.misc.pipeline._

import scala.collection.mutable

/** The ports of a core: those of every core, and those that its algorithm [[Needs needs]]. All inputs are sampled in the cycle in
  * which they are presented; the core registers nothing before stage 0.
  */
class CoreIo(val algorithm: Algorithm, isAlone: Boolean) extends Bundle {
  private val needs = algorithm.needs
  val arrival = slave(Flow(CoreArrival(needs)))
  val verdict = master(Flow(CoreVerdict(needs)))
  val idle = needs.idle generate slave(Flow(Idle(needs)))
  val settled = needs.settled generate slave(Flow(Settled(needs)))
  val pushedOut = (needs.settled && needs.takesVictims) generate slave(Flow(Settled(needs)))
  val departed = needs.departed generate slave(Flow(Departed(needs)))
  val rest = needs.rest generate in(Bool())
  val head = needs.head generate slave(Flow(Head(needs)))
  val headVerdict = needs.head generate master(Flow(HeadVerdict()))
  private val stateBits = if (isAlone) 0 else needs.headState.getOrElse(0)
  val headState =
    (stateBits > 0) generate in(Bits(stateBits bits)) // of the head's queue: 0, or as its head before has left it
  val headStateAfter = (stateBits > 0) generate out(Bits(stateBits bits)) // with the verdict
  private val kinds = algorithm.ticks
  val ticks = Vec(kinds.map(_ => slave(Flow(Ticked()))))
  val intervals = Vec(kinds.filter(_.period.isEmpty).map(_ => out(UInt(Widths.intervalNs bits))))
  val parameters = in(new ParameterValues(algorithm.parameters))
  val apply = in(Bool())
  val applied = out(Bool())
  val status = out(new StatusValues(algorithm.status))
  val quanta = needs.givesQuanta generate out(Vec.fill(needs.queues)(UInt(Widths.quantum bits)))

  /** The ports of the moments, by name. */
  def moments: Seq[(String, Flow[_ <: Bundle])] = Seq(
    "arrival" -> arrival,
    "verdict" -> verdict,
    "idle" -> idle,
    "settled" -> settled,
    "pushed_out" -> pushedOut,
    "departed" -> departed,
    "head" -> head,
    "head_verdict" -> headVerdict
  ).filter(_._2 != null) ++ kinds.map(kind => s"tick_${kind.name}" -> tick(kind))

  /** The port of a kind of tick. */
  def tick(kind: Tick): Flow[Ticked] = ticks(kinds.indexOf(kind))

  /** Of a kind whose interval is the core's own: time in ns from when one is due to when the next one is. Only the tick changes it,
    * not later than its work is over.
    */
  def interval(kind: Tick): UInt = intervals(kinds.filter(_.period.isEmpty).indexOf(kind))
}

/** A decision pipeline. The contract, which the conformance suite holds every core to:
  *
  *   1. One verdict for each arrival, in order, exactly [[latency]] cycles after it. Nothing stalls.
  *   1. What happens in one cycle happens as if one thing came after the other: the ticks in the order of declaration, the arrival,
  *      the departed packet, the settled ones (the arriving packet's fate, then the one pushed out), the head. An arrival is judged
  *      in the state that all before it has left, also with everything in every cycle and all of it of one flow.
  *   1. A packet is settled a fixed number of cycles after its verdict, at least one, whatever its fate. An accepted packet counts
  *      in `queuePackets` from the cycle after it was settled; what departs or is pushed out counts up to its moment. So what a
  *      core counts for itself and what it is told agree at every arrival.
  *   1. Heads come in the order of the queue, at most one per cycle, and each gets its verdict [[headLatency]] cycles later. A verdict
  *      with `restart` voids the heads presented since: the core takes them as not presented.
  *   1. Of a core whose state is kept for it, heads of one queue come at least [[headLatency]] + 1 cycles apart, those of others
  *      meanwhile. It is the same core for every queue; one that stands alone has one queue, keeps the word itself, and says
  *      `restart` with every verdict.
  *   1. `idle` is only valid when nothing is in judgment, at its arrival or at the head, and nothing arrives in that cycle.
  *   1. `rest` is high only if nothing comes in that cycle or the next one, nothing is queued or in judgment, and nothing has come or
  *      gone for [[sluice.tile.AqmTile.calm]] cycles. What a core counts of queued packets is 0 then, or was upset.
  *   1. A set of parameters takes effect between two packets: arrivals up to and including the cycle in which `applied` is
  *      high are judged by the old set, later ones by the new one; so are heads. `apply` may rise only after the previous
  *      `applied`; `parameters` must be stable from `apply` to `applied` + [[latency]] cycles, or + [[headLatency]] if that is more.
  *      From one to the other it takes a fixed number of cycles, and longer only for a tick. After reset the defaults are in
  *      force.
  *   1. In a tile of several queues a core that `needs` as many is told each arrival's queue, and keeps its promises for each queue as
  *      if there were no other, but for the random words; one that needs one judges all arrivals in their order. The queue is always
  *      the arrival's. One that chooses it does so by the packet alone, so that it is judged in that queue's state.
  *   1. `quanta` come from registers and change with what a tick changes: at the port they are new from the same cycle on.
  *   1. Time is `nowNs`, the same at every port in a cycle, which never runs backwards; no core counts clock cycles to measure time.
  *   1. A tick sees the state that all before its cycle has left, and what it changes holds from exactly [[tickCycles]] cycles
  *      later on, before whatever comes in that cycle. The next one of its kind comes at least [[tickSpacing]] cycles after it;
  *      others come meanwhile. A new set of parameters enters at least [[tickCycles]] + [[latency]] cycles after a tick of any
  *      kind, and from the second cycle after `apply` until it has entered no tick comes.
  *   1. The core keeps no statistics and never checks the buffer's limit: both are the tile's.
  */
abstract class AqmCore(val algorithm: Algorithm) extends Component with Views {
  val io = new CoreIo(algorithm, isAlone)
  noIoPrefix()
  for ((name, port) <- io.moments) {
    port.valid.setName(s"${name}_valid")
    Ports.name(name, port.payload)
  }
  for (kind <- algorithm.ticks if kind.period.isEmpty) io.interval(kind).setName(s"tick_${kind.name}_interval_ns")

  /** Cycles from arrival to verdict, at least 7, or 8 of a core that judges heads: the tile prepares its limits for the packet meanwhile. */
  def latency: Int

  /** Cycles from a head to its verdict, for a core that judges heads. */
  def headLatency: Int = 0

  /** Cycles from a tick of a kind to the first arrival that is judged by what it changed. */
  def tickCycles(kind: Tick): Int = 0

  /** Least number of cycles from one tick of a kind to the next. */
  final def tickSpacing(kind: Tick): Int = tickCycles(kind) + latency + 2

  private val since = mutable.Map.empty[Tick, SinceTick]

  /** Clocks since the last tick of a kind. */
  protected def sinceTick(kind: Tick): SinceTick = since.getOrElseUpdate(
    kind,
    new SinceTick(io.tick(kind).valid, tickCycles(kind) + latency).setCompositeName(this, s"since_${kind.name}")
  )

  /** Set by [[applyWhen]]; the cycle in which a new set of parameters enters the pipeline. */
  private val enters = Bool()
  io.applied := enters

  /** Called once by each core: `derived`, from a register, is high for one cycle when everything that the core computes from
    * the parameters is ready. A core that derives nothing passes `io.apply` a cycle later.
    */
  protected def applyWhen(derived: Bool): Unit =
    if (algorithm.ticks.isEmpty) enters := derived
    else {
      val isWaiting = RegInit(False)
      isWaiting := (isWaiting || derived) && !enters
      val isOver = algorithm.ticks.map(sinceTick(_).willBeOver).andR
      enters := RegNext((isWaiting || derived) && !enters && isOver, init = False)
    }

  /** The stages of the decision: node 0 is the arrival, node [[latency]] the verdict. */
  protected lazy val nodes: Seq[Node] = {
    val made = Seq.tabulate(latency + 1)(i => new Node().setName(s"stage$i"))
    made.head.arbitrateFrom(io.arrival)
    made
  }

  /** The stages of the decision at the head: node 0 is the head, node [[headLatency]] its verdict. */
  protected lazy val headNodes: Seq[Node] = {
    val made = Seq.tabulate(headLatency + 1)(i => new Node().setName(s"head$i"))
    made.head.arbitrateFrom(io.head)
    made
  }

  /** Joins the stages by registers. Called at the end of the core. */
  protected def buildPipeline(): Unit = {
    require(
      algorithm.needs.head == headLatency > 0,
      s"${algorithm.name} judges heads if and only if it takes clocks for it, and says ${algorithm.needs.head} and $headLatency"
    )
    for (kind <- algorithm.ticks)
      require(
        tickCycles(kind) > 0,
        s"${algorithm.name} declares the tick ${kind.name}, but no tickCycles: clocks that it works for"
      )
    val pipelines = Seq(nodes) ++ (if (algorithm.needs.head) Seq(headNodes) else Nil)
    Builder(pipelines.flatMap(stages => stages.zip(stages.tail)).map { case (up, down) => StageLink(up, down) })
  }

  /** Drives a status value.
    *
    * @param shownAt
    *   the stage at which a packet finds `value` as the packet itself has left it: a core alone shows it with the packet's verdict
    */
  protected def show(s: Status, value: UInt, shownAt: Int): Unit =
    io.status(s) := (if (isAlone) Delay(value, latency - shownAt) else value)

  /** The same of a value that belongs to the heads: as the head at a stage of [[headNodes]] has left it. */
  protected def showHead(s: Status, value: UInt, shownAt: Int): Unit =
    io.status(s) := (if (isAlone) Delay(value, headLatency - shownAt) else value)

  /** What a head is judged by, likewise. */
  protected def viewHeadAt(stage: Int, name: String, value: => UInt): Unit =
    view(s"head_$name", value, headLatency - stage)

  /** What a packet is judged by, for the bench to compare with the model's `view`: a value as it stands at a stage, which a core
    * alone shows with the packet's verdict.
    */
  protected def viewAt(stage: Int, name: String, value: => UInt): Unit = view(name, value, latency - stage)

  // Which rules the values on the parameters' ports obey, in the order of declaration.
  if (isAlone && algorithm.rules.nonEmpty) {
    val legal = out(Bits(algorithm.rules.size bits)).setName("legal")
    legal := Vec(algorithm.rules.map(_.isLegal(io.parameters))).asBits
  }

  private lazy val travelling: Vec[Bool] = History(enters, 0 to latency.max(headLatency), init = False)

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

  /** Drives the verdict port from the last stage: the packet there has this verdict. Tag and victim are the core's to add. */
  protected def answer(judged: Verdict): Unit = {
    io.verdict.valid := nodes(latency).isValid
    io.verdict.payload.set(judged)
  }

  /** The same at the head. With `restart` the heads presented since count as not presented. */
  protected def answerHead(judged: Verdict, restart: Bool): Unit = {
    io.headVerdict.valid := headNodes(headLatency).isValid
    io.headVerdict.action := judged.action
    io.headVerdict.reason := judged.reason
    io.headVerdict.restart := restart
  }

  /** What is kept of the head's queue, at the first of [[headNodes]]. */
  protected def headState: Bits = if (isAlone) kept.word else io.headState

  /** The head there is one; not so of one that comes again. */
  protected def isHeadCounted: Bool = if (isAlone) kept.isCounted else io.head.valid
  private lazy val kept = new Area {
    val word = Reg(Bits(algorithm.needs.headState.get bits)) init 0
    val voidLeft = Reg(UInt(log2Up(headLatency + 1) bits)) init 0
    val isCounted = io.head.valid && voidLeft === 0
    when(voidLeft =/= 0)(voidLeft := voidLeft - 1)
    when(isCounted)(voidLeft := headLatency)
  }

  /** Drives the verdict on a head, and what is kept of its queue from then on. */
  protected def answerHead(judged: Verdict, after: Bits): Unit = {
    answerHead(judged, restart = Bool(isAlone))
    if (!isAlone) io.headStateAfter := after
    else when(Delay(kept.isCounted, headLatency, init = False))(kept.word := after)
  }

  private val copies = mutable.Map.empty[(Int, Parameter), UInt]

  /** One declared parameter at one stage. */
  protected def parameter(stage: Int, p: Parameter): UInt = copies.getOrElseUpdate(
    (stage, p),
    inForce(stage, io.parameters(p), U(p.raw, p.width bits)).setName(s"${p.name}_at$stage")
  )
}
