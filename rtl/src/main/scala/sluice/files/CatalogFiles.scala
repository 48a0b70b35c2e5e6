// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice
package files

import ujson.{Arr, Obj, Value}

import java.nio.file.attribute.FileTime
import java.nio.file.{Files, Path}
import java.time.Instant

/** The catalogue as files. `catalog.json` is of everything, and its time is that of the last whole run. Beside the RTL of each
  * configuration stands another one with its entries alone, whose time is that of its last run, so that one core can be made and
  * tested where nothing else is.
  *
  * A run for some configurations puts their entries into the whole one too, if there is one: it never says of what lies beside it
  * what is no longer so. Its time stays, because the others are as old as they were.
  */
object CatalogFiles {
  private val name = "catalog.json"

  def write(output: Path, entries: Obj, named: Named, isWhole: Boolean): Unit = {
    val whole = output.resolve(name)
    if (isWhole) Generate.writeIfChanged(whole, text(entries))
    else if (Files.exists(whole)) {
      val time = Files.getLastModifiedTime(whole)
      Generate.writeIfChanged(whole, text(merged(ujson.read(Files.readString(whole)), entries, named)))
      Files.setLastModifiedTime(whole, time)
    }
    val written = lists(entries).flatMap { case (_, list) => list.map(nameOf) }.toSet
    for (config <- named.names if written(config)) {
      val file = output.resolve(config).resolve(name)
      Generate.writeIfChanged(file, text(mapped(entries)(_ => _.filter(nameOf(_) == config))))
      Files.setLastModifiedTime(file, FileTime.from(Instant.now()))
    }
  }

  /** The old entries with the new ones in their places, in the order of `named`; none of what is not named any more. Of what it
    * never names, the proofs, all are new in each run.
    */
  private def merged(old: Value, entries: Obj, named: Named): Obj = {
    val order = named.names.zipWithIndex.toMap
    mapped(entries) { key => fresh =>
      val kept = old.obj
        .get(key)
        .fold(Seq.empty[Value])(_.arr.toSeq)
        .filter(e => order.contains(nameOf(e)) && !fresh.exists(nameOf(_) == nameOf(e)))
      (kept ++ fresh).sortBy(e => order.getOrElse(nameOf(e), order.size))
    }
  }

  private def mapped(entries: Obj)(change: String => Seq[Value] => Seq[Value]): Obj = Obj.from(entries.obj.toSeq.map {
    case (key, Arr(list)) => key -> (Arr.from(change(key)(list.toSeq)): Value)
    case other            => other
  })

  private def lists(entries: Obj): Iterable[(String, Seq[Value])] =
    entries.obj.collect { case (key, Arr(list)) => key -> list.toSeq }

  /** Entries are objects with a name, or names. */
  private def nameOf(entry: Value): String = entry.objOpt.fold(entry.str)(_("name").str)

  private def text(entries: Obj): String = ujson.write(entries, indent = 1) + "\n"
}
