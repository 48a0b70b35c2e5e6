// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
import sbt._
import sbt.Keys._

import java.security.MessageDigest

/** Holds every jar that the build compiles with against jars.sha256, which says by its SHA-256 which it was when the versions were
  * chosen. `make lock` writes the file; a jar that is another one, or that the file does not know, ends the build before it is used.
  */
object JarLock extends AutoPlugin {
  override def trigger: PluginTrigger = allRequirements
  override def requires: Plugins = plugins.JvmPlugin

  object autoImport {
    val jarsLock = taskKey[Unit]("Writes the digests of all jars into jars.sha256")
    val jarsCheck = taskKey[Unit]("Compares all jars with jars.sha256")
  }
  import autoImport._

  private val head = "# SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only"

  override def projectSettings: Seq[Setting[_]] = Seq(
    jarsLock := IO.writeLines(lock(baseDirectory.value), head +: digests(update.value)),
    jarsCheck := {
      val known = IO.readLines(lock(baseDirectory.value)).toSet
      val strange = digests(update.value).filterNot(known)
      if (strange.nonEmpty) sys.error(s"not as jars.sha256 has them: ${strange.map(_.split(' ').last).mkString(", ")}")
    },
    Compile / compile := (Compile / compile).dependsOn(jarsCheck).value
  )

  private def lock(folder: File): File = folder / "jars.sha256"

  /** A line for each jar, as sha256sum prints it, in the order of their names. */
  private def digests(report: UpdateReport): Seq[String] = {
    val jars = report.allFiles.filter(_.getName.endsWith(".jar")).distinct.sortBy(_.getName)
    jars.map { jar =>
      val digest = MessageDigest.getInstance("SHA-256").digest(IO.readBytes(jar))
      s"${digest.map("%02x".format(_)).mkString}  ${jar.getName}"
    }.distinct
  }
}
