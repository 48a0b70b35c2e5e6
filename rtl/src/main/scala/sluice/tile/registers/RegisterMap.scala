// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.tile
package registers

import sluice.contract._
import sluice.tile.account.Accountant
import spinal.lib.bus.amba4.axilite.AxiLite4Config

import java.security.MessageDigest

/** One 32-bit word of the register map.
  *
  * @param access
  *   `ro`, `rw`, `wo`, `w1` (a 1 starts something) or `w1c` (a 1 clears)
  */
case class Word(name: String, address: Int, access: String, width: Int, reset: BigInt, doc: String)

/** Where everything stands in a tile's registers. This is the one declaration: the bus logic, the JSON, the C header and the
  * documentation are made from it.
  *
  * @param latency
  *   clocks to a verdict: of a bare tile from the arrival, of a datapath from the frame's last beat
  */
class RegisterMap(config: TileConfig, latency: Int) {
  import RegisterMap._

  private def words[T](base: Int, end: Int, things: Seq[T])(word: (T, Int) => Word): Seq[(T, Word)] = {
    require(base + 4 * things.size <= end, s"${config.name}: ${things.size} words do not fit 0x${base.toHexString}..")
    things.zipWithIndex.map { case (thing, i) => thing -> word(thing, base + 4 * i) }
  }

  val id = Word("ID", 0x00, "ro", 32, idValue, "the letters SLUC")
  val version = Word("VERSION", 0x04, "ro", 32, versionValue, "major.minor.patch in bytes 2..0")
  val caps = Word(
    "CAPS",
    0x08,
    "ro",
    32,
    capsValue,
    "bits 7:0 log2 of the ring's entries, 15:8 latency in cycles, 23:16 the last queue's number, 31:24 bytes of a datapath's beat, 0: a bare tile"
  )

  /** How many queues there are, where CAPS may not have the bits. */
  private val isListed = config.storage == Storage.Lists
  val queues: Option[Word] = Option.when(isListed)(
    Word(
      "QUEUES",
      0x2c,
      "ro",
      32,
      config.queues,
      "queues, as linked lists; CAPS says 255 where the last one's number is above"
    )
  )

  /** One queue of many, of which the host wants to know or which it sets. */
  val window: Option[QueueWindow] = Option.when(isListed)(new QueueWindow(config))
  val names: Seq[Word] = Seq.tabulate(3) { i =>
    Word(
      s"NAME$i",
      0x0c + 4 * i,
      "ro",
      32,
      nameValue(i),
      s"algorithm's name, ASCII, characters ${4 * i}..${4 * i + 3}, first in the low byte"
    )
  }
  val commit = Word(
    "COMMIT",
    0x18,
    "w1",
    1,
    0,
    "write 1: check the staged parameters and apply them as one set; reads 1 while busy"
  )
  val refused =
    Word("REFUSED", 0x1c, "w1c", config.rules.size, 0, "rules that a refused set broke, one bit each; write 1 to clear")
  val snapshot = Word(
    "SNAPSHOT",
    0x20,
    "w1",
    1,
    0,
    "write 1: copy all counters at one instant; reads 1 where there was no clock to read those of a selected queue, and is to be written again then"
  )

  val faults = Word(
    "FAULTS",
    0x28,
    "w1c",
    Faults.all.size,
    0,
    s"upsets that were seen and mended, one bit each: ${Faults.all.zipWithIndex.map { case (f, bit) => s"$bit ${f.name}" }.mkString(", ")}; write 1 to clear"
  )

  /** Staged parameters: where they always were, or all of them behind the counters of queues if there are too many for that. */
  private val (parametersBase, parametersEnd) = if (config.parameters.size <= 48) (0x40, 0x100) else (0x600, 0x700)
  val parameters: Seq[(Parameter, Word)] = words(parametersBase, parametersEnd, config.parameters) { (p, address) =>
    Word(p.name, address, "rw", p.width, p.raw, p.doc)
  }

  /** The same parameters as they are in force, for reading. */
  val parametersInForce: Seq[(Parameter, Word)] = parameters.map { case (p, word) =>
    p -> word.copy(name = s"${p.name}_in_force", address = word.address + inForce, access = "ro")
  }

  /** Counters of the last snapshot: low word, and the rest at the next address. */
  val counters: Seq[(Word, Word)] = {
    val own = Accountant.names(config).map(_ -> Accountant.width)
    val added = config.extension.toSeq.flatMap(_.counters).map(_ -> Accountant.width)
    require(0x100 + 8 * own.size <= 0x1c0 && 0x200 + 8 * added.size <= 0x3c0, s"${config.name}: too many counters")
    val ofQueues = Accountant.queueNames(config)
    val addresses = own.indices.map(0x100 + 8 * _) ++ ofQueues.zipWithIndex.flatMap { case (names, i) =>
      names.indices.map(0x400 + 0x40 * i + 8 * _)
    } ++ added.indices.map(0x200 + 8 * _)
    (own ++ ofQueues.flatten ++ added).zip(addresses).map { case ((name, width), address) =>
      val low = Word(name, address, "ro", 32, 0, s"$name at the last snapshot, bits 31:0")
      low -> low.copy(
        name = s"${name}_high",
        address = low.address + 4,
        width = width - 32,
        doc = s"$name at the last snapshot, bits ${width - 1}:32"
      )
    }
  }

