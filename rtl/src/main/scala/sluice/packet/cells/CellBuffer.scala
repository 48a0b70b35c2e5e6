// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.packet
package cells

import sluice.blocks.state.DeepMemory
import sluice.packet.buffer.{FrameRecord, FreeRunning}
import spinal.core._
import spinal.lib._

/** The packet memory of a datapath with many queues, and the marker on the way out. Frames are stored as they come, before anybody knows
  * what becomes of them, and go in any order: back into free cells at their verdict or in their queue, or out.
  *
  * Whoever admits frames keeps their cells at most [[CellShape.room]], from their verdict on until they are `freed`; the buffer does not
  * check. One beat in and one out per clock. What leaves leaves without a gap, for it is whole in here.
  */
class CellBuffer(shape: CellShape, band: SideBand) extends Component {
  import CellBuffer._
  val io = new Bundle {
    val beat = slave(Flow(Bits(shape.dataBits bits)))
    val isEnd, isGood = in(Bool()) // a frame ends with that beat, or behind the one before; it is good
    val stored = master(Flow(StoredFrame(shape))) // a clock later
    val record = slave(Flow(KnownFrame(shape))) // of each stored frame, before it departs
    val refused = slave(Flow(StoredFrame(shape))) // dropped at its verdict
    val dropped = slave(Flow(Chain(shape))) // dropped in its queue
    val departing = slave(Stream(DepartingFrame(shape, band))) // has left its queue
    val known = master(Stream(CellFrame(shape, band))) // the same, with its record
    val take = slave(Stream(CellFrame(shape, band))) // is to be sent
    val output = master(Stream(Beat(shape.dataBits, band)))
    val freed = out(UInt(2 bits)) // cells that frames had which had been admitted, and that are free now
    val isQuiet = out(Bool()) // of all frames that had left their queues all cells are free, and were some clocks ago
    val taken = out(UInt(shape.cellBits + 1 bits)) // cells that frames have
  }

  private val memory = new DeepMemory(shape.dataBits, shape.cells * shape.beats)
  private val marker = new Marker(shape.dataBits, band, dataCycles = 3)
  val free = new FreeCells(shape, sources = 3)
  val writer = new CellWriter(shape)
  val walker = new ChainWalker(shape, Seq(fewChains(shape), fewChains(shape), shape.cells))
  val reader = new CellReader(shape, band)

  val onWrite = new Area {
    writer.io.isBeat := io.beat.valid
    writer.io.isEnd := io.isEnd
    writer.io.isGood := io.isGood
    writer.io.free << free.io.free
    // Many blocks, across the chip: what they take has a clock for the way.
    memory.write(RegNext(writer.io.address), RegNext(io.beat.payload), enable = RegNext(io.beat.valid) init False)
    io.stored << writer.io.stored.stage()
  }

  // Whoever follows links has a memory of them.
  val onLink = new Area {
    val link = writer.io.link.stage()
    private def follow(cell: UInt): UInt = {
      val links = Mem(UInt(shape.cellBits bits), shape.cells)
      links.write(link.payload(0), link.payload(1), enable = link.valid)
      RegNext(links.readSync(RegNext(cell)))
    }
    walker.io.next := follow(walker.io.looked)
    reader.io.next := follow(reader.io.looked)
  }

  val onDrop = new Area {
    val chains = io.refused.takeWhen(io.refused.count > 1).translateWith(io.refused.butLast)
    for ((chain, at) <- Seq(chains, writer.io.void, io.dropped).zipWithIndex) walker.io.chains(at) << chain.stage()
    free.io.back(0) << reader.io.back
    free.io.back(1) << walker.io.back
    free.io.back(2) << io.refused.translateWith(io.refused.last).stage()
  }

  val onDepart = new Area {
    val records = new DeepMemory(widthOf(FrameRecord()), shape.cells)
    val known = io.record.stage()
    records.write(known.first, known.record.asBits, enable = known.valid)
    io.known << FreeRunning(io.departing, cycles = 3) { departing =>
      val record = RegNext(records.readSync(RegNext(departing.first))).as(FrameRecord())
      val frame = Flow(CellFrame(shape, band))
      val later = Iterator.iterate(departing)(_.stage()).drop(3).next()
      frame.valid := later.valid
      frame.payload.assignSomeByName(later.payload)
      frame.record := record
      frame
    }
  }

  val onRead = new Area {
    reader.io.take << io.take
    io.output << FreeRunning(reader.io.fetch, marker.latency) { fetch =>
      marker.io.beat << fetch.map(_.beat)
      marker.io.data := RegNext(memory.readSync(RegNext(fetch.address)))
      marker.io.output
    }
  }

  val onCount = new Area {
    private val inQueue = 2 // the walker's source of frames that were dropped there
    io.freed := RegNext(U(reader.io.back.valid, 2 bits) + U(walker.io.isOf(inQueue))) init 0

    val leaving = Reg(UInt(shape.cellBits + 1 bits)) init 0 // frames that have left their queues, and have cells
    leaving := leaving + U(io.departing.fire) + U(io.dropped.valid) - U(reader.io.isEnd) - U(walker.io.isEnd(inQueue))
    io.isQuiet := Delay(leaving === 0, 4, init = True) && leaving === 0

    val taken = Reg(UInt(shape.cellBits + 1 bits)) init 0
    taken := taken + U(free.io.free.fire) - free.io.back.map(back => U(back.valid, 2 bits)).reduce(_ + _)
    io.taken := taken - U(writer.io.isKeeping)
  }
}

object CellBuffer {

  /** Chains of frames that were bad, or dropped at their verdict, fewer than that: all of them together have no more cells than the
    * longest frame, and some for the clocks that a chain takes until it is looked at.
    */
  private def fewChains(shape: CellShape): Int = 1 << log2Up(shape.mostOfFrame + 16)
}

/** A stored frame with what the parser has found. */
case class KnownFrame(shape: CellShape) extends Bundle {
  val first = UInt(shape.cellBits bits)
  val record = FrameRecord()
}

/** A frame that leaves its queue, as the tile knows it. */
case class DepartingFrame(shape: CellShape, band: SideBand) extends Bundle {
  val first = UInt(shape.cellBits bits)
  val isMarked = Bool()
  val side = Side(band)
}
