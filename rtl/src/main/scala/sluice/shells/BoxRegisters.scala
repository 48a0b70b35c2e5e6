// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.shells

import sluice.tile.registers.RegisterMap
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axilite._

/** The AXI4-Lite of OpenNIC's boxes: 32 bits of address, neither strobes nor levels of protection. */
case class BoxRegisters() extends Bundle with IMasterSlave {
  val aw, ar = Stream(UInt(32 bits))
  val w = Stream(Bits(32 bits))
  val b = Stream(Bits(2 bits))
  val r = Stream(AxiLite4R(RegisterMap.bus))

  override def asMaster(): Unit = {
    master(aw, w, ar)
    slave(b, r)
  }

  /** The same with all that a datapath's registers have, of which the first words of the box are. They come again in every 4 KiB. */
  def toAxiLite: AxiLite4 = {
    val bus = AxiLite4(RegisterMap.bus)
    bus.aw << aw.map(AxiLite.access)
    bus.ar << ar.map(AxiLite.access)
    bus.w << w.map { data =>
      val word = AxiLite4W(RegisterMap.bus)
      word.data := data
      word.strb := word.strb.getAllTrue
      word
    }
    b << bus.b.map(_.resp)
    r << bus.r
    bus
  }

  /** The shell's names. */
  def name(port: String): Unit = {
    for ((channel, stream) <- Seq("aw" -> aw, "ar" -> ar, "w" -> w, "b" -> b, "r" -> r)) {
      stream.valid.setName(s"${port}_${channel}valid")
      stream.ready.setName(s"${port}_${channel}ready")
    }
    aw.payload.setName(s"${port}_awaddr")
    ar.payload.setName(s"${port}_araddr")
    w.payload.setName(s"${port}_wdata")
    b.payload.setName(s"${port}_bresp")
    r.data.setName(s"${port}_rdata")
    r.resp.setName(s"${port}_rresp")
  }
}
