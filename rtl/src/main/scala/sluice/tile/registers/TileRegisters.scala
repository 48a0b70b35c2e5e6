// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile
package registers

import sluice.contract._
import sluice.tile.account.Accountant
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axilite._

/** The AXI4-Lite register block of a tile. Parameters are staged word by word; COMMIT checks the whole set and either applies
  * it at once or refuses it, keeps the old set and says in REFUSED which rules were broken. While a set is being checked and
  * applied, writes wait: what is applied is what was checked.
  *
  * A parameter's word shows what is staged, and the one [[RegisterMap.inForce]] beyond it what is in force. What cannot be
  * done is answered SLVERR and changes nothing: reading or writing where there is no such word or at an address within one, writing a
  * part of a word, or a number for which the word has not the bits. A write of no bytes writes none and is answered OKAY, wherever.
  *
  * @param settleCycles
  *   from `applied` until no packet that came before it is in judgment
  */
class TileRegisters(config: TileConfig, map: RegisterMap, settleCycles: Int) extends Component {
  val io = new Bundle {
    val axil = slave(AxiLite4(RegisterMap.bus))
    val active = out(new ParameterValues(config.parameters))
    val apply = out(Bool())
    val applied = in(Bool())
    val isSeeded = out(Bool()) // the set being applied carries a new seed
    val snapshot = out(Bool())
    val faults = in(Faults())
    val counters = in(Vec(UInt(Accountant.width bits), map.counters.size))
    val status = in(new StatusValues(config.algorithm.status))
    val secret = map.secret.nonEmpty generate out(Vec.fill(map.secret.size)(Bits(32 bits)))
    val isSecretNew = map.secret.nonEmpty generate out(Bool())
    val isSecretInForce = map.secret.nonEmpty generate in(Bool())
    val written = map.hostWords.nonEmpty generate out(Bits(map.hostWords.size bits))
    val writtenData = map.hostWords.nonEmpty generate out(Bits(32 bits))
    val window = map.window.nonEmpty generate master(new QueueWindowIo(config))
  }

  val host = new HostPort(mostCycles = 4 * TileRegisters.accessCycles)
  val restore = new ParameterRestore(map.parameters.map(_._2))
  host.io.axil << io.axil

  /** One access at a time, the host's or the restore's. In its n-th clock `step(n)` is high, and what is asked stands until the
    * next one begins.
    */
  val turn = new Area {
    val step = Vec.fill(TileRegisters.accessCycles + 1)(Bool())
    private val isFree = !step.drop(1).orR
    host.io.access.ready := isFree && !restore.io.isActive
    step(0) := (restore.io.access.valid && isFree) || host.io.access.fire
    for ((later, earlier) <- step.tail.zip(step)) later := RegNext(earlier, init = False)
    val isRestores = RegNextWhen(restore.io.isActive, step(0)) init False
    val access = RegNextWhen(Mux(restore.io.isActive, restore.io.access.payload, host.io.access.payload), step(0))
  }
  import turn.{access, step}

  /** A write, if the whole of a word is to be written: in the third clock it says what it is to. */
  val write = new Area {
    private val isWhole = RegNext(step(1) && access.isWrite && access.strobe.andR && access.offset === 0, init = False)
    private def isNumber(word: Word): Boolean = Set("rw", "wo")(word.access)
    val words: Seq[Word] =
      Seq(map.commit, map.refused, map.snapshot, map.faults) ++ map.parameters.map(_._2) ++ map.secret ++
        map.hostWords ++ map.window.toSeq.flatMap(_.all)
    private val isTooWide = words
      .filter(isNumber)
      .map(_.width)
      .filter(_ < 32)
      .distinct
      .map { width =>
        width -> RegNext(access.data(31 downto width).orR)
      }
      .toMap
    private val isTos = words.map { word =>
      val fits = if (isNumber(word)) isTooWide.get(word.width).fold(True)(!_) else True
      word -> RegNext(isWhole && fits && access.word === (word.address >> 2), init = False)
        .setName(s"writes_${word.name}")
    }.toMap
    def isTo(word: Word): Bool = isTos(word)
    val isToAny = RegNext(words.grouped(8).map(eight => RegNext(eight.map(isTo).orR)).toSeq.orR) // in the fifth
  }

