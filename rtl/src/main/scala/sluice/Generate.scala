// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice

import scopt.OParser
import sluice.tile.TileConfig

import java.nio.file.{Files, Path, Paths}

/** Command line: writes for every configuration the Verilog of its tile and of its bare core, and for every datapath that of
  * the whole; their register maps as JSON and as a C header; the shared blocks alone; and one catalogue of them all. A file is
  * written only when its text changes, so that what is built from it stays.
  */
object Generate {
  private case class Options(output: Path = Paths.get("build/rtl"), configs: Path = Paths.get("configs.yaml"))

  private val parser = {
    val builder = OParser.builder[Options]
    import builder._
    OParser.sequence(
      programName("sluice.Generate"),
      opt[String]("output").text("folder to write to").action((x, o) => o.copy(output = Paths.get(x))),
      opt[String]("configs").text("file of named configurations").action((x, o) => o.copy(configs = Paths.get(x))),
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
    val (tiles, datapaths) = Configs.load(options.configs)
    val written = tiles.map { config =>
      val design = Emit(config, options.output.resolve(config.name))
      writeRegisters(config, Head.of(config), design, options.output)
      config -> design
    }
    val wrapped = datapaths.map { config =>
      val design = Emit(config, options.output.resolve(config.name))
      writeRegisters(config.tile, Head.of(config), design, options.output)
      config -> design
    }
    for ((name, block) <- BlockTops.all) Emit.block(name, options.output.resolve("blocks"), block())
    for ((name, proof) <- Proofs.all) Emit.proof(name, options.output.resolve("proofs"), proof())
    writeIfChanged(
      options.output.resolve("catalog.json"),
      ujson.write(Json.catalog(written, wrapped), indent = 1) + "\n"
    )
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
