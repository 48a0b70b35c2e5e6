// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice

import scopt.OParser
import sluice.packet.DatapathConfig
import sluice.tile.TileConfig
import sluice.checks.{BlockTops, Proofs, Refusals, Witness}
import sluice.files._

import java.nio.file.{Files, Path, Paths}

/** Command line: writes for every configuration the Verilog of its tile and of its bare core, and for every datapath that of
  * the whole; their register maps as JSON and as a C header, and what all headers share; the counters of flows; the wrappers for shells; the boards; the crossing of
  * clocks; the shared blocks
  * alone; what is said to cores that are refused; and the catalogue of them all, with a part of it beside each. A file is written
  * only when its text changes, so that what is built from it stays. Asked for certain configurations it writes those alone, and
  * their entries of the catalogue.
  */
object Generate {
  private case class Options(
      output: Path = Paths.get("build/rtl"),
      configs: Path = Paths.get("configs.yaml"),
      only: Set[String] = Set.empty
  )

  private val parser = {
    val builder = OParser.builder[Options]
    import builder._
    OParser.sequence(
      programName("sluice.Generate"),
      opt[String]("output").text("folder to write to").action((x, o) => o.copy(output = Paths.get(x))),
      opt[String]("configs").text("file of named configurations").action((x, o) => o.copy(configs = Paths.get(x))),
      opt[Seq[String]]("only")
        .text("configurations to write, by comma; all, if none is named")
        .action((x, o) => o.copy(only = x.toSet)),
      help("help")
    )
  }

  def main(args: Array[String]): Unit = OParser.parse(parser, args, Options()) match {
    case None          => sys.exit(2)
    case Some(options) =>
      try generate(options)
      catch {
        case e: IllegalArgumentException =>
          Console.err.println(s"error: ${e.getMessage.stripPrefix("requirement failed: ")}")
          sys.exit(2)
      }
  }

  private def generate(options: Options): Unit = {
    val named = Configs.load(options.configs)
    val unknown = options.only -- named.names
    require(unknown.isEmpty, s"no configuration is named ${unknown.mkString(", ")}")
    val isAsked = (name: String) => options.only.isEmpty || options.only(name)
    val tiles = named.tiles.filter(config => isAsked(config.name))
    val witnesses = Witness.tiles.filter(config => isAsked(config.name))
    for (config <- witnesses)
      writeRegisters(config, FileHead.of(config), Emit(config, options.output.resolve(config.name)), options.output)
    val written = tiles.map { config =>
      val design = Emit(config, options.output.resolve(config.name))
      writeRegisters(config, FileHead.of(config), design, options.output)
      config -> design
    }
    def wrap(configs: Seq[DatapathConfig]) = configs.filter(config => isAsked(config.name)).map { config =>
      val design = Emit(config, options.output.resolve(config.name))
      writeRegisters(config.tile, FileHead.of(config), design, options.output)
      config -> design
    }
    val (wrapped, wrappedWitnesses) = (wrap(named.datapaths), wrap(Witness.datapaths))
    val counters = named.counters
      .filter(config => isAsked(config.name))
      .map(config => config -> Emit(config, options.output.resolve(config.name)))
    val shells = named.shells.filter(config => isAsked(config.name))
    for (config <- shells) Emit(config, options.output.resolve(config.name))
    val boards = named.boards.filter(config => isAsked(config.name))
    for (config <- boards) {
      val design = Emit(config, options.output.resolve(config.name))
      writeRegisters(config.tile, FileHead.of(config), design, options.output)
    }
    writeIfChanged(options.output.resolve("sluice_registers.h"), CHeader.shared(named.tiles.head))
    if (options.only.isEmpty) writeShared(options.output)
    val entries = Json.catalog(written, witnesses, wrapped, wrappedWitnesses, counters, shells, boards)
    CatalogFiles.write(options.output, entries, named, isWhole = options.only.isEmpty)
  }

  private def writeShared(output: Path): Unit = {
    for ((name, block) <- BlockTops.all) Emit.block(name, output.resolve("blocks"), block())
    Emit.crossing(output.resolve("crossing"))
    for (claim <- Proofs.all) Emit.proof(claim, output.resolve("proofs"))
    writeIfChanged(output.resolve("refusals.json"), ujson.write(Refusals.messages(), indent = 1) + "\n")
  }

  private def writeRegisters(config: TileConfig, what: String, design: Design, output: Path): Unit = {
    val folder = output.resolve(config.name)
    writeIfChanged(folder.resolve("registers.json"), ujson.write(Json.registers(config, design), indent = 1) + "\n")
    writeIfChanged(folder.resolve(s"${CHeader.prefix(config)}_registers.h"), CHeader(config, what, design))
  }

  private[sluice] def writeIfChanged(file: Path, text: String): Unit = {
    Files.createDirectories(file.getParent)
    if (!Files.exists(file) || Files.readString(file) != text) Files.writeString(file, text)
  }
}
