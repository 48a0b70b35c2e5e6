// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice

import org.yaml.snakeyaml.{LoaderOptions, Yaml}
import org.yaml.snakeyaml.constructor.SafeConstructor
import sluice.blocks.cardinality.MinCountConfig
import sluice.boards.{Board, BoardConfig}
import sluice.packet.{DatapathConfig, SideBand}
import sluice.shells.{Shell, ShellConfig}
import sluice.tile.TileConfig
import sluice.checks.Witness

import java.nio.file.{Files, Path}
import scala.jdk.CollectionConverters._

/** What configs.yaml names, each kind in order.
  *
  * @param tiles
  *   every algorithm's own configuration, then the named ones
  * @param datapaths
  *   around tiles
  * @param counters
  *   of flows, which stand alone
  * @param shells
  *   wrappers of datapaths for other people's shells
  * @param boards
  *   each around one tile
  */
case class Named(
    tiles: Seq[TileConfig],
    datapaths: Seq[DatapathConfig],
    counters: Seq[MinCountConfig],
    shells: Seq[ShellConfig],
    boards: Seq[BoardConfig]
) {

  /** All names, those of the tests' witnesses too. An algorithm is called like its configuration. */
  def names: Seq[String] = (tiles ++ Witness.tiles).map(_.name) ++ (datapaths ++ Witness.datapaths).map(_.name) ++
    counters.map(_.name) ++ shells.map(_.name) ++ boards.map(_.name)
}

/** Reads configs.yaml and refuses what it does not know. */
object Configs {
  private type Section = Map[String, Any]
  private val keys = Set("grade", "ring_packets", "cookie_bits", "queues", "scheduler", "queue_by", "options")
  private val datapathKeys = Set("config", "data_bits", "buffer_bytes", "user_bits", "id_bits", "dest_bits")
  private val shellKeys = Set("shell", "datapath")
  private val boardKeys = Set("board", "config", "buffer_bytes")
  private val counterKeys = Set("grade", "buckets", "values", "estimate")

  def load(file: Path): Named = {
    require(Files.isReadable(file), s"cannot read $file")
    val document = section(new Yaml(new SafeConstructor(new LoaderOptions)).load[Any](Files.readString(file)), s"$file")
    checkKeys(document, Set("default", "configs", "datapaths", "counters", "shells", "boards"), s"$file")
    val default = section(document("default"), "default")
    val named = section(document("configs"), "configs").toSeq.sortBy(_._1)
    val (own, others) = named.partition { case (name, _) => Catalog.algorithms.exists(_.name == name) }
    val ownOf = own.toMap
    val tiles = Catalog.algorithms.map { a =>
      config(a.name, ownOf.get(a.name).fold(default + ("algorithm" -> a.name))(section(_, a.name)))
    } ++ others.map { case (name, body) => config(name, section(body, name)) }
    val datapaths = section(document("datapaths"), "datapaths").toSeq.sortBy(_._1).map { case (name, body) =>
      datapath(name, section(body, name), tiles)
    }
    val counters = section(document("counters"), "counters").toSeq.sortBy(_._1).map { case (name, body) =>
      counter(name, section(body, name))
    }
    val shells = section(document("shells"), "shells").toSeq.sortBy(_._1).map { case (name, body) =>
      shell(name, section(body, name), datapaths)
    }
    val boards = section(document("boards"), "boards").toSeq.sortBy(_._1).map { case (name, body) =>
      board(name, section(body, name), tiles)
    }
    val modules = tiles.flatMap(c => Seq("core", "tile").map(c.moduleName)) ++ datapaths.map(_.moduleName) ++
      counters.map(_.moduleName) ++ shells.map(_.moduleName) ++ boards.map(_.moduleName)
    require(modules.distinct == modules, s"one module name twice: ${modules.diff(modules.distinct).mkString(", ")}")
    Named(tiles, datapaths, counters, shells, boards)
  }

  private def config(name: String, body: Section): TileConfig = {
    checkKeys(body, keys + "algorithm", s"configuration $name")
    val options = section(body("options"), s"$name.options").map { case (k, v) => k -> v.toString }
    TileConfig(
      name,
      Catalog(body("algorithm").toString).configured(options),
      body("grade").toString,
      number(body("ring_packets"), s"$name.ring_packets"),
      number(body("cookie_bits"), s"$name.cookie_bits"),
      number(body("queues"), s"$name.queues"),
      body("scheduler").toString,
      body("queue_by").toString
    )
  }

  private def datapath(name: String, body: Section, tiles: Seq[TileConfig]): DatapathConfig = {
    checkKeys(body, datapathKeys, s"datapath $name")
    require(!tiles.exists(_.name == name), s"datapath $name: there is a configuration of this name")
    DatapathConfig(
      name,
      tile(body, s"datapath $name", tiles),
      number(body("data_bits"), s"$name.data_bits"),
      number(body("buffer_bytes"), s"$name.buffer_bytes"),
      SideBand(
        number(body("user_bits"), s"$name.user_bits"),
        number(body("id_bits"), s"$name.id_bits"),
        number(body("dest_bits"), s"$name.dest_bits")
      )
    )
  }

  private def counter(name: String, body: Section): MinCountConfig = {
    checkKeys(body, counterKeys, s"counter $name")
    MinCountConfig(
      name,
      body("grade").toString,
      number(body("buckets"), s"$name.buckets"),
      number(body("values"), s"$name.values"),
      body("estimate").toString
    )
  }

  private def shell(name: String, body: Section, datapaths: Seq[DatapathConfig]): ShellConfig = {
    checkKeys(body, shellKeys, s"shell $name")
    val datapath = datapaths
      .find(_.name == body("datapath"))
      .getOrElse(throw new IllegalArgumentException(s"shell $name: unknown datapath '${body("datapath")}'"))
    ShellConfig(name, Shell(body("shell").toString), datapath)
  }

  private def board(name: String, body: Section, tiles: Seq[TileConfig]): BoardConfig = {
    checkKeys(body, boardKeys, s"board $name")
    BoardConfig(
      name,
      Board(body("board").toString),
      tile(body, s"board $name", tiles),
      number(body("buffer_bytes"), s"$name.buffer_bytes")
    )
  }

  private def tile(body: Section, where: String, tiles: Seq[TileConfig]): TileConfig = tiles
    .find(_.name == body("config"))
    .getOrElse(throw new IllegalArgumentException(s"$where: unknown configuration '${body("config")}'"))

  private def checkKeys(body: Section, expected: Set[String], where: String): Unit = {
    val unknown = body.keySet -- expected
    val missing = expected -- body.keySet
    require(unknown.isEmpty, s"$where: unknown key ${unknown.toSeq.sorted.mkString(", ")}")
    require(missing.isEmpty, s"$where: missing key ${missing.toSeq.sorted.mkString(", ")}")
  }

  private def section(value: Any, where: String): Section = value match {
    case map: java.util.Map[_, _] => map.asScala.map { case (k, v) => k.toString -> (v: Any) }.toMap
    case _                        => throw new IllegalArgumentException(s"$where is not a section")
  }

  private def number(value: Any, where: String): Int = value match {
    case n: Integer => n
    case other      => throw new IllegalArgumentException(s"$where: '$other' is not a whole number")
  }
}
