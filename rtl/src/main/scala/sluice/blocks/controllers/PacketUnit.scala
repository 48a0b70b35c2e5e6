// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.controllers

import sluice.contract.Widths
import sluice.blocks.arithmetic.division.SequentialDivision
import spinal.core._

/** Packets or bytes by one rule: where packets count, every packet, and the typical packet, has [[PacketUnit.packet]] bytes. */
object PacketUnit {
  val packet = 256
  private val packetBits = log2Up(packet)

  /** Of the bytes of a packet's inverse, Q0.24; they are 256 at least. */
  val inverseBits = 17
  val inverseFraction = 24

  /** Of what is queued. */
  val queueBits: Int = Widths.maxBytes.max(Widths.maxPackets + packetBits)

  private def packets(count: Int): UInt = U(count * packet, Widths.packet bits)

  /** What a packet counts. */
  def size(inBytes: Bool, bytes: UInt): UInt = Mux(inBytes, bytes, packets(1))

  /** What is queued. */
  def queue(inBytes: Bool, packets: UInt, bytes: UInt): UInt =
    Mux(inBytes, bytes.resize(queueBits), (packets << packetBits).resize(queueBits))

  /** The bytes that are a packet. */
  def typical(inBytes: Bool, avpkt: UInt): UInt = size(inBytes, avpkt)
}

/** 2^24 divided by the bytes that are a packet. The inverse stands until the next `load`.
  *
  * @param typical
  *   stands from `load` on until [[isDone]]; at least 256
  */
class PacketInverse(load: Bool, typical: UInt) extends Area {
  import PacketUnit._
  private val division =
    new SequentialDivision(load, U(BigInt(1) << inverseFraction, inverseFraction + 1 bits), typical)
  val inverse: UInt = division.quotient.resize(inverseBits)

  /** High for one cycle when it stands. */
  val isDone: Bool = division.isDone
}

object PacketInverse {

  /** The same in software, for reset values. */
  def of(typical: BigInt): BigInt = (BigInt(1) << PacketUnit.inverseFraction) / typical
}
