// SPDX-License-Identifier: Apache-2.0
package sluice.packet

import sluice.packet.HeaderTables._
import spinal.core._

/** Ports of the transports that have them, and the tunnels that give a key. */
object TransportLayer {

  /** Words from the transport header on that are looked at. */
  val words = 4

  private val ports: Walk => Walk = Walk.step { (after, w) =>
    val protocol = w.next(7 downto 0)
    val h = after.headers
    val isThere = w.isOpen && w.left =/= 0
    h.sourcePort := w.words(0)(31 downto 16)
    h.destinationPort := w.words(0)(15 downto 0)
    h.tcpFlags := w.words(3)(27 downto 16)
    h.hasPorts := isThere && isOneOf(protocol, withPorts)
    h.hasTcpFlags := w.isOpen && w.left > 3 && protocol === tcp
    val hasPort = (kind: TunnelKind) => w.words(0).subdivideIn(16 bits).map(isOneOf(_, kind.ports)).reduce(_ || _)
    after.scratch.isOver := Vec(overUdp.map(hasPort))
    after.scratch.isUdp := protocol === udp && w.left > 3
    after.scratch.isGre := protocol === gre && w.left > 1
    after.scratch.isL2tp := protocol === l2tp && w.left > 0
    when(w.isOpen) {
      when(!isOneOf(protocol, withPorts))(h.outcome := Outcome.NO_PORTS)
        .elsewhen(!isThere)(after.endCut(w.isLong))
        .otherwise(h.outcome := Outcome.WHOLE)
    }
  }

  private val tunnel: Walk => Walk = Walk.step { (after, w) =>
    val h = after.headers
    val head = w.words(2)
    val id = w.words(3)

    def found(isIt: Bool, tunnel: SpinalEnumElement[Tunnel.type], key: Bits): Unit = when(isIt && w.isOpen) {
      h.tunnel := tunnel
      h.tunnelId := key.resized
      h.hasTunnelId := True
    }

    val over =
      overUdp.zip(w.scratch.isOver).map { case (kind, hasPort) => kind.tunnel -> (w.scratch.isUdp && hasPort) }.toMap

    val gtpVersion = head(31 downto 29).asUInt
    val hasTeid = (gtpVersion === 1 && head(28)) || (gtpVersion === 2 && head(27))
    found(
      over(Tunnel.L2TP) && !head(31) && head(19 downto 16) === 2,
      Tunnel.L2TP,
      Mux(head(30), id, head(15 downto 0) ## id(31 downto 16))
    )
    found(over(Tunnel.GENEVE), Tunnel.GENEVE, id(31 downto 8))
    found(over(Tunnel.VXLAN) && head(27), Tunnel.VXLAN, id(31 downto 8))
    found(over(Tunnel.GTP) && hasTeid, Tunnel.GTP, id)

    val greHasSum = w.words(0)(31)
    found(
      w.scratch.isGre && w.words(0)(29) && (!greHasSum || w.left > 2),
      Tunnel.GRE,
      Mux(greHasSum, w.words(2), w.words(1))
    )
    found(w.scratch.isL2tp, Tunnel.L2TP, w.words(0))
  }

  val steps: Seq[Walk => Walk] = Seq(ports, tunnel)
}
