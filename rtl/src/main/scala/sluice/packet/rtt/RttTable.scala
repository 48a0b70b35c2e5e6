// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.packet
package rtt

import sluice.blocks.state.Sweep
import sluice.contract.Widths
import sluice.packet.parser.Headers
import spinal.core._
import spinal.lib._

import java.util.zip.CRC32

/** What the host writes into one of the tables: the time of the pair of prefixes that has this hash; 0 takes it out. */
case class RttEntry() extends Bundle {
  val us = UInt(Widths.rttUs bits)
  val pair = Bits(32 bits)
}

/** Round-trip times by source and destination prefix, as a database like IDMaps estimates them, in block memory that the host
  * fills.
  *
  * A pair is known by a hash of 32 bits, all of which are compared. It may stand in either of two tables, in each at a place that
  * nine bits of its hash name, of which the host chooses one; so nearly half of all places can be filled (cuckoo hashing, R. Pagh
  * and F. Rodler, 2004). After a reset both are empty, [[RttTable.places]] clocks later.
  *
  * The hash is the CRC-32 of Ethernet (as in zlib) over 17 bytes: 4 or 6, then the first 64 bits of source and destination behind
  * their masks; an IPv4 address has zeros behind it. One packet per clock, [[RttTable.latency]] clocks.
  *
  * @param writes
  *   an entry for each of the tables
  */
class RttTable(headers: Headers, mask4: Bits, mask6: Bits, writes: Seq[Flow[RttEntry]]) extends Area {
  import RttTable._

  val onKey = new Area {
    private val mask = Mux(headers.isIpv6, mask6, mask4)
    private def prefix(address: Bits): Bits = address.takeHigh(prefixBits) & mask
    private val version = Mux(headers.isIpv6, B(6, 8 bits), B(4, 8 bits))
    val key = RegNext(version ## prefix(headers.source) ## prefix(headers.destination))
    val isPair = RegNext(headers.hasIp)
  }

  val onHash = new Area {
    private val bits = onKey.key.asBools.reverse // in the order of the frame
    private val sums = (0 until 32).map { i =>
      val its = bits.zip(changes).collect { case (bit, change) if change.testBit(i) => bit }
      val level = its.grouped(16).map(group => RegNext(group.reduce(_ ^ _))).toSeq
      RegNext(level.reduce(_ ^ _) ^ Bool(ofZeros.testBit(i)))
    }
    val hash = Vec(sums).asBits
  }

  private val sweep = new Sweep(places)

  val onRead = writes.zipWithIndex.map { case (write, i) =>
    new Area {
      private def place(hash: Bits): UInt = hash(i * placeBits, placeBits bits).asUInt
      private val memory = Mem(RttEntry(), places)
      private val isWritten = sweep.isOn || write.valid
      memory.addAttribute("syn_ramstyle", "block_ram")
      memory.write(
        RegNext(Mux(sweep.isOn, sweep.place, place(write.pair))),
        RegNext(Mux(sweep.isOn, RttEntry().getZero, write.payload)),
        enable = RegNext(isWritten, init = False)
      )
      val entry = RegNext(memory.readSync(place(onHash.hash))) // block memory is slow at its output
      val us = RegNext(entry.us.andMask(entry.pair === Delay(onHash.hash, 2)))
    }
  }

  /** The pair's time in us; 0: it has none. */
  val us: UInt = RegNext(onRead.map(_.us).reduce(_ | _).andMask(Delay(onKey.isPair, latency - 2)))
}

object RttTable {

  /** Bits of an address that a prefix may have. */
  val prefixBits = 64

  /** Tables in which a pair may stand. */
  val tables = 2
  private val placeBits = 9

  /** Bits of a pair's hash that name its place in one of them. */
  def place(table: Int): String = s"${(table + 1) * placeBits - 1}:${table * placeBits}"

  /** Of each of the tables. */
  val places: Int = 1 << placeBits

  /** Key, two for its hash, two for the memory, comparison, choice. */
  val latency = 7

  private def crc(key: Array[Byte]): BigInt = {
    val sum = new CRC32
    sum.update(key)
    BigInt(sum.getValue)
  }
  private val keyBytes = 1 + 2 * prefixBits / 8
  private val ofZeros = crc(new Array[Byte](keyBytes))

  /** What each bit of a key, in the order of the frame, changes in its hash: the hash is linear. */
  private val changes: Seq[BigInt] = (0 until 8 * keyBytes).map { bit =>
    val key = new Array[Byte](keyBytes)
    key(bit / 8) = (0x80 >> bit % 8).toByte
    crc(key) ^ ofZeros
  }
}
