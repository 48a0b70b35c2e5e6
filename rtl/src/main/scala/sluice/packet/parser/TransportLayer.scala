// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.packet
package parser

import sluice.packet.parser.HeaderTables._
import spinal.core._

/** Ports of the transports that have them, and the tunnels that give a key. */
object TransportLayer {

  /** Words from the transport header on that are looked at. */
  val words = 4

  private val ports: Walk => Walk = Walk.step { (after, w) =>
    val protocol = w.next(7 downto 0)
    val h = after.headers
    val isThere = w.isOpen && Walk.isAtLeast(w.left, 1)
    h.sourcePort := w.words(0)(31 downto 16)
    h.destinationPort := w.words(0)(15 downto 0)
    h.tcpFlags := w.words(3)(27 downto 16)
    h.hasPorts := isThere && isOneOf(protocol, withPorts)
    h.hasTcpFlags := w.isOpen && Walk.isAtLeast(w.left, 4) && protocol === tcp
    val hasPort = (kind: TunnelKind) => w.words(0).subdivideIn(16 bits).map(isOneOf(_, kind.ports)).reduce(_ || _)
    after.scratch.isOver := Vec(overUdp.map(hasPort))
    after.scratch.isUdp := protocol === udp && Walk.isAtLeast(w.left, 4)
    after.scratch.isGre := protocol === gre && Walk.isAtLeast(w.left, 2)
    after.scratch.isL2tp := protocol === l2tp && Walk.isAtLeast(w.left, 1)
    when(w.isOpen) {
      when(!isOneOf(protocol, withPorts))(h.outcome := Outcome.NO_PORTS)
        .elsewhen(!isThere)(after.endCut(w.isLong))
        .otherwise(h.outcome := Outcome.WHOLE)
    }
  }

  /** The numbers that have more than one place: GRE's comes to word 1, that of L2TP over UDP to word 2. */
  private def gather(after: Walk, w: Walk): Unit = {
    val head = w.words(2)
    val id = w.words(3)
    val key = Mux(w.words(0)(31), head, w.words(1))
    val isPptp = w.words(0)(18 downto 16) === 1 // the upper half of its key is the payload's length
    after.words(1) := key(31 downto 16).andMask(!isPptp) ## key(15 downto 0)
    after.words(2) := Mux(head(30), id, head(15 downto 0) ## id(31 downto 16))
  }

  /** The numbers of the tunnels, in the order of the bits of `which`. */
  private def numbers(w: Walk): Seq[(SpinalEnumElement[Tunnel.type], Bits)] = Seq(
    Tunnel.GTP -> w.words(3),
    Tunnel.VXLAN -> w.words(3)(31 downto 8).resize(32),
    Tunnel.GENEVE -> w.words(3)(31 downto 8).resize(32),
    Tunnel.L2TP -> w.words(2),
    Tunnel.GRE -> w.words(1),
    Tunnel.L2TP -> w.words(0)
  )

  /** Which tunnel it is, unless there is one around this packet already. */
  private val recognise: Walk => Walk = Walk.step { (after, w) =>
    val head = w.words(2)
    val over =
      overUdp.zip(w.scratch.isOver).map { case (kind, hasPort) => kind.tunnel -> (w.scratch.isUdp && hasPort) }.toMap
    val version = head(31 downto 29).asUInt
    val hasTeid = (version === 1 && head(28)) || (version === 2 && head(27))
    val isGtp = over(Tunnel.GTP) && hasTeid
    val isVxlan = over(Tunnel.VXLAN) && head(27) && !isGtp
    val isGeneve = over(Tunnel.GENEVE) && !isVxlan && !isGtp
    val isL2tp = over(Tunnel.L2TP) && !head(31) && head(19 downto 16) === 2 && !isGeneve && !isVxlan && !isGtp
    val isGre = w.scratch.isGre && w.words(0)(29) && (!w.words(0)(31) || Walk.isAtLeast(w.left, 3))
    after.scratch.which := (w.scratch.isL2tp ## isGre ## isL2tp ## isGeneve ## isVxlan ## isGtp)
      .andMask(w.isOpen && !w.headers.hasTunnelId)
    gather(after, w)
  }

  private val tunnel: Walk => Walk = Walk.step { (after, w) =>
    val found = numbers(w).zip(w.scratch.which.asBools)
    when(w.scratch.which.orR) {
      after.headers.hasTunnelId := True
      after.headers.tunnelId := found.map { case ((_, number), isIt) => number.andMask(isIt) }.reduce(_ | _)
    }
    for (((tunnel, _), isIt) <- found) when(isIt)(after.headers.tunnel := tunnel)
  }

  val steps: Seq[Walk => Walk] = Seq(ports, recognise, tunnel)
}
