// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.controllers

import sluice.contract.Widths
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

/** 2^24 divided by the bytes that are a packet, a bit per clock. The inverse stands until the next `load`.
  *
  * @param typical
  *   stands from `load` on until [[isDone]]; at least 256
  */
class PacketInverse(load: Bool, typical: UInt) extends Area {
  import PacketUnit._
  private val left = Reg(UInt(log2Up(inverseBits + 1) bits)) init 0
  private val rest = Reg(UInt(Widths.packet bits))
  private val doubled = rest << 1
  private val less = doubled -^ typical // one carry chain for the comparison and the difference
  private val fits = !less.msb
  val inverse = Reg(UInt(inverseBits bits))
  when(load) {
    left := inverseBits
    rest := 1 << (inverseFraction - inverseBits) // the bits of 2^24 before the last, which are less than any divisor
  } elsewhen (left =/= 0) {
    left := left - 1
    rest := Mux(fits, less, doubled.resize(less.getWidth)).resize(rest.getWidth)
    inverse := (inverse ## fits).asUInt.resized
  }

  /** High for one cycle when it stands. */
  val isDone: Bool = RegNext(left === 1 && !load, init = False)
}

object PacketInverse {

  /** The same in software, for reset values. */
  def of(typical: BigInt): BigInt = (BigInt(1) << PacketUnit.inverseFraction) / typical
}