  val commit = new Area {
    val request = write.isTo(map.commit) && access.data(0)
    val staged, active = Reg(new ParameterValues(config.parameters))
    for ((p, word) <- map.parameters) {
      active(p) init p.raw
      staged(p) init p.raw
      when(write.isTo(word))(staged(p) := access.data(p.width - 1 downto 0).asUInt)
    }
    io.active := active

    // A set passes the rules, is copied, applied by the core, and has then reached every stage.
    val isChecking = RegNext(request, init = False)
    val broken = RegNext(~Vec(config.rules.map(_.isLegal(staged))).asBits)
    val isVerdict = RegNext(isChecking, init = False)
    val isLegal = RegNext(isVerdict && !broken.orR, init = False)
    val isRefused = RegNext(isVerdict && broken.orR, init = False)
    when(isLegal)(active := staged)
    io.apply := RegNext(isLegal, init = False)
    restore.io.start := isRefused

    val refused = Reg(Bits(config.rules.size bits)) init 0
    when(isRefused)(refused := refused | broken)
    when(write.isTo(map.refused))(refused := refused & ~access.data(refused.bitsRange))

    val settling = Reg(UInt(log2Up(settleCycles + 1) bits)) init 0
    when(io.applied)(settling := settleCycles) elsewhen (settling =/= 0)(settling := settling - 1)
    val isSettled = RegNext(settling === 1, init = False)
    // What does not end by itself is ended, or the bus would never be free again.
    val busyFor = Reg(UInt(log2Up(TileRegisters.mostBusy) + 1 bits)) init 0
    val isGivenUp = busyFor.msb
    val isBusy = RegInit(False) setWhen request clearWhen (isRefused || isSettled || isGivenUp)
    when(isBusy)(busyFor := busyFor + 1) otherwise (busyFor := 0)
    host.io.mayWrite := !isBusy

    io.isSeeded := RegInit(False) setWhen map.parameters.collect {
      case (p, word) if config.Own.seeds.contains(p) => write.isTo(word)
    }.orR clearWhen (io.applied || restore.io.isActive)
  }

  /** What was mended since it was cleared, a bit of each kind. */
  val faults = new Area {
    val seen = Reg(Bits(Faults.all.size bits)) init 0
    private val now = (host.io.isGivenUp || commit.isGivenUp) ## io.faults.asBits
    private val cleared = access.data(seen.bitsRange).andMask(write.isTo(map.faults))
    seen := (seen & ~cleared) | now
  }

  io.snapshot := write.isTo(map.snapshot) && access.data(0)

  if (map.secret.nonEmpty) {
    for ((word, out) <- map.secret.zip(io.secret))
      out := RegNextWhen(access.data, write.isTo(word)) init B(word.reset, 32 bits)
    io.isSecretNew := RegNext(map.secret.map(write.isTo).orR, init = False)
  }
  if (map.hostWords.nonEmpty) {
    io.written := RegNext(Vec(map.hostWords.map(write.isTo)).asBits, init = B(0))
    io.writtenData := RegNext(access.data)
  }
  for (window <- map.window) {
    io.window.select := RegNextWhen(access.data.asUInt.resize(config.queueBits), write.isTo(window.select)) init 0
    def set(number: Flow[UInt], word: Word): Unit = {
      number.valid := RegNext(write.isTo(word), init = False)
      number.payload := RegNext(access.data.asUInt.resize(word.width))
    }
    set(io.window.quantum, window.quantum)
    set(io.window.alpha, window.alpha)
    window.profile.foreach(set(io.window.profile, _))
    window.level.foreach(set(io.window.level, _))
  }

