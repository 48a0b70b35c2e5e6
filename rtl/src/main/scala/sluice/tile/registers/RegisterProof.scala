// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile
package registers

import sluice.contract._
import sluice.cores.DropTail
import sluice.checks.Proof
import spinal.core._
import spinal.core.formal._
import spinal.lib._

/** The register block with a host that does what it likes. By induction, for any time:
  *
  *   - what is in force is legal, and is the set that stood there when COMMIT was written;
  *   - a write is answered OKAY if and only if its number is staged from then on, until the next write of the word or until a
  *     reset or a refused set puts the word in force in its place;
  *   - a refused set says which rules it broke, and changes nothing in force;
  *   - every request of the host is answered once, in order.
  */
class RegisterProof extends Proof {
  private val config = TileConfig("proof", DropTail, "experimental", ringPackets = 32, cookieBits = 0)
  private val map = new RegisterMap(config, latency = 9)
  private val settleCycles = 2
  val registers = new TileRegisters(config, map, settleCycles)
  import registers.{commit, host, io, restore, turn}

  for (count <- io.counters) count := 0
  io.faults.assignFromBits(free(HardType(Bits(widthOf(io.faults) bits))))
  private val axil = io.axil
  Seq(axil.aw, axil.w, axil.ar).foreach { channel =>
    channel.valid := free(Bool())
    channel.payload.assignFromBits(free(HardType(Bits(widthOf(channel.payload) bits))))
  }
  axil.b.ready := free(Bool())
  axil.r.ready := free(Bool())

  // A core applies what it is asked to, some time before that would be given up.
  private val isAsked = RegInit(False) setWhen io.apply clearWhen io.applied
  io.applied := isAsked && free(Bool())
  assume(!commit.busyFor.pull().msb)

  private def legal(values: ParameterValues): Bits = Vec(config.rules.map(_.isLegal(values))).asBits
  private val access = turn.access.pull()
  private val isRestores = turn.isRestores.pull()
  private val step = turn.step.map(_.pull())
  private val isUnderWay = step.tail.orR
  private val isRestoring = restore.isActive.pull()
  private val staged = commit.staged.pull()
  private val active = commit.active.pull()
  private val refused = commit.refused.pull()
  private val answer = registers.read.answer.pull()

  // Each staged word as the accesses leave it.
  private val isWhole = access.isWrite && access.strobe.andR && access.offset === 0
  private def isWriteTo(word: Word): Bool = isWhole && access.word === (word.address >> 2)
  private val expected = Reg(new ParameterValues(config.parameters))
  private val isStaging = map.parameters.map { case (p, word) =>
    expected(p) init p.raw
    val isIts = isWriteTo(word) && (access.data >> p.width) === 0
    when(step(3) && isIts)(expected(p) := Mux(isRestores, active(p), access.data(p.width - 1 downto 0).asUInt))
    isIts
  }
  private val takesWrite = (isStaging ++ Seq(map.commit, map.refused, map.snapshot, map.faults).map(isWriteTo)).orR

  // The set that stood there when COMMIT was written.
  private val isCommit = step(3) && isWriteTo(map.commit) && access.data(0)
  private val checked = RegNextWhen(expected, isCommit)
  private val refusedBefore = RegNextWhen(refused, isCommit)

  private val isLegal = commit.isLegal.pull()
  private val isRefused = commit.isRefused.pull()
  when(isRunning) {
    assert(legal(active).andR)
    for ((p, _) <- map.parameters) assert(staged(p) === expected(p))
    when(answer.valid && access.isWrite && !isRestores) {
      assert(answer.isError === !(takesWrite || access.strobe === 0))
    }
    when(past(isLegal)) {
      assert(active.asBits === past(checked.asBits))
      assert(legal(past(checked)).andR)
    } otherwise assert(stable(active.asBits))
    when(past(isRefused)) {
      assert(refused === (past(refusedBefore) | ~legal(past(checked))))
      assert(!legal(past(checked)).andR && isRestoring)
    }
    when(!past(isRestoring) && isRestoring)(assert(past(isRefused)))
    when(past(isRestoring) && !isRestoring)(assert(expected.asBits === active.asBits))
  }

  // What the induction needs to know of the states that can be reached.
  private val isBusy = commit.isBusy.pull()
  private val settling = commit.settling.pull()
  private val isChecked = Seq(commit.isChecking, commit.isVerdict, commit.isLegal, commit.isRefused).map(_.pull())
  private val phases = isChecked ++ Seq(io.apply, isAsked, settling =/= 0, commit.isSettled.pull())
  assert(CountOne(step.tail) <= 1)
  assert(CountOne(phases) <= 1 && isBusy === phases.orR && settling <= settleCycles)
  assert(!(isBusy && isRestoring))
  assert(!(isBusy && step.slice(1, 4).orR && access.isWrite))
  when(isChecked.orR)(assert(checked.asBits === expected.asBits && refused === refusedBefore))

  private val word = restore.word.pull()
  private val isPuttingBack = restore.isWrite.pull()
  assert(!(isUnderWay && isRestores) || isRestoring)
  assert(isRestoring || (!isPuttingBack && word === (map.parameters.head._2.address >> 2)))
  assert(map.parameters.map { case (_, w) => word === (w.address >> 2) }.orR)
  when(isUnderWay && isRestores) {
    assert(access.isWrite === isPuttingBack)
    assert(access.word === Mux(isPuttingBack, word, word | U(RegisterMap.inForce >> 2, word.getWidth bits)))
    assert(!isPuttingBack || (isWhole && access.data === restore.value.pull()))
  }
  when(isRestoring) {
    for ((p, w) <- map.parameters) {
      val isDone = word > (w.address >> 2) || (word === (w.address >> 2) && isPuttingBack && (step(4) || step(5)))
      assert(!isDone || expected(p) === active(p))
      when(isPuttingBack && word === (w.address >> 2))(assert(restore.value.pull() === active(p).asBits.resized))
    }
  }

  // Requests that have no answer yet, counted at the bus.
  private val isHosts = host.isUnderWay.pull()
  private val isWrite = host.isWrite.pull()
  assert(isHosts === (isUnderWay && !isRestores))
  // No access is given up: it is answered before.
  private val waited = host.waited.pull()
  assert(waited <= TileRegisters.accessCycles)
  for ((now, clocks) <- step.tail.zipWithIndex) when(isHosts && now)(assert(waited === clocks))
  when(isHosts)(assert(access.isWrite === isWrite))
  private def outstanding(
      ask: Stream[_ <: Data],
      answer: Stream[_ <: Data],
      waiting: Bool,
      isKind: Bool,
      isHere: Bool
  ): Unit = {
    val count = Reg(UInt(3 bits)) init 0
    count := count + U(ask.fire) - U(answer.fire)
    assert(count === U(waiting, 3 bits) + U(isHosts && isKind) + U(isHere))
  }
  outstanding(axil.aw, axil.b, host.aw.valid.pull(), isWrite, host.written.pull())
  outstanding(axil.w, axil.b, host.w.valid.pull(), isWrite, host.written.pull())
  outstanding(axil.ar, axil.r, host.ar.valid.pull(), !isWrite, host.read.pull())
  assert(!(isHosts && Mux(isWrite, host.written.pull(), host.read.pull())))
}
