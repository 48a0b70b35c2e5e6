// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile

import sluice.contract._
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axilite._
import spinal.lib.bus.misc.SizeMapping
import spinal.lib.bus.regif._

import scala.collection.mutable.ArrayBuffer

/** The AXI4-Lite register block of a tile. Parameters are staged word by word; COMMIT checks the whole set and either applies
  * it at once or refuses it, keeps the old set and says in REFUSED which rules were broken. While a set is being applied,
  * writes wait.
  *
  * Words are always written whole: the byte strobes are ignored.
  */
class TileRegisters(config: TileConfig, latency: Int) extends Component {
  private val map = new RegisterMap(config, latency)
  val io = new Bundle {
    val axil = slave(AxiLite4(AxiLite4Config(RegisterMap.addressBits, 32)))
    val active = out(new ParameterValues(config.parameters))
    val apply = out(Bool())
    val applied = in(Bool())
    val isSeeded = out(Bool()) // the set being applied carries a new seed
    val snapshot = out(Bool())
    val counters = in(Vec(UInt(Accountant.width bits), map.counters.size))
    val status = in(new StatusValues(config.algorithm.status))
    val secret = config.extension.isDefined generate out(Vec.fill(map.secret.size)(Bits(32 bits)))
    val isSecretNew = config.extension.isDefined generate out(Bool())
    val isSecretInForce = config.extension.isDefined generate in(Bool())
  }

  val isBusy = Bool()
  val restore = new ParameterRestore(map.parameters.map(_._2))
  restore.io.host << io.axil
  restore.io.isBusy := isBusy

  val bank = AxiLite4BusInterface(restore.io.bank, SizeMapping(0, 1 << RegisterMap.addressBits))(
    spinal.lib.bus.regif.ClassName("sluice")
  )
  bank.wstrb.removeAssignments().setAll()

  /** A write to the bank: its address a clock later, and in the next one what it says of each word. */
  private val written = new Area {
    val valid = RegNext(bank.doWrite, init = False)
    val address = RegNext(bank.writeAddress())
    val data = Delay(bank.writeData, 2)
    def isTo(word: Word): Bool = RegNext(valid && address === word.address, init = False)
  }

  private def field[T <: BaseType](word: Word, data: => T, access: AccessType): T =
    bank
      .newRegAt(word.address, word.doc)(SymbolName(word.name))
      .field(data, access, word.reset, word.doc)(SymbolName(word.name))

  /** Reads in four clocks: while an address is on its way into the bank, the line of four words that it is in gives one of
    * them and the other lines give 0; then it is enough to OR, four and four, so that to the bank all these words are one.
    */
  private val readable = ArrayBuffer[(Word, UInt)]()
  private def makeReadable(): Unit = {
    val values = readable.map { case (word, value) => (word.address >> 2) -> value.resize(32) }.toMap
    val words = Seq.tabulate(values.keys.max + 1)(values.getOrElse(_, U(0, 32 bits)))
    val lines = words.grouped(4).zipWithIndex.map { case (four, i) =>
      val isIn = RegNextWhen(restore.io.nextLine.payload === i, restore.io.nextLine.valid)
      val word = Vec(four.padTo(4, four.head)).read(restore.io.readAddress(3 downto 2))
      RegNext(Mux(isIn, word, U(0)))
    }
    def ofFour(choices: Seq[UInt]): Seq[UInt] = choices.grouped(4).map(four => RegNext(four.reduce(_ | _))).toSeq
    val chosen = RegNext(ofFour(lines.toSeq).reduceBalancedTree(_ | _))
    for ((word, _) <- readable) field(word, UInt(32 bits), AccessType.RO) := chosen
  }

  readable ++= (Seq(map.id, map.version, map.caps) ++ map.names).map(word => word -> U(word.reset, 32 bits))

  val commit = new Area {
    val request = field(map.commit, Bool(), AccessType.W1P)
    val refused = field(map.refused, Bits(config.rules.size bits), AccessType.W1C)
    io.snapshot := field(map.snapshot, Bool(), AccessType.W1P)

    val staged = new ParameterValues(config.parameters)
    val active = Reg(new ParameterValues(config.parameters))
    for ((p, word) <- map.parameters) {
      active(p) init p.raw
      staged(p).setAsReg() init p.raw
      when(written.isTo(word))(staged(p) := written.data(p.width - 1 downto 0).asUInt)
    }
    readable ++= map.parameters.map { case (p, word) => word -> active(p) }
    io.active := active

    // A set passes the rules, is copied, applied by the core, and has then reached every stage.
    val isAsked = RegNext(request, init = False) // by now what was written before it is staged
    val isChecking = RegNext(isAsked, init = False)
    val broken = RegNext(~Vec(config.rules.map(_.isLegal(staged))).asBits)
    val isVerdict = RegNext(isChecking, init = False)
    val isLegal = RegNext(isVerdict && !broken.orR, init = False)
    val isRefused = RegNext(isVerdict && broken.orR, init = False)
    when(isLegal)(active := staged)
    when(isRefused)(refused := refused | broken)
    restore.io.start := isRefused
    io.apply := RegNext(isLegal, init = False)

    val settling = Reg(UInt(log2Up(latency + 1) bits)) init 0
    val waiting = RegInit(False) setWhen isLegal clearWhen io.applied
    when(io.applied)(settling := latency) elsewhen (settling =/= 0)(settling := settling - 1)
    isBusy := request || isAsked || isChecking || isVerdict || isLegal || isRefused || waiting || settling =/= 0

    val seedWords = map.parameters.collect { case (p, word) if config.Own.seeds.contains(p) => written.isTo(word) }
    val isRestoring = restore.io.isRestoring
    val isSeeded = RegInit(False) setWhen seedWords.orR clearWhen
      (io.applied || isRestoring || RegNext(isRestoring)) // its last write may be a clock under way
    io.isSeeded := isSeeded
  }

  readable ++= map.counters.zip(io.counters).flatMap { case ((low, high), count) =>
    Seq(low -> count(31 downto 0), high -> count(Accountant.width - 1 downto 32))
  } ++ map.status.map { case (s, word) => word -> io.status(s) }

  if (config.extension.isDefined) {
    val isIts = map.secret.map(written.isTo)
    for (((word, isIt), out) <- map.secret.zip(isIts).zip(io.secret)) {
      out := RegNextWhen(written.data, isIt) init B(word.reset, 32 bits)
    }
    val isChanging = isIts.reduce(_ || _)
    io.isSecretNew := RegNext(isChanging, init = False)
    readable ++= map.secret.map(_ -> U(isChanging || io.isSecretNew || !io.isSecretInForce))
  }
  makeReadable()
}