  val status: Seq[(Status, Word)] = words(0x1c0, 0x200, config.algorithm.status) { (s, address) =>
    Word(s.name, address, "ro", s.width, s.reset, s.doc)
  }

  /** Words that are never read back. */
  val secret: Seq[Word] = words(secretBase, secretEnd, config.extension.toSeq.flatMap(_.secret).zipWithIndex) {
    case ((reset, i), address) =>
      Word(
        s"SECRET$i",
        address,
        "wo",
        32,
        reset,
        s"secret of the flow hash, bytes ${4 * i}..${4 * i + 3}, first in the high byte; reads 1 until it is in force, then 0"
      )
  }.map(_._2)

  /** Words that the datapath takes. */
  val hostWords: Seq[Word] =
    words(secretBase + 4 * secret.size, secretEnd, config.extension.toSeq.flatMap(_.hostWords)) { (word, address) =>
      Word(word.name, address, "wo", word.width, 0, word.doc)
    }.map(_._2)

  private val declared: Seq[Word] = Seq(
    Seq(id, version, caps) ++ names ++ Seq(commit, refused, snapshot, faults) ++ queues ++ window.toSeq.flatMap(_.all),
    parameters.map(_._2),
    counters.flatMap { case (low, high) => Seq(low, high) },
    status.map(_._2),
    secret,
    hostWords
  ).flatten
    .sortBy(_.address)

  val digest = Word(
    "DIGEST",
    0x24,
    "ro",
    32,
    digestOf(declared),
    "first bytes of the SHA-256 of this map and its configuration, whatever the version: another map has another"
  )

  /** Words that every map has, at the same address. */
  val common: Seq[Word] =
    (Seq(id, version, caps) ++ names ++ Seq(commit, refused, snapshot, digest, faults)).sortBy(_.address)

  /** Every word but those in force, by address. */
  val all: Seq[Word] = (digest +: declared).sortBy(_.address)

  /** A driver asks for words by their names, in C without regard to letters' case. */
  private val doubled = all.groupBy(_.name.toUpperCase).collect { case (name, words) if words.size > 1 => name }
  require(doubled.isEmpty, s"${config.name}: several words are called ${doubled.mkString(", ")}")
  private val shared = all.groupBy(_.address).values.filter(_.size > 1).map(_.map(_.name).mkString(" and "))
  require(shared.isEmpty, s"${config.name}: at one address are ${shared.mkString(", ")}")

  private def capsValue: BigInt = {
    val beatBytes = config.extension.fold(0)(_.beatBytes)
    require(latency < 256 && beatBytes < 256, s"${config.name}: CAPS has not the bits")
    (BigInt(beatBytes) << 24) | ((config.queues - 1).min(255) << 16) | (latency << 8) | spinal.core.log2Up(
      config.ringPackets
    )
  }

  /** All that a driver relies on, line by line, and the configuration's name: two configurations never look alike. */
  private def digestOf(words: Seq[Word]): BigInt = {
    val formats = config.parameters.map(p => (p.name, p.fraction, p.unit)) ++
      config.algorithm.status.map(s => (s.name, s.fraction, s.unit))
    val lines = Seq[Any](config.name, config.algorithm.name, inForce, config.cookieBits) ++ words
      .filter(_ != version)
      .map(_.copy(doc = "")) ++
      formats ++ config.rules.map(_.name) ++ config.reasons
    val hash = MessageDigest.getInstance("SHA-256").digest(lines.mkString("\n").getBytes("UTF-8"))
    BigInt(1, hash.take(4))
  }

  private def nameValue(word: Int): BigInt = {
    val most = 12
    require(config.algorithm.name.length <= most, s"${config.algorithm.name}: a name has at most $most characters")
    config.algorithm.name
      .padTo(most, '\u0000')
      .slice(4 * word, 4 * word + 4)
      .reverseIterator
      .foldLeft(BigInt(0))((sum, c) => (sum << 8) | c.toInt)
  }
}

object RegisterMap {
  val addressBits = 12
  val bus: AxiLite4Config = AxiLite4Config(addressBits, 32)

  private val secretBase = 0x3c0
  private val secretEnd = 0x400

  /** From a parameter's word to the one that shows what is in force. */
  val inForce = 0x800
  val idValue: BigInt = BigInt("534C5543", 16)

  /** Version of the library, as VERSION shows it. */
  val versionText = "0.3.0"
  val versionValue: BigInt = versionText.split('.').foldLeft(BigInt(0))((sum, part) => (sum << 8) | part.toInt)
}
