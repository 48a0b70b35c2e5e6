// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.shells

import sluice.tile.registers.RegisterMap
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axilite._

/** A shell's AXI4-Lite without levels of protection, and perhaps without strobes: every write is a whole word then. */
case class ShellRegisters(addressBits: Int, hasStrobes: Boolean) extends Bundle with IMasterSlave {
  val aw, ar = Stream(UInt(addressBits bits))
  val w = Stream(ShellWrite(hasStrobes))
  val b = Stream(Bits(2 bits))
  val r = Stream(AxiLite4R(RegisterMap.bus))

  override def asMaster(): Unit = {
    master(aw, w, ar)
    slave(b, r)
  }

  /** The same with all that a datapath's registers have, of which the first words of the window are. They come again in every
    * 4 KiB.
    */
  def toAxiLite: AxiLite4 = toAxiLite(RegisterMap.bus)

  /** The same where several datapaths are behind more bits of the address. */
  def toAxiLite(config: AxiLite4Config): AxiLite4 = {
    val bus = AxiLite4(config)
    bus.aw << aw.map(AxiLite.access(_, config))
    bus.ar << ar.map(AxiLite.access(_, config))
    bus.w << w.map { write =>
      val word = AxiLite4W(RegisterMap.bus)
      word.data := write.data
      if (hasStrobes) word.strb := write.strobe else word.strb.setAll()
      word
    }
    b << bus.b.map(_.resp)
    r << bus.r
    bus
  }

  /** The shell's names, of what AXI4-Lite calls `awvalid`, `wdata` and so on. */
  def name(port: String => String): Unit = {
    for ((channel, stream) <- Seq("aw" -> aw, "ar" -> ar, "w" -> w, "b" -> b, "r" -> r)) {
      stream.valid.setName(port(s"${channel}valid"))
      stream.ready.setName(port(s"${channel}ready"))
    }
    aw.payload.setName(port("awaddr"))
    ar.payload.setName(port("araddr"))
    w.data.setName(port("wdata"))
    if (hasStrobes) w.strobe.setName(port("wstrb"))
    b.payload.setName(port("bresp"))
    r.data.setName(port("rdata"))
    r.resp.setName(port("rresp"))
  }
}

/** A word that a shell writes. */
case class ShellWrite(hasStrobes: Boolean) extends Bundle {
  val data = Bits(32 bits)
  val strobe = hasStrobes generate Bits(4 bits)
}