  /** Reads in five clocks. The line of four words that the address is in gives one of them, and the other lines give 0; then it
    * is enough to OR, four and four. What is staged is read from a memory of its own that every write of a parameter writes too.
    */
  val read = new Area {
    private def constant(word: Word) = word -> U(word.reset, 32 bits)
    private val values: Seq[(Word, UInt)] =
      (Seq(map.id, map.version, map.caps, map.digest) ++ map.names ++ map.queues).map(constant) ++
        Seq(
          map.commit -> commit.isBusy.asUInt,
          map.refused -> commit.refused.asUInt,
          map.faults -> faults.seen.asUInt,
          map.snapshot -> (if (config.countsLists) io.window.isMissing.asUInt else U(0))
        ) ++
        map.parametersInForce.map { case (p, word) => word -> commit.active(p) } ++
        map.counters.zip(io.counters).flatMap { case ((low, high), count) =>
          Seq(low -> count(31 downto 0), high -> count(Accountant.width - 1 downto 32))
        } ++
        map.status.map { case (s, word) => word -> io.status(s) } ++
        map.secret.map(_ -> (io.isSecretNew || !io.isSecretInForce).asUInt) ++
        map.hostWords.map(_ -> U(0)) ++
        map.window.toSeq.flatMap(w =>
          Seq(
            w.select -> io.window.select,
            w.quantum -> io.window.quantumNow,
            w.alpha -> io.window.alphaNow
          ) ++ w.profile.map(_ -> io.window.profileNow) ++ w.level.map(_ -> io.window.levelNow)
        )

    private def lines[T](words: Seq[(Word, T)]): Seq[(Int, Map[Int, T])] = words
      .groupMap { case (word, _) => word.address >> 4 } { case (word, value) => (word.address >> 2 & 3) -> value }
      .map { case (line, places) => line -> places.toMap }
      .toSeq
      .sortBy(_._1)

    private val place = access.word(1 downto 0)
    private def isIn(line: Int): Bool = RegNext(access.word >> 2 === line)
    private def isFilled(places: Map[Int, _]): Bool = Vec.tabulate(4)(i => Bool(places.contains(i))).read(place)

    private val ofValues = lines(values).map { case (line, places) =>
      val isHere = isIn(line)
      val word = Vec.tabulate(4)(i => places.getOrElse(i, places.head._2).resize(32)).read(place)
      (isHere && isFilled(places), RegNext(Mux(isHere, word, U(0))))
    }

    private val memory = Mem(UInt(32 bits), 1 << TileRegisters.stagedBits)
    memory.addAttribute("syn_ramstyle", "block_ram")
    private val stagedAddress = access.word.resize(TileRegisters.stagedBits)
    private val isStaging = map.parameters.map { case (_, word) => write.isTo(word) }.orR
    memory.write(RegNext(stagedAddress), RegNext(access.data.asUInt), enable = RegNext(isStaging, init = False))
    private val staged = RegNext(memory.readSync(stagedAddress)) // slow at its output: a register of its own
    private val ofStaged = lines(map.parameters.map(_.swap)).map { case (line, places) =>
      isIn(line) && isFilled(places)
    }

    private val isFound = RegNext((ofValues.map(_._1) ++ ofStaged).orR)
    private def ofFour(choices: Seq[UInt]): Seq[UInt] =
      choices.grouped(4).map(four => RegNext(four.reduce(_ | _))).toSeq
    private val read = RegNext(Mux(RegNext(ofStaged.orR), staged, U(0)))
    private val word = RegNext((ofFour(ofValues.map(_._2)) :+ read).reduceBalancedTree(_ | _))

    val answer = Flow(Answer())
    answer.valid := step(TileRegisters.accessCycles)
    answer.data := word.asBits
    private val isAligned = access.offset === 0
    answer.isError := Mux(access.isWrite, access.strobe.orR && !write.isToAny, !(isFound && isAligned))
    host.io.answer << answer.takeWhen(!turn.isRestores)
    restore.io.answer << answer.takeWhen(turn.isRestores)
  }
}

object TileRegisters {

  /** Clocks of an access, from its first to its answer: a word is chosen in the first four. */
  val accessCycles = 5

  /** Clocks that a COMMIT may take; each core's takes less. */
  val mostBusy: Int = 1 << 14

  /** Bits of a parameter's place in the memory of what is staged. */
  private val stagedBits = 6
}
