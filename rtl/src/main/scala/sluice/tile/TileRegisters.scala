// SPDX-License-Identifier: Apache-2.0
package sluice.tile

import sluice.contract._
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axilite._
import spinal.lib.bus.misc.SizeMapping
import spinal.lib.bus.regif._

/** The AXI4-Lite register block of a tile. Parameters are staged word by word; COMMIT checks the whole set and either applies
  * it at once or refuses it, keeps the old set and says in REFUSED which rules were broken. While a set is being applied,
  * writes wait.
  *
  * Words are always written whole: the byte strobes are ignored.
  */
class TileRegisters(config: TileConfig, latency: Int) extends Component {
  private val map = new RegisterMap(config, latency)
  val io = new Bundle {
    val axil     = slave(AxiLite4(AxiLite4Config(RegisterMap.addressBits, 32)))
    val active   = out(new ParameterValues(config.parameters))
    val apply    = out(Bool())
    val applied  = in(Bool())
    val isSeeded = out(Bool()) // the set being applied carries a new seed
    val snapshot = out(Bool())
    val counters = in(Vec(UInt(Accountant.width bits), map.counters.size))
    val status   = in(new StatusValues(config.algorithm.status))
    val secret   = config.extension.isDefined generate out(Vec.fill(map.secret.size)(Bits(32 bits)))
  }

  val isBusy = Bool()
  val bus    = AxiLite4(io.axil.config)
  bus.aw << io.axil.aw.haltWhen(isBusy)
  bus.w << io.axil.w.haltWhen(isBusy)
  bus.w.strb.allowOverride() := B(bus.w.strb.getWidth bits, default -> true)
  bus.ar << io.axil.ar
  io.axil.r << bus.r
  io.axil.b << bus.b

  val bank = AxiLite4BusInterface(bus, SizeMapping(0, 1 << RegisterMap.addressBits))(spinal.lib.bus.regif.ClassName("sluice"))

  private def field[T <: BaseType](word: Word, data: => T, access: AccessType): T =
    bank.newRegAt(word.address, word.doc)(SymbolName(word.name)).field(data, access, word.reset, word.doc)(SymbolName(word.name))

  private def constant(word: Word): Unit = field(word, UInt(32 bits), AccessType.RO) := word.reset
  (Seq(map.id, map.version, map.caps) ++ map.names).foreach(constant)

  val commit = new Area {
    val request = field(map.commit, Bool(), AccessType.W1P)
    val refused = field(map.refused, Bits(config.rules.size bits), AccessType.W1C)
    io.snapshot := field(map.snapshot, Bool(), AccessType.W1P)

    val staged = new ParameterValues(config.parameters)
    val active = Reg(new ParameterValues(config.parameters))
    val words  = map.parameters.map { case (p, word) =>
      val register = field(word, UInt(p.width bits), AccessType.RW)
      staged(p) := register
      active(p) init p.raw
      (p, register)
    }
    io.active := active

    // A set passes the rules, is copied, applied by the core, and has then reached every stage.
    val isChecking = RegNext(request, init = False)
    val broken     = RegNext(~Vec(config.rules.map(_.isLegal(staged))).asBits)
    val isVerdict  = RegNext(isChecking, init = False)
    val isLegal    = isVerdict && !broken.orR
    val isRefused  = isVerdict && broken.orR
    when(isLegal)(active := staged)
    when(isRefused) {
      refused := refused | broken
      words.foreach { case (p, register) => register := active(p) }
    }
    io.apply := RegNext(isLegal, init = False)

    val settling = Reg(UInt(log2Up(latency + 1) bits)) init 0
    val waiting  = RegInit(False) setWhen isLegal clearWhen io.applied
    when(io.applied)(settling := latency) elsewhen (settling =/= 0)(settling := settling - 1)
    isBusy := request || isChecking || isVerdict || waiting || settling =/= 0

    val seedWords = config.Own.seeds.map(p => map.parameters.toMap.apply(p).address)
    val isSeeded  = RegInit(False) setWhen (bank.doWrite && seedWords.map(bank.writeAddress() === _).orR) clearWhen
      (io.applied || isRefused)
    io.isSeeded := isSeeded
  }

  for (((low, high), count) <- map.counters.zip(io.counters)) {
    field(low, UInt(32 bits), AccessType.RO)         := count(31 downto 0)
    field(high, UInt(high.width bits), AccessType.RO) := count(Accountant.width - 1 downto 32)
  }
  for ((word, i) <- map.secret.zipWithIndex) io.secret(i) := field(word, Bits(32 bits), AccessType.WO)
  for ((s, word) <- map.status) field(word, UInt(s.width bits), AccessType.RO) := io.status(s)
}
