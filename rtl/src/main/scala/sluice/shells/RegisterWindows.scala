// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.shells

import sluice.tile.registers.RegisterMap
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axilite._

/** The registers of several datapaths in windows side by side, each as long as `1 << windowBits` bytes. One write and one read at a
  * time, so answers come in order.
  */
class RegisterWindows(count: Int, windowBits: Int) extends Component {
  val io = new Bundle {
    val axil = slave(AxiLite4(RegisterWindows.bus(count, windowBits)))
    val datapaths = Vec.fill(count)(master(AxiLite4(RegisterMap.bus)))
  }

  private def window(request: AxiLite4Ax): UInt = request.addr >> windowBits

  /** A word that waits for the datapath of its window. */
  private def pass[T <: Data](from: Flow[_ <: Data], value: T, isHere: Bool, to: Stream[T]): Unit = {
    to.valid := RegInit(False) setWhen (from.fire && isHere) clearWhen to.fire
    to.payload := RegNextWhen(value, from.fire)
  }

  val onWrite = new Area {
    val isUnderWay = RegInit(False)
    val asked = StreamJoin(io.axil.aw, io.axil.w).haltWhen(isUnderWay).toFlow
    private val answers = io.datapaths.map(_.b)
    for ((datapath, i) <- io.datapaths.zipWithIndex) {
      val isHere = window(asked._1) === i
      pass(asked, AxiLite.access(asked._1.addr), isHere, datapath.aw)
      pass(asked, asked._2, isHere, datapath.w)
      datapath.b.ready := io.axil.b.ready
    }
    io.axil.b.valid := answers.map(_.valid).orR
    io.axil.b.resp := answers.map(b => b.resp.andMask(b.valid)).reduce(_ | _)
    isUnderWay setWhen asked.fire clearWhen io.axil.b.fire
  }

  val onRead = new Area {
    val isUnderWay = RegInit(False)
    val asked = io.axil.ar.haltWhen(isUnderWay).toFlow
    private val answers = io.datapaths.map(_.r)
    for ((datapath, i) <- io.datapaths.zipWithIndex) {
      pass(asked, AxiLite.access(asked.addr), window(asked.payload) === i, datapath.ar)
      datapath.r.ready := io.axil.r.ready
    }
    io.axil.r.valid := answers.map(_.valid).orR
    io.axil.r.data := answers.map(r => r.data.andMask(r.valid)).reduce(_ | _)
    io.axil.r.resp := answers.map(r => r.resp.andMask(r.valid)).reduce(_ | _)
    isUnderWay setWhen asked.fire clearWhen io.axil.r.fire
  }
}

object RegisterWindows {
  def bus(count: Int, windowBits: Int): AxiLite4Config = AxiLite4Config(windowBits + log2Up(count), 32)
}
